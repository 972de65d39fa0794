"""What all messages are, without their words: one array a column, in memory, indexed by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.notes.statements import KINDS
from groupmem.memory.store.base import NO_ROW, Rows
from groupmem.memory.store.rows import numbers_json

NO_TIME = -(1 << 63)
_DTYPES: Mapping[str, Any] = {
    "channel": np.int32,
    "author": np.int32,
    "role": np.int32,
    "phase": np.int32,
    "topic": np.int32,
    "spoken_of": np.int32,
    "sent_at": np.int64,
    "sort_at": np.int64,
    "position": np.int64,
    "is_bot": np.bool_,
    "words": np.int32,
    "parent": np.int32,
    "thread": np.int32,
    "kinds_1": np.int64,
    "kinds_2": np.int64,
    "entry": np.int64,
    "vector_entry": np.int64,
    "deleted": np.bool_,
}
_OPTIONAL = ("author", "role", "phase", "topic", "spoken_of", "parent")
_WANTED = ", ".join(
    {"sent_at": f"coalesce(sent_at, {NO_TIME})"}.get(name, f"coalesce({name}, {NO_ROW})" if name in _OPTIONAL else name)
    for name in _DTYPES
)
_AT_ONCE = 50_000


class Columns:
    """The columns of the first `count` rows. An instance never changes; a later one may share its memory."""

    def __init__(self, count: int, buffers: Mapping[str, NDArray[Any]]) -> None:
        self.count = count
        self._buffers = buffers
        self.channel: NDArray[np.int32] = buffers["channel"][:count]
        self.author: NDArray[np.int32] = buffers["author"][:count]
        self.role: NDArray[np.int32] = buffers["role"][:count]
        self.phase: NDArray[np.int32] = buffers["phase"][:count]
        self.topic: NDArray[np.int32] = buffers["topic"][:count]
        self.spoken_of: NDArray[np.int32] = buffers["spoken_of"][:count]
        self.sent_at: NDArray[np.int64] = buffers["sent_at"][:count]
        self.sort_at: NDArray[np.int64] = buffers["sort_at"][:count]
        self.position: NDArray[np.int64] = buffers["position"][:count]
        self.is_bot: NDArray[np.bool_] = buffers["is_bot"][:count]
        self.words: NDArray[np.int32] = buffers["words"][:count]
        self.parent: NDArray[np.int32] = buffers["parent"][:count]
        self.thread: NDArray[np.int32] = buffers["thread"][:count]
        self.kinds_1: NDArray[np.int64] = buffers["kinds_1"][:count]
        self.kinds_2: NDArray[np.int64] = buffers["kinds_2"][:count]
        self.entry: NDArray[np.int64] = buffers["entry"][:count]
        self.vector_entry: NDArray[np.int64] = buffers["vector_entry"][:count]
        self.deleted: NDArray[np.bool_] = buffers["deleted"][:count]

    def statements(self, rows: Rows) -> NDArray[np.float32]:
        """(n, kinds): how surely each of these messages makes a statement of each of `KINDS`."""
        packed = np.stack([self.kinds_1[rows], self.kinds_2[rows]], axis=1).astype("<i8")
        return packed.view(np.uint8)[:, : len(KINDS)].astype(np.float32) / np.float32(255)

    @cached_property
    def entries(self) -> int:
        """How many entry numbers have been given: the last one given is always the newest state of some row."""
        return int(self.entry.max(initial=-1)) + 1

    def entry_mask(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Over the entries: the newest states of these rows (a mask)."""
        mask = np.zeros(self.entries, dtype=np.bool_)
        mask[self.entry[rows]] = True
        return mask

    def vector_mask(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Over the entries: the newest states of the texts of these rows (a mask)."""
        mask = np.zeros(self.entries, dtype=np.bool_)
        mask[self.vector_entry[rows]] = True
        return mask

    def unindexed(self, watermark: int) -> Rows:
        """The rows, not deleted, whose newest state lies beyond a watermark, by its number."""
        return self._beyond(self.entry, watermark)

    def unembedded(self, watermark: int) -> Rows:
        """The same of the newest states of texts."""
        return self._beyond(self.vector_entry, watermark)

    def _beyond(self, numbers: NDArray[np.int64], watermark: int) -> Rows:
        rows = np.flatnonzero((numbers > watermark) & ~self.deleted)
        return rows[np.argsort(numbers[rows])]

    @classmethod
    def empty(cls) -> Columns:
        return cls(0, {name: np.empty(0, dtype=dtype) for name, dtype in _DTYPES.items()})

    def refreshed(self, connection: sqlite3.Connection, changed: Sequence[int]) -> Columns:
        """The columns as the database has them now: further rows, and other values in the rows that `changed`."""
        columns = self._with_changed(connection, [row for row in changed if row < self.count])
        query = f"SELECT {_WANTED} FROM messages WHERE row >= ? ORDER BY row"  # noqa: S608  (names from here)
        cursor = connection.execute(query, (self.count,))
        while values := cursor.fetchmany(_AT_ONCE):
            columns = columns._extended(np.array(values, dtype=np.int64))
        return columns

    def _with_changed(self, connection: sqlite3.Connection, rows: Sequence[int]) -> Columns:
        if not rows:
            return self
        query = f"SELECT row, {_WANTED} FROM messages WHERE row IN (SELECT value FROM json_each(?))"  # noqa: S608
        values = np.array(connection.execute(query, (numbers_json(set(rows)),)).fetchall(), dtype=np.int64)
        buffers = {name: buffer[: self.count].copy() for name, buffer in self._buffers.items()}
        for place, name in enumerate(_DTYPES, 1):
            buffers[name][values[:, 0]] = values[:, place]
        return Columns(self.count, buffers)

    def _extended(self, values: NDArray[np.int64]) -> Columns:
        """With further rows, in the room that is left behind the last one, or in a copy with room for as many again."""
        count = self.count + len(values)
        buffers = self._buffers
        if count > len(buffers["channel"]):
            buffers = {name: _grown(buffer[: self.count], count) for name, buffer in buffers.items()}
        for place, name in enumerate(_DTYPES):
            buffers[name][self.count : count] = values[:, place]
        return Columns(count, buffers)


def _grown(buffer: NDArray[Any], count: int) -> NDArray[Any]:
    grown = np.empty(count + count // 4 + 1024, dtype=buffer.dtype)
    grown[: len(buffer)] = buffer
    return grown
