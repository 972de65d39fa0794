"""Messages by time: in their channel, and below the message that they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import Mask
from groupmem.memory.store.base import NO_ROW, Lists, Rows
from groupmem.memory.store.columns import Columns


def time_order(columns: Columns, rows: Rows) -> NDArray[np.intp]:
    """The places of ascending rows when they are ordered by time; mostly they are already."""
    sort_at, position = columns.sort_at[rows], columns.position[rows]
    later, same = np.diff(sort_at) > 0, np.diff(sort_at) == 0
    if np.all(later | (same & (np.diff(position) >= 0))):
        return np.arange(len(rows))
    return np.lexsort((rows, position, sort_at))


@dataclass(frozen=True, slots=True)
class TimeOrder:
    """The rows of a channel, ascending and by time; `ranks` are the places of the ascending ones in `by_time`."""

    rows: Rows
    by_time: Rows
    ranks: NDArray[np.intp]

    @classmethod
    def of(cls, columns: Columns, rows: Rows) -> Self:
        """The order of some ascending rows."""
        order = time_order(columns, rows)
        ranks = np.empty(len(rows), dtype=np.intp)
        ranks[order] = np.arange(len(rows))
        return cls(rows=rows, by_time=rows[order], ranks=ranks)

    def rank(self, rows: Rows) -> NDArray[np.intp]:
        """The places of these rows in `by_time`."""
        return self.ranks[np.searchsorted(self.rows, rows)]

    def first(self, rows: Rows) -> int:
        """The first of these rows by time."""
        return int(rows[np.argmin(self.rank(rows))])

    def neighbours(self, visible: Mask) -> tuple[Rows, Rows, Rows]:
        """The visible rows by time, and of each the one before and the one after it, `NO_ROW` where there is none."""
        seen = self.by_time[visible[self.by_time]]
        padded = np.concatenate([[NO_ROW], seen, [NO_ROW]])
        return seen, padded[:-2], padded[2:]


class AnswerLists:
    """The answers of every message, by time."""

    def __init__(self, columns: Columns) -> None:
        answering = np.flatnonzero(columns.parent >= 0)
        answering = answering[time_order(columns, answering)]
        self._answers: Rows = answering[np.argsort(columns.parent[answering], kind="stable")]
        sizes = np.bincount(columns.parent[answering], minlength=columns.count)
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)

    def of(self, rows: Rows, visible: Mask) -> Lists:
        """The visible answers of each of these rows."""
        starts = self._starts[rows]
        sizes = self._starts[rows + 1] - starts
        ends = np.cumsum(sizes)
        answers = self._answers[np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)]
        seen = visible[answers]
        if seen.all():
            return Lists(answers, sizes)
        owners = np.repeat(np.arange(len(rows)), sizes)
        return Lists(answers[seen], np.bincount(owners[seen], minlength=len(rows)))
