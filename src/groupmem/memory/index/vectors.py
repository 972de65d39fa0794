"""Vectors: 8-bit, one contiguous block per channel, searched exactly.

A vector is scaled so that its largest component is 127 and rounded. The cosine does not depend on the scale, and a unit
vector of 384 dimensions, whose components are about .05, would keep five bits less if all were scaled alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from usearch.compiled import MetricKind
from usearch.index import search

from groupmem.memory.index.postings import Mask

Bytes = NDArray[np.int8]
Cosines = NDArray[np.float32]
Numbers = NDArray[np.int64]

_SPARE = 32  # found beyond what is wanted, because a search with an 8-bit query orders the nearest a little otherwise
_WIDEN = 4
_MANY = 16_384  # vectors from which on more threads than one are worth their start


def quantise(vectors: NDArray[np.float32]) -> Bytes:
    """(n, d) rows as 8-bit integers, each scaled to its own largest component; a row of zeros stays one."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors * (127 / np.where(largest > 0, largest, 1))).astype(np.int8)


@dataclass(frozen=True, slots=True)
class Block:
    """The vectors of one channel and the entry that each belongs to, ascending; a long message has several."""

    channel: int
    entries: Numbers
    vectors: Bytes

    def cosines(self, query: NDArray[np.float32], places: NDArray[np.intp]) -> Cosines:
        """The cosine of the query with the vectors at these places.

        Row by row and not as a matrix product, whose last bits depend on which other rows are asked for.
        """
        chosen = self.vectors[places].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", chosen, chosen)) * np.sqrt(np.einsum("j,j->", query, query))
        products = np.einsum("ij,j->i", chosen, query)
        return np.asarray(products / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def near(self, query: Bytes, mask: Mask, limit: int) -> tuple[Numbers, Cosines]:
        """At least the `limit` entries of `mask` nearest to an 8-bit query, each once, with nearly their cosines.

        The search takes no filter, so it is asked for more than is wanted until enough of what it finds is visible.
        """
        searched = self._visible_end(mask)
        wanted = limit
        while True:
            wanted = min(wanted, searched)
            places, cosines = self._search(query, searched, wanted)
            visible = mask[self.entries[places]]
            entries, cosines = _best_of_each(self.entries[places[visible]], cosines[visible])
            if wanted == searched or len(entries) >= limit:
                return entries, cosines
            wanted *= _WIDEN

    def of(self, entries: Numbers, query: NDArray[np.float32]) -> Cosines:
        """The cosine of each entry's best vector; 0 where that is negative, or the entry has none here."""
        starts = np.searchsorted(self.entries, entries, side="left")
        sizes = np.searchsorted(self.entries, entries, side="right") - starts
        places = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        found = np.zeros(len(entries), dtype=np.float32)
        np.maximum.at(found, np.repeat(np.arange(len(entries)), sizes), self.cosines(query, places))
        return found

    def _visible_end(self, mask: Mask) -> int:
        """How many vectors there are up to the last visible one: a past moment sees a first part of a block."""
        if len(self.entries) and mask[self.entries[-1]]:
            return len(self.entries)
        seen = mask[self.entries]
        return len(seen) - int(seen[::-1].argmax()) if seen.any() else 0

    def _search(self, query: Bytes, searched: int, wanted: int) -> tuple[NDArray[np.intp], Cosines]:
        if not wanted:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
        threads = 0 if searched >= _MANY else 1
        found = search(self.vectors[:searched], query, wanted, MetricKind.Cos, exact=True, threads=threads)
        return np.asarray(found.keys, dtype=np.intp), 1 - np.asarray(found.distances, dtype=np.float32)


def _best_of_each(entries: Numbers, cosines: Cosines) -> tuple[Numbers, Cosines]:
    order = np.lexsort((-cosines, entries))
    entries, cosines = entries[order], cosines[order]
    first = np.diff(entries, prepend=-1) != 0
    return entries[first], cosines[first]


def nearest(blocks: Sequence[Block], query: NDArray[np.float32], mask: Mask, limit: int) -> tuple[Numbers, Cosines]:
    """The `limit` entries of `mask` nearest to the query over several blocks, and some more, in no order."""
    scaled = quantise(query[None, :])[0]
    found = [block.near(scaled, mask, limit + _SPARE) for block in blocks]
    roughly = np.concatenate([np.empty(0, dtype=np.float32), *(cosines for _, cosines in found)])
    border = np.partition(roughly, -limit - _SPARE)[-limit - _SPARE] if len(roughly) > limit + _SPARE else -np.inf
    chosen = [entries[cosines >= border] for entries, cosines in found]
    exact = [block.of(entries, query) for block, entries in zip(blocks, chosen, strict=True)]
    none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    return np.concatenate([none[0], *chosen]), np.concatenate([none[1], *exact])
