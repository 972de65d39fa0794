"""The mask: which messages one asker may see at one moment. Everything else that a view knows is computed under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.lexical import Extent
from groupmem.memory.index.postings import Mask
from groupmem.memory.notes.people import Directory
from groupmem.memory.store.base import NO_ROW, Rows
from groupmem.memory.store.reader import Reader
from groupmem.memory.store.rows import micros
from groupmem.memory.store.setting import Room, Setting
from groupmem.memory.store.state import State
from groupmem.memory.store.tally import Tally
from groupmem.types import Channel, Person

THREADED_SHARE = 0.2
"""The share of a channel's visible messages that answer others from which it counts as using replies."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rooms may be entered, and at which moment. Askers who may enter the same rooms have the same scope.

    `has_vectors` says whether vectors are searched; then messages beyond the entry `newest_vector` (None: all are near
    enough) are not there yet.
    """

    rooms: frozenset[int]
    until: datetime | None
    has_vectors: bool = False
    newest_vector: int | None = None


class Sight:
    """The visible rows of a state in a scope, and what is counted under them."""

    def __init__(self, state: State, scope: Scope, setting: Setting, reader: Reader) -> None:
        self.state = state
        self.scope = scope
        self.people: Mapping[str, Person] = setting.people
        self.directory: Directory = setting.directory(scope.rooms)
        self.rooms: Mapping[int, Room] = {number: setting.rooms[number] for number in scope.rooms}
        self._reader = reader
        self._before = np.empty(state.columns.count, dtype=np.int32)  # of rows in channels that are ordered
        self._after = np.empty(state.columns.count, dtype=np.int32)
        self._extents: dict[str, Extent] = {}
        columns = state.columns
        size = max((int(columns.channel.max(initial=0)), *scope.rooms)) + 1
        allowed = np.zeros(size, dtype=np.bool_)
        allowed[list(scope.rooms)] = True
        self._is_ordered = np.zeros(size, dtype=np.bool_)
        self.mask: Mask = allowed[columns.channel] & ~columns.deleted
        if scope.until is not None:
            self.mask &= columns.sent_at <= micros(scope.until)[0]  # NO_TIME is before all times
        if scope.newest_vector is not None:
            self.mask &= columns.vector_entry <= scope.newest_vector

    @cached_property
    def rows(self) -> Rows:
        """The visible rows, ascending."""
        return np.flatnonzero(self.mask)

    @cached_property
    def entries(self) -> Mask:
        """The visible entries of the lexical index."""
        return self.state.columns.entry_mask(self.mask)

    @cached_property
    def vector_entries(self) -> Mask:
        """The visible entries of the vectors."""
        return self.state.columns.vector_mask(self.mask)

    @cached_property
    def channels(self) -> Sequence[Channel]:
        """The rooms that the setting lists, and others in which something visible was said, by id."""
        rooms = [room for room in self.rooms.values() if room.is_listed or self._spoken(room.number)]
        return tuple(sorted((room.channel for room in rooms), key=lambda channel: channel.id))

    @cached_property
    def channel_places(self) -> NDArray[np.int32]:
        """The place of each channel number in `channels`."""
        places = {channel.id: place for place, channel in enumerate(self.channels)}
        found = np.full(max(self.rooms, default=0) + 1, NO_ROW, dtype=np.int32)
        for number, room in self.rooms.items():
            found[number] = places.get(room.channel.id, NO_ROW)
        return found

    def channel_number(self, place: int) -> int:
        """The number of the channel at a place of `channels`."""
        return int(np.flatnonzero(self.channel_places == place)[0])

    @cached_property
    def threaded(self) -> Mask:
        """Whether each channel number uses replies."""
        answering = self.rows[self.seen_or_none(self.state.columns.parent[self.rows]) >= 0]
        size = len(self._counts)
        answers = np.bincount(self.state.columns.channel[answering], minlength=size)
        return np.asarray(answers >= THREADED_SHARE * np.maximum(self._counts, 1), dtype=np.bool_)

    def sees(self, row: int) -> bool:
        """Whether a row is visible."""
        return row < len(self.mask) and bool(self.mask[row])

    def check(self, rows: Rows) -> None:
        """Raises ValueError where a row is not visible: rows come from the view that is asked about them."""
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self.mask) or not self.mask[rows].all()):
            raise ValueError("a row that this view does not show was asked for")

    def seen_or_none(self, rows: NDArray[np.int32]) -> Rows:
        """These rows, `NO_ROW` in the place of those that are not visible."""
        found = rows.astype(np.int64)
        found[(found >= 0) & ~self.mask[found]] = NO_ROW
        return found

    def around(self, rows: Rows) -> tuple[Rows, Rows]:
        """The visible messages before and after each of these in its channel."""
        channels = self.state.columns.channel[rows]
        for channel in set(channels[~self._is_ordered[channels]].tolist()):
            seen, before, after = self.state.by_time(channel).neighbours(self.mask)
            self._before[seen], self._after[seen] = before, after
            self._is_ordered[channel] = True
        return self._before[rows].astype(np.int64), self._after[rows].astype(np.int64)

    def where(self, column: NDArray[np.int32], number: int) -> Rows:
        """The visible rows with this number in a column, ascending."""
        return np.flatnonzero((column == number) & self.mask)

    def extent(self, field: str) -> Extent:
        """How much of a field of the lexical index is visible."""
        if field not in self._extents:
            self._extents[field] = self.state.lexical.extent(field, self.entries)
        return self._extents[field]

    def threads(self, rows: Rows) -> Rows:
        """The first visible message, by time, of the thread of each of these."""
        roots = self.state.columns.thread[rows].astype(np.int64)
        hidden = ~self.mask[roots]
        for root in np.unique(roots[hidden]) if hidden.any() else ():
            seen = self.in_thread(int(root))
            channel = int(self.state.columns.channel[root])
            roots[roots == root] = self.state.by_time(channel).first(seen)
        return roots

    def in_thread(self, root: int) -> Rows:
        """The visible messages of the thread of this row, ascending."""
        return self.where(self.state.columns.thread, int(self.state.columns.thread[root]))

    @cached_property
    def authors(self) -> Tally:
        """Who wrote the visible messages."""
        return Tally(self.state.columns.author[self.rows], self._reader.label)

    @cached_property
    def roles(self) -> Tally:
        """In which roles they were written."""
        return Tally(self.spoken_roles(self.rows), self._reader.label)

    @cached_property
    def phases(self) -> Tally:
        """In which phases."""
        return Tally(self.state.columns.phase[self.rows], self._reader.label)

    @cached_property
    def topics(self) -> Tally:
        """On which topics."""
        return Tally(self.state.columns.topic[self.rows], self._reader.label)

    @cached_property
    def spoken_of(self) -> Tally:
        """Of whom."""
        return Tally(self.state.columns.spoken_of[self.rows], self._reader.label)

    def spoken_roles(self, rows: Rows) -> NDArray[np.int32]:
        """The label of the role in which each of these was written, be it the message's or the author's."""
        columns = self.state.columns
        return self._reader.spoken_roles(columns.role[rows], columns.author[rows], self.people)

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.bincount(self.state.columns.channel[self.rows])

    def _spoken(self, number: int) -> bool:
        return number < len(self._counts) and bool(self._counts[number])
