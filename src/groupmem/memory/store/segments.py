"""The lexical index on disk: which segment files there are is in the database, so a file counts from its commit on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from groupmem.memory.index.arrays import map_arrays, write_arrays
from groupmem.memory.index.lexical import LexicalIndex
from groupmem.memory.index.postings import Segment, build, merge
from groupmem.memory.store.columns import Columns
from groupmem.memory.store.database import take_number, transaction
from groupmem.memory.store.documents import Documents

TAIL_ENTRIES = 1024
"""Entries beyond the watermark at which a writer makes a segment of them."""

_AT_ONCE = 16_384
_GROWTH = 4  # a segment so many times as long as all that follows it is left alone
_TAIL_SEGMENTS = 8


class Segments:
    """The segment files of a memory, and its tail: the entries beyond them, which are read from the database."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, documents: Documents) -> None:
        self._connection = connection
        self._folder = folder
        self._documents = documents
        self._mapped: dict[str, Segment] = {}
        self._tail: list[Segment] = []
        self._tail_after = -1

    @property
    def watermark(self) -> int:
        """The last entry that the files hold."""
        return int(self._connection.execute("SELECT value FROM meta WHERE key = 'indexed'").fetchone()[0])

    def files(self) -> list[str]:
        """The names of the files that count, in the order of their entries."""
        return [file for (file,) in self._connection.execute("SELECT file FROM segments ORDER BY first")]

    def read(self, columns: Columns) -> LexicalIndex:
        """Files and tail, as of the caller's snapshot, of which these are the columns.

        Raises FileNotFoundError for a file that was replaced meanwhile, DamagedIndexError for a broken one.
        """
        return LexicalIndex([*self._read_files(), *self._read_tail(columns)])

    def write_pending(self, columns: Columns) -> None:
        """Makes a segment file of what lies beyond the watermark, together with the short segments before it."""
        alive = columns.entry_mask(~columns.deleted)
        for fresh in self._segments_after(columns, self.watermark):
            segments = self._read_files()
            first, size = len(segments), _length(fresh)
            while first and _length(segments[first - 1]) < _GROWTH * size:
                first -= 1
                size += _length(segments[first])
            self._replace(first, merge([*segments[first:], fresh], alive) if first < len(segments) else fresh)

    def compact(self, columns: Columns) -> None:
        """Writes the files without the entries that are no longer the newest state of a message."""
        alive = columns.entry_mask(~columns.deleted)
        segments = self._read_files()
        if LexicalIndex(segments).dead(alive):
            self._replace(0, merge(segments, alive))

    def rebuild(self, columns: Columns) -> None:
        """Makes the files again from the messages; the old ones, which are not read, count until that is done."""
        fresh = list(self._segments_after(columns, -1))
        if fresh:
            self._replace(0, _merge_whole(fresh))

    def _segments_after(self, columns: Columns, entry: int) -> Iterator[Segment]:
        rows = columns.unindexed(entry)
        for start in range(0, len(rows), _AT_ONCE):
            documents = self._documents.of(rows[start : start + _AT_ONCE])
            if documents:
                entries, marks = [each.entry for each in documents], [each.marks for each in documents]
                yield build(entries, [(each.content, each.context) for each in documents], marks)

    def _replace(self, kept: int, segment: Segment) -> None:
        """Puts one segment in the place of all but the first `kept`; only then are their files removed."""
        replaced = self.files()[kept:]
        file = f"lexical-{take_number(self._connection, 'next_file')}.postings"
        write_arrays(self._folder / file, segment.arrays())
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM segments WHERE file = ?", [(name,) for name in replaced])
            self._connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (segment.first, segment.last, file))
            self._connection.execute("UPDATE meta SET value = max(value, ?) WHERE key = 'indexed'", (segment.last,))
        for name in replaced:
            self._mapped.pop(name, None)
            (self._folder / name).unlink(missing_ok=True)

    def _read_files(self) -> list[Segment]:
        files = self.files()
        for file in files:
            if file not in self._mapped:
                self._mapped[file] = Segment.of_arrays(map_arrays(self._folder / file))
        self._mapped = {file: self._mapped[file] for file in files}
        return list(self._mapped.values())

    def _read_tail(self, columns: Columns) -> list[Segment]:
        """The entries beyond the watermark; those that were read before are kept."""
        watermark = self.watermark
        if watermark != self._tail_after:
            self._tail, self._tail_after = [], watermark
        self._tail += self._segments_after(columns, self._tail[-1].last if self._tail else watermark)
        if len(self._tail) > _TAIL_SEGMENTS:
            self._tail = [_merge_whole(self._tail)]
        return self._tail


def _merge_whole(segments: list[Segment]) -> Segment:
    return merge(segments, np.ones(segments[-1].last + 1, dtype=np.bool_))


def _length(segment: Segment) -> int:
    return segment.last - segment.first + 1
