"""Imperfections: what people type in a hurry. What is given in the plan is never touched."""

from __future__ import annotations

import random
import re

from groupmem.lab.synthesis.writers.grammar.marks import frames, map_frames

TYPO_LETTERS = 4
"""Shorter words are not mistyped: they would turn into other words."""
TELLING = frozenset({"your", "yours"})
"""Words that may be all that says whom the message means."""
FRAGMENTS = (
    (re.compile(r"^(?:I'm|I am|we're|it's|it is|they're|that's|there's|I've|we've) (?=\w)", re.IGNORECASE), ""),
    (re.compile(r"^(?:I'll|we'll) (?=\w)", re.IGNORECASE), "will "),
    (re.compile(r"^(?:I'd|we'd) (?=\w)", re.IGNORECASE), "would "),
    (re.compile(r"^(?:I|we) (?=\w)", re.IGNORECASE), ""),
    (re.compile(r"^(?:the|a|an) (?=\w)", re.IGNORECASE), ""),
)
_WORD = re.compile(rf"\b[a-z]{{{TYPO_LETTERS},}}\b")
_NEIGHBOURS = {"a": "s", "e": "r", "i": "o", "o": "p", "t": "r", "n": "m", "s": "d", "r": "t", "l": "k", "u": "i"}


def typo(text: str, rng: random.Random) -> tuple[str, str]:
    """`text` with one of the writer's own words mistyped, and that word as it should be (empty: there was none)."""
    words = [word for stretch in frames(text) for word in _WORD.findall(stretch) if word not in TELLING]
    if not words:
        return text, ""
    word = rng.choice(words)
    wrong = _mistyped(word, rng)
    done: list[bool] = []

    def change(stretch: str) -> str:
        if done:
            return stretch
        changed, count = re.subn(rf"\b{word}\b", wrong, stretch, count=1)
        done.extend([True] * count)
        return changed

    return map_frames(text, change), word


def _mistyped(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    match rng.randrange(4):
        case 0 if word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 1:
            return word[:at] + word[at + 1 :]
        case 2 if word[at] in _NEIGHBOURS:
            return word[:at] + _NEIGHBOURS[word[at]] + word[at + 1 :]
    return word[:at] + word[at] + word[at:]


def fragment(sentences: list[str], rng: random.Random) -> list[str]:
    """The sentences with one of them cut down to a fragment, as people type who are in a hurry."""
    places = list(range(len(sentences)))
    rng.shuffle(places)
    for place in places:
        for pattern, instead in FRAGMENTS:
            shortened, count = pattern.subn(instead, sentences[place])
            if count:
                return [*sentences[:place], shortened, *sentences[place + 1 :]]
    return sentences


def lower_case(text: str) -> str:
    """`text` without capitals of the writer's own; names and what else is given keep theirs."""
    return map_frames(text, str.lower)


def unpunctuated(text: str) -> str:
    """`text` without commas, apostrophes and the last stop, which a hurried thumb leaves out; questions keep theirs."""
    thinned = map_frames(text, lambda stretch: re.sub(r",(?=\s)|(?<=\w)['’](?=\w)", "", stretch))
    return thinned if thinned.endswith("..") else thinned.removesuffix(".")
