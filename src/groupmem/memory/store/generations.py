"""Vectors on disk: one set of blocks for each embedding model, of which one is in use.

Another set is made beside it by `reembed`, piece by piece, and takes its place when it is complete. How much of a file
counts is in the database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groupmem.errors import InputError
from groupmem.memory.index.arrays import DamagedIndexError
from groupmem.memory.index.blocks import BlockFile
from groupmem.memory.index.vectors import Block, Bytes, Numbers
from groupmem.memory.store.base import Rows
from groupmem.memory.store.columns import Columns
from groupmem.memory.store.database import Stored, restored, take_number, transaction
from groupmem.memory.store.embedding import embed_passages
from groupmem.memory.store.rows import numbers_json, readable
from groupmem.models.base import EmbeddingModel

BATCH_MESSAGES = 512
"""Messages without vectors at which a writer embeds them."""

MOST_TAIL = 2 * BATCH_MESSAGES
"""Messages without vectors that a reader embeds for itself; of more, it does not see those beyond the watermark."""

_AT_ONCE = 2048
_READ = """
    SELECT m.vector_entry, m.channel, t.text FROM messages m JOIN texts t ON t.row = m.row
    WHERE m.row IN (SELECT value FROM json_each(?)) AND m.deleted = 0 ORDER BY m.vector_entry
"""


class EmbeddingMismatchError(InputError):
    """The memory's vectors were made by another embedding model than the one it is opened with."""


class Generation(NamedTuple):
    """A set of vectors: the model that made it, and its watermark."""

    number: int
    model: str
    dimensions: int
    embedded: int


class BlockKey(NamedTuple):
    """One line of the manifest: a block's file and how many of its vectors count."""

    generation: int
    channel: int
    revision: int
    dimensions: int
    vectors: int


class Generations:
    """The vectors of a memory. Writing is done under the write lock, reading in the caller's snapshot."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._blocks: dict[BlockKey, Block] = {}
        self._tail: dict[int, tuple[int, Bytes]] = {}

    # -- models --------------------------------------------------------------------------------------------------------

    def in_use(self) -> Generation | None:
        """The set that recall reads; None where no model has been given yet."""
        return self._find("in_use = 1", ())

    def check(self, model: EmbeddingModel) -> None:
        """Raises EmbeddingMismatchError unless this model's vectors are in use, or the memory is empty."""
        found = self.in_use()
        wanted = f"the embedding model {model.name} ({model.dimensions} dimensions)"
        if found is None:
            if self._connection.execute("SELECT EXISTS (SELECT * FROM messages)").fetchone()[0]:
                raise EmbeddingMismatchError(
                    f"this memory was made without vectors, and is opened with {wanted}: run `groupmem reembed` to make"
                    " them, or open it with embedding=None"
                )
        elif (found.model, found.dimensions) != (model.name, model.dimensions):
            raise EmbeddingMismatchError(
                f"the vectors of this memory are by the embedding model {found.model} ({found.dimensions} dimensions), "
                f"and it is opened with {wanted}: name {found.model}, run `groupmem reembed` to change to {model.name},"
                " or open it with embedding=None to search by words alone"
            )

    def stamp(self, model: EmbeddingModel) -> None:
        """Makes an empty set for the model and puts it to use, where none is."""
        if self.in_use() is None:
            self._begin(model, in_use=True)

    # -- writing -------------------------------------------------------------------------------------------------------

    def write_pending(self, model: EmbeddingModel, columns: Columns) -> None:
        """Embeds what lies beyond the watermark of the set in use. Raises ModelError; what was done by then counts."""
        generation = self.in_use()
        while generation is not None and self._write_some(generation, model, columns):
            generation = self.in_use()

    def reembed(self, model: EmbeddingModel, columns: Columns) -> None:
        """Makes a set of this model from all texts and puts it to use. Cut off, it goes on where it was."""
        unfinished = self._find("in_use = 0 AND model = ? AND dimensions = ?", (model.name, model.dimensions))
        generation = unfinished or self._begin(model, in_use=False)
        self._drop("generation <> ? AND in_use = 0", generation.number)
        while self._write_some(generation, model, columns):
            generation = self._numbered(generation.number)
        with transaction(self._connection):
            self._connection.execute("UPDATE generations SET in_use = (generation = ?)", (generation.number,))
        self._drop("generation <> ?", generation.number)

    def compact(self, columns: Columns) -> None:
        """Writes the blocks without vectors of former texts and deleted messages, also those of an unfinished set."""
        alive = columns.vector_mask(~columns.deleted)
        for key in self._manifest():
            block = self._read(key)
            kept = alive[block.entries]
            if kept.all():
                continue
            fresh = key._replace(revision=take_number(self._connection, "next_file"))
            count = self._file(fresh).append(0, block.entries[kept], block.vectors[kept])
            with transaction(self._connection):
                self._connection.execute(
                    "UPDATE blocks SET revision = ?, vectors = ? WHERE generation = ? AND channel = ?",
                    (fresh.revision, count, key.generation, key.channel),
                )
            for path in self._file(key).paths:
                path.unlink(missing_ok=True)

    def mend(self) -> None:
        """Empties the sets of which a file is missing or too short, so that they are made again."""
        for key in self._manifest():
            try:
                self._read(key)
            except (DamagedIndexError, FileNotFoundError):
                with transaction(self._connection):
                    self._connection.execute("DELETE FROM blocks WHERE generation = ?", (key.generation,))
                    self._connection.execute(
                        "UPDATE generations SET embedded = -1 WHERE generation = ?", (key.generation,)
                    )

    def _write_some(self, generation: Generation, model: EmbeddingModel, columns: Columns) -> bool:
        """Embeds the next messages; whether there were any."""
        rows = self._read_texts(columns.unembedded(generation.embedded)[:_AT_ONCE])
        if not rows:
            return False
        entries = np.array([entry for entry, _, _ in rows], dtype=np.int64)
        channels = np.array([channel for _, channel, _ in rows], dtype=np.int64)
        places, vectors = embed_passages(model, [_text(text) for _, _, text in rows])
        written = [
            self._append(generation, int(channel), entries[chosen], vectors[channels[places] == channel])
            for channel in np.unique(channels[places])
            if len(chosen := places[channels[places] == channel])
        ]
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", written)
            self._connection.execute(
                "UPDATE generations SET embedded = ? WHERE generation = ?", (int(entries[-1]), generation.number)
            )
        return True

    def _append(
        self, generation: Generation, channel: int, entries: Numbers, vectors: Bytes
    ) -> tuple[int, int, int, int]:
        """Writes behind what counts of a channel's block; gives its new line of the manifest."""
        found = self._connection.execute(
            "SELECT revision, vectors FROM blocks WHERE generation = ? AND channel = ?", (generation.number, channel)
        ).fetchone()
        revision, counted = found or (take_number(self._connection, "next_file"), 0)
        file = BlockFile(self._folder, generation.number, channel, revision, generation.dimensions)
        return generation.number, channel, revision, file.append(counted, entries, vectors)

    # -- reading -------------------------------------------------------------------------------------------------------

    def read(self, generation: Generation) -> list[Block]:
        """The blocks of a set. Raises FileNotFoundError for one that was replaced meanwhile, DamagedIndexError."""
        keys = [key for key in self._manifest() if key[0] == generation.number]
        self._blocks = {key: self._blocks.get(key) or self._read(key) for key in keys}
        return list(self._blocks.values())

    def tail(self, generation: Generation, model: EmbeddingModel, columns: Columns) -> list[Block]:
        """Blocks in memory of what lies beyond the watermark, at most `MOST_TAIL` messages."""
        rows = self._read_texts(columns.unembedded(generation.embedded)[:MOST_TAIL])
        fresh = [row for row in rows if row[0] not in self._tail]
        places, vectors = embed_passages(model, [_text(text) for _, _, text in fresh])
        for place, (entry, channel, _) in enumerate(fresh):
            self._tail[entry] = channel, vectors[places == place]
        self._tail = {entry: self._tail[entry] for entry, _, _ in rows}
        return [self._tail_block(channel) for channel in sorted({channel for channel, _ in self._tail.values()})]

    def files(self) -> list[str]:
        """The names of the files that count."""
        return [path.name for key in self._manifest() for path in self._file(key).paths]

    def _read_texts(self, rows: Rows) -> list[tuple[int, int, Stored]]:
        """Entry, channel and text of messages that are not deleted, by entry."""
        return self._connection.execute(_READ, (numbers_json(rows),)).fetchall()

    def _tail_block(self, channel: int) -> Block:
        chosen = [(entry, vectors) for entry, (found, vectors) in self._tail.items() if found == channel]
        sizes = [len(vectors) for _, vectors in chosen]
        entries = np.repeat(np.array([entry for entry, _ in chosen], dtype=np.int64), sizes)
        return Block(channel=channel, entries=entries, vectors=np.concatenate([vectors for _, vectors in chosen]))

    # -- tables --------------------------------------------------------------------------------------------------------

    def _begin(self, model: EmbeddingModel, *, in_use: bool) -> Generation:
        cursor = self._connection.execute(
            "INSERT INTO generations (model, dimensions, in_use) VALUES (?, ?, ?)",
            (model.name, model.dimensions, in_use),
        )
        return self._numbered(cursor.lastrowid or 0)

    def _drop(self, condition: str, number: int) -> None:
        """Forgets other sets and removes their files."""
        query = f"SELECT generation FROM generations WHERE {condition}"  # noqa: S608  (conditions from here)
        dropped = {found for (found,) in self._connection.execute(query, (number,))}
        paths = [path for key in self._manifest() if key[0] in dropped for path in self._file(key).paths]
        with transaction(self._connection):
            for table in ("blocks", "generations"):
                self._connection.executemany(
                    f"DELETE FROM {table} WHERE generation = ?",  # noqa: S608  (names from here)
                    [(found,) for found in dropped],
                )
        for path in paths:
            path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Generation:
        found = self._find("generation = ?", (number,))
        if found is None:
            raise LookupError(f"there is no set of vectors {number}")
        return found

    def _find(self, condition: str, values: Sequence[int | str]) -> Generation | None:
        query = f"SELECT generation, model, dimensions, embedded FROM generations WHERE {condition}"  # noqa: S608
        found = self._connection.execute(query, values).fetchone()
        return None if found is None else Generation(*found)

    def _manifest(self) -> list[BlockKey]:
        found = self._connection.execute(
            "SELECT b.generation, b.channel, b.revision, g.dimensions, b.vectors FROM blocks b "
            "JOIN generations g ON g.generation = b.generation ORDER BY b.generation, b.channel"
        )
        return [BlockKey(*values) for values in found]

    def _file(self, key: BlockKey) -> BlockFile:
        return BlockFile(self._folder, key.generation, key.channel, key.revision, key.dimensions)

    def _read(self, key: BlockKey) -> Block:
        return self._file(key).read(key.vectors)


def _text(text: Stored) -> str:
    return readable(restored(text))
