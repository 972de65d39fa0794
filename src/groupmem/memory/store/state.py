"""One moment of a memory as this process has it: columns, indexes, and what they say of each other."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path

import numpy as np

from groupmem.memory.index.arrays import DamagedIndexError
from groupmem.memory.index.lexical import LexicalIndex
from groupmem.memory.index.vectors import Block
from groupmem.memory.store.base import Rows
from groupmem.memory.store.columns import Columns
from groupmem.memory.store.database import snapshot
from groupmem.memory.store.generations import Generation, Generations
from groupmem.memory.store.order import AnswerLists, TimeOrder
from groupmem.memory.store.segments import Segments
from groupmem.memory.store.setting import Setting

_ATTEMPTS = 20


class State:
    """A moment. An instance never changes. `number` tells moments of this process apart."""

    def __init__(
        self,
        number: int,
        columns: Columns,
        lexical: LexicalIndex,
        generation: Generation | None,
        blocks: list[Block],
    ) -> None:
        self.number = number
        self.columns = columns
        self.lexical = lexical
        self.generation = generation
        self.blocks = blocks
        self._by_time: dict[int, TimeOrder] = {}

    @property
    def embedded(self) -> int:
        """The watermark of the vectors."""
        return -1 if self.generation is None else self.generation.embedded

    @cached_property
    def awaiting(self) -> int:
        """How many messages lie beyond the watermark of the vectors."""
        return len(self.columns.unembedded(self.embedded))

    @cached_property
    def row_of(self) -> Rows:
        """The row that each entry, lexical or of a vector, is or was a state of."""
        rows = np.zeros(self.columns.entries, dtype=np.int64)
        numbers = np.arange(self.columns.count)
        rows[self.columns.vector_entry] = numbers
        rows[self.columns.entry] = numbers
        return rows

    def by_time(self, channel: int) -> TimeOrder:
        """The order of time in a channel."""
        if channel not in self._by_time:
            self._by_time[channel] = TimeOrder.of(self.columns, np.flatnonzero(self.columns.channel == channel))
        return self._by_time[channel]

    @cached_property
    def answers(self) -> AnswerLists:
        """Which messages answer which."""
        return AnswerLists(self.columns)


class Moments:
    """Keeps the newest state: `refresh` looks whether the database has changed, which costs microseconds."""

    def __init__(
        self, connection: sqlite3.Connection, setting: Setting, segments: Segments, generations: Generations
    ) -> None:
        self._connection = connection
        self._setting = setting
        self._segments = segments
        self._generations = generations
        self._seen: tuple[int, int] | None = None
        self._last_change = 0
        self._columns = Columns.empty()
        self.state = State(0, self._columns, LexicalIndex([]), None, [])

    def refresh(self) -> State:
        """The newest state, with the setting that belongs to it."""
        for attempt in range(1, _ATTEMPTS + 1):
            version = self._connection.execute("PRAGMA data_version").fetchone()[0], self._connection.total_changes
            if version == self._seen:
                break
            try:
                with snapshot(self._connection):
                    self.state = self._read()
                self._seen = version
            except FileNotFoundError as error:  # a writer has just replaced it: the next snapshot names the new one
                if attempt == _ATTEMPTS:
                    raise DamagedIndexError(Path(error.filename), "it is missing") from error
        return self.state

    def columns(self) -> Columns:
        """The newest columns alone; to be called under the write lock."""
        with snapshot(self._connection):
            self._columns = self._refresh_columns()
        return self._columns

    def _read(self) -> State:
        self._columns = self._refresh_columns()
        self._setting.refresh()
        generation = self._generations.in_use()
        blocks = [] if generation is None else self._generations.read(generation)
        lexical = self._segments.read(self._columns)
        return State(self.state.number + 1, self._columns, lexical, generation, blocks)

    def _refresh_columns(self) -> Columns:
        forgotten = self._connection.execute("SELECT value FROM meta WHERE key = 'forgotten_changes'").fetchone()[0]
        columns = self._columns if self._last_change >= forgotten else Columns.empty()
        changed = self._connection.execute(
            "SELECT number, row FROM changes WHERE number > ? ORDER BY number", (self._last_change,)
        ).fetchall()
        self._last_change = changed[-1][0] if changed else max(self._last_change, forgotten)
        return columns.refreshed(self._connection, [row for _, row in changed])
