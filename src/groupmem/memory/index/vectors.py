"""Vectors: 8-bit, one contiguous block per channel, searched exactly.

A vector is scaled so that its largest component is 127 and rounded. The cosine does not depend on the scale, and a unit
vector of 384 dimensions, whose components are about .05, would keep five bits less if all were scaled alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numkong
import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import Mask

Bytes = NDArray[np.int8]
Cosines = NDArray[np.float32]
Numbers = NDArray[np.int64]

_SPARE = 32  # found beyond what is wanted, because a search with an 8-bit query orders the nearest a little otherwise


def quantise(vectors: NDArray[np.float32]) -> Bytes:
    """(n, d) rows as 8-bit integers, each scaled to its own largest component; a row of zeros stays one."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors * (127 / np.where(largest > 0, largest, 1))).astype(np.int8)


@dataclass(frozen=True)
class Block:
    """The vectors of one channel and the entry that each belongs to, ascending; a long message has several."""

    channel: int
    entries: Numbers
    vectors: Bytes

    @cached_property
    def has_several(self) -> bool:
        """Whether any entry has more than one vector."""
        return bool((self.entries[1:] == self.entries[:-1]).any())

    def places(self, entries: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the vectors of these entries begin, and how many each has here."""
        starts = np.searchsorted(self.entries, entries)
        if self.has_several:
            return starts, np.searchsorted(self.entries, entries, side="right") - starts
        held = self.entries[np.minimum(starts, len(self.entries) - 1)] == entries if len(self.entries) else starts < 0
        return starts, held.astype(np.intp)

    def near(self, query: Bytes, mask: Mask, limit: int) -> tuple[Numbers, Cosines]:
        """The `limit` entries of `mask` nearest to an 8-bit query, each once and in no order, with their cosines."""
        searched = self._visible_end(mask)
        entries, cosines = self.entries[:searched], _cosines(self.vectors[:searched], query)
        visible = mask[entries]
        if not visible.all():
            entries, cosines = entries[visible], cosines[visible]
        if self.has_several:
            entries, cosines = _best_of_each(entries, cosines)
        if len(entries) <= limit:
            return entries, cosines
        best = np.argpartition(cosines, -limit)[-limit:]
        return entries[best], cosines[best]

    def _visible_end(self, mask: Mask) -> int:
        """How many vectors there are up to the last visible one: a past moment sees a first part of a block."""
        if len(self.entries) and mask[self.entries[-1]]:
            return len(self.entries)
        seen = mask[self.entries]
        return len(seen) - int(seen[::-1].argmax()) if seen.any() else 0


def _cosines(vectors: Bytes, query: Bytes) -> Cosines:
    """Of every row with an 8-bit query, exactly: a million take a few hundredths of a second."""
    if not len(vectors):
        return np.empty(0, dtype=np.float32)
    distances = numkong.cdist(vectors, query[None, :], metric="angular")
    return 1 - np.asarray(distances, dtype=np.float32)[:, 0]


def _best_of_each(entries: Numbers, cosines: Cosines) -> tuple[Numbers, Cosines]:
    """Each of the ascending entries once, with the cosine of its best vector."""
    starts = np.flatnonzero(np.diff(entries, prepend=-1))
    return entries[starts], np.maximum.reduceat(cosines, starts) if len(starts) else cosines


def nearly_nearest(blocks: Sequence[Block], query: NDArray[np.float32], mask: Mask, limit: int) -> Numbers:
    """The `limit` entries of `mask` nearest to the query over several blocks, and some more, in no order.

    They are searched with the query in 8 bits; who wants their order compares them with the query itself.
    """
    scaled = quantise(query[None, :])[0]
    found = [block.near(scaled, mask, limit + _SPARE) for block in blocks]
    roughly = np.concatenate([np.empty(0, dtype=np.float32), *(cosines for _, cosines in found)])
    border = np.partition(roughly, -limit - _SPARE)[-limit - _SPARE] if len(roughly) > limit + _SPARE else -np.inf
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *(entries[cosines >= border] for entries, cosines in found)])


class Gathered:
    """Vectors side by side, as they are compared: each belongs to one of `owners`, of whom there are `count`."""

    def __init__(self, vectors: Bytes, owners: NDArray[np.intp], count: int) -> None:
        self._vectors = vectors.astype(np.float32)
        self._lengths = np.sqrt(np.einsum("ij,ij->i", self._vectors, self._vectors))
        self._owners = owners
        self._count = count

    def cosines(self, query: NDArray[np.float32]) -> Cosines:
        """The cosine of each owner's best vector with the query; 0 where that is negative, or the owner has none.

        Row by row and not as a matrix product, whose last bits depend on which other rows are asked for.
        """
        lengths = self._lengths * np.sqrt(np.einsum("j,j->", query, query))
        products = np.einsum("ij,j->i", self._vectors, query)
        found = np.zeros(self._count, dtype=np.float32)
        np.maximum.at(found, self._owners, products / np.where(lengths > 0, lengths, 1))
        return found


def gather(blocks: Sequence[Block], entries: Numbers, channels: NDArray[np.int32]) -> Gathered:
    """The vectors of these entries, each of which is in the block of its channel, if anywhere."""
    order = np.argsort(channels, kind="stable")
    borders = np.searchsorted(channels[order], [[block.channel, block.channel + 1] for block in blocks])
    vectors = [np.empty((0, blocks[0].vectors.shape[1] if blocks else 1), dtype=np.int8)]
    owners = [np.empty(0, dtype=np.intp)]
    for block, (first, last) in zip(blocks, borders.reshape(-1, 2).tolist(), strict=True):
        if first < last:
            here = order[first:last]
            starts, sizes = block.places(entries[here])
            vectors.append(
                block.vectors[np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())]
            )
            owners.append(np.repeat(here, sizes))
    return Gathered(np.concatenate(vectors), np.concatenate(owners), len(entries))
