"""Messages by time: in their channel, and below the message that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import Mask
from groupmem.memory.store.base import NO_ROW, Rows
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

    def neighbours(self, visible: Mask) -> Neighbours:
        """Who stands beside whom among the visible rows."""
        seen = np.flatnonzero(visible[self.by_time])
        return Neighbours(self, seen, np.concatenate([[NO_ROW], self.by_time[seen], [NO_ROW]]))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The visible rows of a channel by time, between two that are none; `seen` are their places in the whole order."""

    order: TimeOrder
    seen: NDArray[np.intp]
    padded: Rows

    def of(self, rows: Rows) -> tuple[Rows, Rows]:
        """The visible rows before and after each of these visible ones, `NO_ROW` where there is none."""
        places = np.searchsorted(self.seen, self.order.rank(rows))
        return self.padded[places], self.padded[places + 2]


class AnswerLists:
    """The answers of every message, by time."""

    def __init__(self, columns: Columns) -> None:
        answering = np.flatnonzero(columns.parent >= 0)
        answering = answering[time_order(columns, answering)]
        self._answers: Rows = answering[np.argsort(columns.parent[answering], kind="stable")]
        self._parents = columns.parent[self._answers]

    def of(self, rows: Rows, visible: Mask) -> Lists:
        """The visible answers of each of these rows."""
        starts = np.searchsorted(self._parents, rows, side="left")
        sizes = np.searchsorted(self._parents, rows, side="right") - starts
        places = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        answers, owners = self._answers[places], np.repeat(np.arange(len(rows)), sizes)
        seen = visible[answers]
        return Lists(answers[seen], np.bincount(owners[seen], minlength=len(rows)))


class Lists(Sequence[Rows]):
    """Lists of rows of different lengths, one after the other in one array."""

    def __init__(self, rows: Rows, sizes: NDArray[np.intp]) -> None:
        self._rows = rows
        self._ends = np.cumsum(sizes)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> Rows: ...
    @overload
    def __getitem__(self, place: slice) -> list[Rows]: ...
    def __getitem__(self, place: int | slice) -> Rows | list[Rows]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        return self._rows[self._ends[place - 1] if place else 0 : self._ends[place]]
