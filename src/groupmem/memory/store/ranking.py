"""Scores of visible messages for one query: the two rankings that a view gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import Mask
from groupmem.memory.index.top import at_least_best
from groupmem.memory.index.vectors import Block, Gathered, gather, nearly_nearest
from groupmem.memory.store.base import NO_ROW, Rows, Scores
from groupmem.memory.store.state import State


class LexicalRanking:
    """BM25 scores, which are known for all entries at once."""

    def __init__(self, state: State, scores: NDArray[np.float32], full: float) -> None:
        self._state = state
        self._scores = scores
        self.full = full

    def top(self, limit: int) -> tuple[Rows, Scores]:
        """See `base.Ranking`."""
        found = at_least_best(self._scores, limit)
        return _best_first(self._state.row_of[found], self._scores[found], limit)

    def at(self, rows: Rows) -> Scores:
        """See `base.Ranking`."""
        return self._scores[self._state.columns.entry[rows]]


class Nearby:
    """The vectors of the rows that one view was asked about, and the blocks that they come from.

    Several rankings ask about the same rows, in growing company: each row's vectors are gathered once for all.
    """

    def __init__(self, state: State, mask: Mask, blocks: Callable[[], list[Block]]) -> None:
        self.state = state
        self._mask = mask
        self._read_blocks = blocks
        self._slots = np.zeros(state.columns.count, dtype=np.int32)  # of each row, from 1; 0 is not gathered yet
        self._count = 0
        self.gathered: list[Gathered] = []

    @cached_property
    def _blocks(self) -> list[Block]:
        return self._read_blocks()

    def nearly_nearest(self, query: NDArray[np.float32], limit: int) -> Rows:
        """The rows of the nearest vectors, and some more, in no order."""
        return self.state.row_of[nearly_nearest(self._blocks, query, self._mask, limit)]

    def slots(self, rows: Rows) -> NDArray[np.int32]:
        """The places of these rows in all that was gathered; what is missing is gathered now."""
        slots = self._slots[rows]
        missing = rows[slots == 0]
        if len(missing):
            columns = self.state.columns
            self._slots[missing] = np.arange(self._count + 1, self._count + 1 + len(missing))
            self._count += len(missing)
            entries = columns.vector_entry[missing]
            seen = np.where(self._mask[entries], entries, NO_ROW)
            self.gathered.append(gather(self._blocks, seen, columns.channel[missing]))
            slots = self._slots[rows]
        return slots - 1


class VectorRanking:
    """Cosines, which are computed for what is asked for."""

    full = 1.0

    def __init__(self, nearby: Nearby, query: NDArray[np.float32]) -> None:
        self._nearby = nearby
        self._query = np.asarray(query, dtype=np.float32)
        self._compared = 0
        self._cosines: Scores = np.empty(0, dtype=np.float32)

    def top(self, limit: int) -> tuple[Rows, Scores]:
        """See `base.Ranking`."""
        rows = self._nearby.nearly_nearest(self._query, limit)
        cosines = self.at(rows)
        above = cosines > 0
        return _best_first(rows[above], cosines[above], limit)

    def at(self, rows: Rows) -> Scores:
        """See `base.Ranking`."""
        slots = self._nearby.slots(rows)
        fresh = self._nearby.gathered[self._compared :]
        if fresh:
            self._cosines = np.concatenate([self._cosines, *(each.cosines(self._query) for each in fresh)])
            self._compared += len(fresh)
        return self._cosines[slots]


def _best_first(rows: Rows, scores: Scores, limit: int) -> tuple[Rows, Scores]:
    order = np.lexsort((rows, -scores))[:limit]
    return rows[order], scores[order]
