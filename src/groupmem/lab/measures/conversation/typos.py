"""Which rare words are slips of a common one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from rapidfuzz.distance import OSA

SHORTEST = 4
"""Letters of a word that is looked after: shorter words are one letter away from many others."""
LONGEST = 30
"""Letters of a word that is looked after: a longer run is no word that somebody mistyped."""
TIMES_RARER = 20
"""A slip is at least so many times rarer than the word that was meant."""


def common_spellings(counts: Mapping[str, int], known: Collection[str]) -> dict[str, str]:
    """The word that was meant, for each word of `counts` (word -> how often) that is taken for a slip.

    A slip is one letter left out, added, changed, or swapped with its neighbour, not the first one, of a word that has
    `SHORTEST` to `LONGEST` letters and is `TIMES_RARER` times as frequent. No slips are the words in `known`, and what
    only adds, lacks or changes the last letter: another form of the word ("asks", "asked"). Of several candidates the
    most frequent one was meant, of equals the first by letters.
    """
    by_rest: defaultdict[str, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= TIMES_RARER and SHORTEST <= len(word) <= LONGEST and word.isalpha():
            for rest in _rests(word):
                by_rest[rest].append(word)
    meant: dict[str, str] = {}
    for word, count in counts.items():
        if SHORTEST - 1 <= len(word) <= LONGEST + 1 and word.isalpha() and word not in known:
            near = {common for rest in _rests(word) for common in by_rest.get(rest, ())}
            likely = [common for common in near if _is_slip(word, common) and counts[common] >= TIMES_RARER * count]
            if likely:
                meant[word] = min(likely, key=lambda common: (-counts[common], common))
    return meant


def _rests(word: str) -> Iterator[str]:
    """The word, and what is left of it without one letter: two words one slip apart share one of these."""
    yield word
    yield from {word[:at] + word[at + 1 :] for at in range(1, len(word))}


def _is_slip(word: str, common: str) -> bool:
    is_form = word[:-1] in (common, common[:-1]) or word == common[:-1]
    return word[0] == common[0] and not is_form and OSA.distance(word, common, score_cutoff=1) == 1
