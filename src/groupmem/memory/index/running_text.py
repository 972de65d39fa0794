"""Running words across segments: where a phrase stands, and what stands around a place. A mask says what is seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import BEGINS_SENTENCE
from groupmem.memory.index.postings import Mask, Segment
from groupmem.memory.index.running import Hashes, Places, pair_keys


class Windows(NamedTuple):
    """The words around places, one row for each: hashes, 0 beyond the sentence, and marks."""

    words: Hashes
    marks: NDArray[np.uint8]


class Standing(NamedTuple):
    """Where something stands, one row for each time: the number of what was looked for, the place of its first word,
    and its entry."""

    owners: NDArray[np.intp]
    places: Places
    entries: NDArray[np.int64]

    def only(self, rows: NDArray[np.bool_]) -> Standing:
        """Some of the rows."""
        return Standing(self.owners[rows], self.places[rows], self.entries[rows])


class RunningText:
    """The running words of segments, one after the other; a place is a number in all of them."""

    def __init__(self, segments: Sequence[Segment], mask: Mask) -> None:
        self._segments = segments
        self._mask = mask
        sizes = [len(segment.running.words) for segment in segments]
        self._bases = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def entries(self, places: Places) -> NDArray[np.int64]:
        """The entry in which each place is."""
        found = np.empty(len(places), dtype=np.int64)
        for number, inside, local in self._by_segment(places):
            found[inside] = self._segments[number].running.entries(local) + self._segments[number].first
        return found

    def offsets(self, places: Places) -> NDArray[np.int64]:
        """How many running words of its entry stand before each place."""
        found = np.empty(len(places), dtype=np.int64)
        for number, inside, local in self._by_segment(places):
            running = self._segments[number].running
            found[inside] = local - running.starts[running.entries(local)]
        return found

    def around(self, places: Places, before: int, after: int) -> Windows:
        """The words from `before` words before each place to `after` behind it, as far as its sentence reaches."""
        shape = (len(places), before + 1 + after)
        words, marks = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=np.uint8)
        steps = np.arange(-before, after + 1)
        for number, inside, local in self._by_segment(places):
            segment = self._segments[number]
            wanted = local[:, None] + steps
            numbers, marks[inside] = segment.running.words_at(wanted)
            hashes = segment.fields["content"].terms.take(numbers)
            if local.max() + after >= len(segment.running.words):  # before its first word a sentence begins
                hashes *= wanted < len(segment.running.words)
            words[inside] = hashes
        begins = marks & BEGINS_SENTENCE != 0
        words[:, before + 1 :] *= ~np.logical_or.accumulate(begins[:, before + 1 :], axis=1)
        words[:, :before] *= ~np.logical_or.accumulate(begins[:, before:0:-1], axis=1)[:, ::-1]
        return Windows(words, marks)

    def pairs(self, first: Hashes, second: Hashes) -> Standing:
        """Where two words stand next to each other in a sentence that is seen."""
        keys = pair_keys(first, second)
        found = [Standing(*(np.empty(0, dtype=np.int64) for _ in range(3)))]
        for base, segment in zip(self._bases.tolist(), self._segments, strict=False):
            owners, local = segment.running.of_pairs(keys)
            entries = segment.running.entries(local) + segment.first
            found.append(Standing(owners, local + base, entries).only(self._mask[entries]))
        return Standing(*map(np.concatenate, zip(*found, strict=True)))

    def holders(self, words: Hashes) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The entries that are seen and hold each word: the number of the word, and the entry; no place yet."""
        owners, entries = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.int64)]
        for segment in self._segments:
            postings = segment.fields["content"]
            places = _found(postings.terms, words)
            known = np.flatnonzero(places >= 0)
            starts, ends = postings.starts[places[known]], postings.starts[places[known] + 1]
            held = [postings.entries[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
            owner = np.repeat(known, ends - starts)
            entry = np.concatenate([np.empty(0, dtype=np.uint32), *held]).astype(np.int64)
            seen = self._mask[entry]
            owners.append(owner[seen])
            entries.append(entry[seen])
        return np.concatenate(owners), np.concatenate(entries)

    def first_in(self, words: Hashes, entries: NDArray[np.int64]) -> Places:
        """Where each word stands for the first time in the entry beside it, which holds it as a word of its own; -1 for
        one that is only part of an identifier there."""
        found = np.full(len(entries), -1, dtype=np.int64)
        for base, segment in zip(self._bases.tolist(), self._segments, strict=False):
            inside = np.flatnonzero((entries >= segment.first) & (entries <= segment.last))
            local = entries[inside] - segment.first
            sizes = segment.running.starts[local + 1] - segment.running.starts[local]
            places, rows = segment.running.of_entries(local), np.repeat(inside, sizes)
            wanted = _found(segment.fields["content"].terms, words[inside])
            same = segment.running.numbers(places) == np.repeat(wanted, sizes)
            found[rows[same][::-1]] = places[same][::-1] + base
        return found

    def phrases(self, wanted: Sequence[Sequence[int]]) -> Standing:
        """Where phrases of two words and more stand."""
        most = max(map(len, wanted), default=0)
        words = np.array([[*each, *[0] * (most - len(each))] for each in wanted], dtype=np.uint64)
        found = self.pairs(words[:, 0], words[:, 1])
        follow, asked = self.around(found.places, 0, most - 1).words, words[found.owners]
        return found.only(((follow == asked) | (asked == 0)).all(axis=1))

    def _by_segment(self, places: Places) -> list[tuple[int, NDArray[np.intp], Places]]:
        """The segments in which places are: their numbers, which of the places, and the places counted in each."""
        found = []
        for number, (start, end) in enumerate(pairwise(self._bases.tolist())):
            inside = np.flatnonzero((places >= start) & (places < end))
            if len(inside):
                found.append((number, inside, places[inside] - start))
        return found


def _found(terms: Hashes, words: Hashes) -> NDArray[np.intp]:
    """Where each word is among ascending terms, -1 where it is none of them."""
    places = np.minimum(np.searchsorted(terms, words), max(len(terms) - 1, 0))
    return np.where(terms[places] == words, places, -1) if len(terms) else np.full(len(words), -1)
