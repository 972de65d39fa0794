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

_SPARE = 32
_WIDEN = 4


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
        lengths = np.linalg.norm(chosen, axis=1) * np.linalg.norm(query)
        return np.asarray((chosen * query).sum(axis=1) / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def best(self, query: NDArray[np.float32], mask: Mask, limit: int) -> tuple[Numbers, Cosines]:
        """The `limit` entries of `mask` whose best vector is nearest to the query, each once, in no order.

        The search takes no filter, so it is asked for more than is wanted until enough of what it finds is visible.
        """
        searched = self._visible_end(mask)
        wanted = limit + _SPARE
        while True:
            wanted = min(wanted, searched)
            places = self._nearest(query, searched, wanted)
            visible = places[mask[self.entries[places]]]
            entries, cosines = _best_of_each(self.entries[visible], self.cosines(query, visible))
            if wanted == searched or len(entries) >= limit:
                return entries, cosines
            wanted *= _WIDEN

    def of(self, entries: Numbers, query: NDArray[np.float32]) -> Cosines:
        """The cosine of each entry's best vector; 0 for an entry that has none here."""
        starts = np.searchsorted(self.entries, entries, side="left")
        sizes = np.searchsorted(self.entries, entries, side="right") - starts
        places = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        found = np.zeros(len(entries), dtype=np.float32)
        np.maximum.at(found, np.repeat(np.arange(len(entries)), sizes), self.cosines(query, places))
        return found

    def _visible_end(self, mask: Mask) -> int:
        """How many vectors there are up to the last visible one: a past moment sees a first part of a block."""
        seen = mask[self.entries]
        return len(seen) - int(seen[::-1].argmax()) if seen.any() else 0

    def _nearest(self, query: NDArray[np.float32], searched: int, wanted: int) -> NDArray[np.intp]:
        if not wanted:
            return np.empty(0, dtype=np.intp)
        found = search(self.vectors[:searched], quantise(query[None, :])[0], wanted, MetricKind.Cos, exact=True)
        return np.asarray(found.keys, dtype=np.intp)


def _best_of_each(entries: Numbers, cosines: Cosines) -> tuple[Numbers, Cosines]:
    order = np.lexsort((-cosines, entries))
    entries, cosines = entries[order], cosines[order]
    first = np.diff(entries, prepend=-1) != 0
    return entries[first], cosines[first]


def nearest(blocks: Sequence[Block], query: NDArray[np.float32], mask: Mask, limit: int) -> tuple[Numbers, Cosines]:
    """The entries of `mask` nearest to the query over several blocks, at least the best `limit`, in no order."""
    found = [block.best(query, mask, limit) for block in blocks]
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    return np.concatenate([entries for entries, _ in found]), np.concatenate([cosines for _, cosines in found])
