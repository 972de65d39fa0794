"""Cues: what single words, pairs of words and the place of a sentence say about the kind of statement it makes.

A cue is a linguistic sign (an inclusive "we", a modal verb, a verb of change, a hedge), never a phrase of some data
set.
"""

from __future__ import annotations

import re
from itertools import pairwise

from groupmem.memory.analysis import word_term
from groupmem.memory.known import known_if_short
from groupmem.memory.notes.cue_words import AFTER_IMPERATIVE, BY_STEM, BY_WORD, NOUNS_TOO, PAIRS, VERBS
from groupmem.memory.notes.reading import Sentence

Cues = dict[str, int]  # cue -> index of the word that first shows it


def _stems(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for cue, lemmas in table.items():
        for lemma in lemmas.split():
            stem = word_term(lemma)
            found[stem] = (*found.get(stem, ()), cue)
    return found


def _words(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for cue, words in table.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), cue)
    return found


_STEM_CUES = _stems(BY_STEM)
_WORD_CUES = _words(BY_WORD)
_PAIR_CUES = {(left, right): cues for pair, cues in _words(PAIRS).items() for left, right in [pair.split("-", 1)]}
_VERDICT = re.compile(r"(?:no \w+(?! one)|yes to\b|neither\b|none\b)", re.IGNORECASE)
_REACH = 3  # words back from a verb that a negation governs


@known_if_short(1 << 15)
def cues_of_word(word: str) -> tuple[str, ...]:
    """The cues that one word (lower case) shows wherever it stands."""
    return tuple(dict.fromkeys((*_WORD_CUES.get(word, ()), *_STEM_CUES.get(word_term(word), ()))))


def cues_of(sentence: Sentence) -> Cues:
    """The cues in a sentence's words, each with where it shows first; a negated verb of deciding is "undecided"."""
    found: Cues = {}
    words = sentence.words
    for index, cues in enumerate(map(cues_of_word, words)):
        if cues:
            for cue in cues:
                if cue not in found:
                    found[cue] = index
    for index, shown in enumerate(map(_PAIR_CUES.get, pairwise(words))):
        if shown is not None:
            for cue in shown:
                found[cue] = min(index, found.get(cue, index))
    if "from" in words and "to" in words[words.index("from") + 1 :]:
        found["from_to"] = words.index("from")
    if _is_imperative(words):
        found["imperative"] = 0
    if sentence.text[0] in "nNyY" and _VERDICT.match(sentence.text):
        found["verdict"] = 0
    if "decide" in found and "not" in found:
        _mark_negation(found, words)
    return found


def _is_imperative(words: tuple[str, ...]) -> bool:
    """Whether a sentence starts with a verb that asks; a word that is a noun as well needs an object or adverb after
    it.
    """
    if not words:
        return False
    return words[0] in VERBS or (words[0] in NOUNS_TOO and len(words) > 1 and words[1] in AFTER_IMPERATIVE)


def _mark_negation(found: Cues, words: tuple[str, ...]) -> None:
    at = found["decide"]
    if any("not" in cues_of_word(word) for word in words[max(0, at - _REACH) : at]):
        del found["decide"]
        found["undecided"] = at
