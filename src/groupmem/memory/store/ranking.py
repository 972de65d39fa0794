"""Scores of visible messages for one query: the two rankings that a view gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import Mask
from groupmem.memory.index.top import at_least_best
from groupmem.memory.index.vectors import Block, nearest
from groupmem.memory.store.base import Rows, Scores
from groupmem.memory.store.state import State


class LexicalRanking:
    """BM25 scores, which are known for all entries at once."""

    def __init__(self, state: State, scores: NDArray[np.float32]) -> None:
        self._state = state
        self._scores = scores

    def top(self, limit: int) -> tuple[Rows, Scores]:
        """See `base.Ranking`."""
        found = at_least_best(self._scores, limit)
        return _best_first(self._state.row_of[found], self._scores[found], limit)

    def at(self, rows: Rows) -> Scores:
        """See `base.Ranking`."""
        return self._scores[self._state.columns.entry[rows]]


class VectorRanking:
    """Cosines, which are computed for what is asked for."""

    def __init__(self, state: State, query: NDArray[np.float32], mask: Mask, blocks: Callable[[], list[Block]]) -> None:
        self._state = state
        self._query = np.asarray(query, dtype=np.float32)
        self._mask = mask
        self._read_blocks = blocks
        self._known: Rows = np.empty(0, dtype=np.int64)
        self._cosines: Scores = np.empty(0, dtype=np.float32)

    @cached_property
    def _blocks(self) -> list[Block]:
        return self._read_blocks()

    def top(self, limit: int) -> tuple[Rows, Scores]:
        """See `base.Ranking`."""
        entries, cosines = nearest(self._blocks, self._query, self._mask, limit)
        above = cosines > 0
        return _best_first(self._state.row_of[entries[above]], cosines[above], limit)

    def at(self, rows: Rows) -> Scores:
        """See `base.Ranking`. Rows are mostly asked for several times, in growing company: each is computed once."""
        missing = np.setdiff1d(rows, self._known)
        if len(missing):
            known = np.concatenate([self._known, missing])
            order = np.argsort(known)
            self._known = known[order]
            self._cosines = np.concatenate([self._cosines, self._compute(missing)])[order]
        return self._cosines[np.searchsorted(self._known, rows)]

    def _compute(self, rows: Rows) -> Scores:
        entries = self._state.columns.vector_entry[rows]
        cosines = np.zeros(len(rows), dtype=np.float32)
        channels = self._state.columns.channel[rows]
        for block in self._blocks:
            here = np.flatnonzero((channels == block.channel) & self._mask[entries])
            if len(here):
                cosines[here] = np.maximum(cosines[here], block.of(entries[here], self._query))
        return cosines


def _best_first(rows: Rows, scores: Scores, limit: int) -> tuple[Rows, Scores]:
    order = np.lexsort((rows, -scores))[:limit]
    return rows[order], scores[order]
