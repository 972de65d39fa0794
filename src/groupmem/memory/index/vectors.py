"""Vectors: 8-bit, one contiguous block per channel, searched exactly.

A vector is scaled so that its largest component is 127 and rounded. The cosine does not depend on the scale, and a unit
vector of 384 dimensions, whose components are about .05, would keep five bits less if all were scaled alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

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
        """The places of the vectors of these entries, and for each vector which of the entries it belongs to."""
        if not len(self.entries):
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        starts = np.searchsorted(self.entries, entries)
        if self.has_several:
            sizes = np.searchsorted(self.entries, entries, side="right") - starts
            inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            return np.repeat(starts, sizes) + inside, np.repeat(np.arange(len(entries)), sizes)
        held = np.flatnonzero(self.entries.take(starts, mode="clip") == entries)
        return starts[held], held

    @cached_property
    def lengths(self) -> Cosines:
        """The length of each vector; 1 for one of zeros."""
        origin = np.zeros((1, self.vectors.shape[1]), dtype=np.int8)
        return np.sqrt(np.maximum(_compared(self.vectors, origin, "sqeuclidean"), 1))

    def near(self, query: Bytes, mask: Mask, least: float) -> tuple[Numbers, Cosines]:
        """The entries of `mask` and their cosines with an 8-bit query, as far as these are not below `least`; each
        entry once, ascending."""
        searched = self._visible_end(mask)
        length = math.sqrt(int(np.square(query, dtype=np.int64).sum())) or 1.0
        products = _compared(self.vectors[:searched], query[None, :], "dot")
        cosines = products / (self.lengths[:searched] * np.float32(length))
        near = np.flatnonzero(cosines >= least)
        entries, cosines = self.entries[near], cosines[near]
        visible = mask[entries]
        if not visible.all():
            entries, cosines = entries[visible], cosines[visible]
        return _best_of_each(entries, cosines) if self.has_several else (entries, cosines)

    def _visible_end(self, mask: Mask) -> int:
        """How many vectors there are up to the last visible one: a past moment sees a first part of a block."""
        if len(self.entries) and mask[self.entries[-1]]:
            return len(self.entries)
        seen = mask[self.entries]
        return len(seen) - int(seen[::-1].argmax()) if seen.any() else 0


def _compared(vectors: Bytes, query: Bytes, metric: Literal["dot", "sqeuclidean"]) -> Cosines:
    """Every row with an 8-bit query, exactly: a million take a few hundredths of a second."""
    if not len(vectors):
        return np.empty(0, dtype=np.float32)
    return np.asarray(numkong.cdist(vectors, query, metric=metric), dtype=np.float32)[:, 0]


def _best_of_each(entries: Numbers, cosines: Cosines) -> tuple[Numbers, Cosines]:
    """Each of the ascending entries once, with the cosine of its best vector."""
    starts = np.flatnonzero(np.diff(entries, prepend=-1))
    return entries[starts], np.maximum.reduceat(cosines, starts) if len(starts) else cosines


def nearly_nearest(blocks: Sequence[Block], query: NDArray[np.float32], mask: Mask, limit: int) -> Numbers:
    """The `limit` entries of `mask` nearest to the query over several blocks, and some more, in no order.

    They are searched with the query in 8 bits; who wants their order compares them with the query itself.
    """
    scaled, wanted, border = quantise(query[None, :])[0], limit + _SPARE, -math.inf
    entries, cosines = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    for block in blocks:
        further = block.near(scaled, mask, border)
        entries, cosines = np.concatenate([entries, further[0]]), np.concatenate([cosines, further[1]])
        if len(entries) > wanted:
            border = float(np.partition(cosines, -wanted)[-wanted])
            best = cosines >= border
            entries, cosines = entries[best], cosines[best]
    return entries


class Gathered:
    """Vectors side by side, as they are compared: each belongs to one of `owners`, of whom there are `count`."""

    def __init__(self, vectors: Bytes, lengths: Cosines, owners: NDArray[np.intp], count: int) -> None:
        self._vectors = vectors.astype(np.float32)
        self._lengths = lengths
        self._owners = owners
        self._count = count

    def cosines(self, query: NDArray[np.float32]) -> Cosines:
        """The cosine of each owner's best vector with the query; 0 where that is negative, or the owner has none.

        Row by row and not as a matrix product, whose last bits depend on which other rows are asked for.
        """
        length = np.sqrt(np.einsum("j,j->", query, query)) or np.float32(1)
        found = np.zeros(self._count, dtype=np.float32)
        np.maximum.at(found, self._owners, np.einsum("ij,j->i", self._vectors, query) / (self._lengths * length))
        return found


def gather(blocks: Sequence[Block], entries: Numbers, channels: NDArray[np.int32]) -> Gathered:
    """The vectors of these entries, each of which is in the block of its channel, if anywhere."""
    vectors = [np.empty((0, blocks[0].vectors.shape[1] if blocks else 1), dtype=np.int8)]
    lengths, owners = [np.empty(0, dtype=np.float32)], [np.empty(0, dtype=np.intp)]
    present = set(channels.tolist())
    for block in blocks:
        if block.channel in present:
            here = np.flatnonzero(channels == block.channel)
            places, inside = block.places(entries[here])
            vectors.append(block.vectors.take(places, axis=0))
            lengths.append(block.lengths.take(places))
            owners.append(here[inside])
    return Gathered(np.concatenate(vectors), np.concatenate(lengths), np.concatenate(owners), len(entries))
