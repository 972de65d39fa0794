"""Running words: the words of each entry in their order, so that one can ask what stands around a phrase.

Words are the content terms of a text without the parts of identifiers, by their number among a segment's terms: the
files hold no word. Two marks say where a phrase may begin (after a function word) and where a sentence or clause does.
Pairs of neighbours are found by their hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import BEGINS_SENTENCE, IS_PART

MARK_BITS = 2
_MARKS = (1 << MARK_BITS) - 1
_MIX = np.uint64(0x9E3779B97F4A7C15)
_TURN = np.uint64(23)
_BACK = np.uint64(64 - 23)
_HIGH = np.uint64(32)

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Marks = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Running:
    """The running words of a segment.

    `words` holds for each word its number among the terms of the segment's own texts, and its marks in the lowest two
    bits; those of entry `first + i` stand from `starts[i]` to `starts[i + 1]`. `pairs` are the hashes of two
    neighbours in one sentence, ascending, and `places` where the first of them stands in `words`.
    """

    words: NDArray[np.uint32]
    starts: NDArray[np.int64]
    pairs: NDArray[np.uint32]
    places: NDArray[np.uint32]

    @classmethod
    def of(cls, numbers: NDArray[np.int64], marks: NDArray[np.uint8], starts: NDArray[np.int64], terms: Hashes) -> Self:
        """From the numbers of all words among `terms`, with their marks, and where the entries start."""
        pairs, places = _pairs(terms[numbers], marks)
        return cls(words=(numbers << MARK_BITS | marks).astype(np.uint32), starts=starts, pairs=pairs, places=places)

    def numbers(self, places: Places) -> NDArray[np.int64]:
        """The numbers of the words at these places among the segment's terms."""
        return (self.words[places] >> MARK_BITS).astype(np.int64)

    def words_at(self, places: Places) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The numbers and the marks of the words at these places, those of the first and the last word beyond them."""
        words = self.words.take(places, mode="clip")
        return words >> np.uint32(MARK_BITS), (words & np.uint32(_MARKS)).astype(np.uint8)

    def of_pairs(self, keys: NDArray[np.uint32]) -> tuple[NDArray[np.intp], Places]:
        """Where each of these pairs stands: the numbers of the keys, and places."""
        starts = np.searchsorted(self.pairs, keys)
        sizes = np.searchsorted(self.pairs, keys, side="right") - starts
        owners = np.repeat(np.arange(len(keys)), sizes)
        inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return owners, self.places[np.repeat(starts, sizes) + inside].astype(np.int64)

    def of_entries(self, entries: NDArray[np.int64]) -> Places:
        """The places of all words of these entries, counted from the first entry of the segment."""
        starts = self.starts[entries]
        sizes = self.starts[entries + 1] - starts
        found: Places = np.arange(int(sizes.sum())) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return found

    def entries(self, places: Places) -> NDArray[np.int64]:
        """The entries in which these places are, counted from the first entry of the segment."""
        found: NDArray[np.int64] = np.searchsorted(self.starts, places, side="right") - 1
        return found


def pair_keys(first: Hashes, second: Hashes) -> NDArray[np.uint32]:
    """The hashes of pairs of words."""
    return (((first << _TURN | first >> _BACK) ^ second) * _MIX >> _HIGH).astype(np.uint32)


def build_running(
    numbers: NDArray[np.int64], sizes: NDArray[np.int64], marks: Marks, entries: NDArray[np.int64], terms: Hashes
) -> Running:
    """The running words of documents of these `sizes`, of which `numbers` are the terms, with a byte of marks each."""
    marked = np.frombuffer(b"".join(marks), dtype=np.uint8)
    whole = marked & IS_PART == 0
    owners = np.repeat(entries - entries[0], sizes)[whole]
    counts = np.bincount(owners, minlength=int(entries[-1] - entries[0]) + 1)
    return Running.of(numbers[whole], marked[whole], _starts(counts), terms)


def join_running(
    parts: Sequence[Running], alive: Sequence[NDArray[np.bool_]], renumbered: Sequence[NDArray[np.int64]], terms: Hashes
) -> Running:
    """One after the other, without the entries that are not `alive` (a mask over the range up to the next part).

    `renumbered` are the new numbers of the terms of each part, among `terms`.
    """
    words, marks, counts = [], [], []
    for part, keep, new in zip(parts, alive, renumbered, strict=True):
        sizes = np.diff(part.starts)
        kept = np.repeat(keep[: len(sizes)], sizes)
        words.append(new[(part.words[kept] >> MARK_BITS).astype(np.int64)])
        marks.append((part.words[kept] & _MARKS).astype(np.uint8))
        counts.append(np.pad(sizes * keep[: len(sizes)], (0, len(keep) - len(sizes))))
    return Running.of(np.concatenate(words), np.concatenate(marks), _starts(np.concatenate(counts)), terms)


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _pairs(hashes: Hashes, marks: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The hashes of neighbours in one sentence, ascending, and where they stand."""
    places = np.flatnonzero(marks[1:] & BEGINS_SENTENCE == 0)
    keys = pair_keys(hashes[places], hashes[places + 1])
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order].astype(np.uint32)
