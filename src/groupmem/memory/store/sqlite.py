"""The store that keeps a memory in one SQLite file, with its indexes in a folder beside it."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from groupmem.errors import InputError, ModelError
from groupmem.memory.notes import note
from groupmem.memory.store import compaction
from groupmem.memory.store.base import Added, Linker
from groupmem.memory.store.collector import waiting_collector
from groupmem.memory.store.database import Counters, open_database, transaction
from groupmem.memory.store.documents import Documents
from groupmem.memory.store.generations import BATCH_MESSAGES, MOST_TAIL, EmbeddingMismatchError, Generations
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.late import LateRows
from groupmem.memory.store.lock import BusyError, WriteLock
from groupmem.memory.store.noting import Noting
from groupmem.memory.store.reader import Reader
from groupmem.memory.store.segments import TAIL_ENTRIES, Segments
from groupmem.memory.store.setting import Setting
from groupmem.memory.store.sight import Scope, Sight
from groupmem.memory.store.state import Moments, State
from groupmem.memory.store.status import Status, read_status
from groupmem.memory.store.view import ScopedView
from groupmem.memory.store.writing import Writer
from groupmem.models.base import EmbeddingModel
from groupmem.types import Channel, Message, Person

_LOCK = "write.lock"
_SCOPES = 8
_RENEWED_AT_ONCE = 1000


class SqliteStore:
    """One workspace of a memory; see `base.Store`. Not safe to use from several threads at once.

    Several processes may read while one writes; a second writer waits, and raises BusyError when that takes too long.
    Without an embedding model messages are found by their words alone. Raises InputError for a file that is no memory,
    EmbeddingMismatchError for one whose vectors another model made.
    """

    def __init__(
        self, path: Path, *, link: Linker, workspace: str = "default", embedding: EmbeddingModel | None = None
    ) -> None:
        self._path = path
        self._folder = path.with_name(f"{path.name}.index")
        self._lock = WriteLock(self._folder / _LOCK)
        self._connection = connection = open_database(path)
        self._labels = Labels(connection)
        self._setting = Setting(connection, workspace)
        late = LateRows(connection)
        self._noting = Noting(late, self._labels, self._setting, note, link)
        self._counters = Counters(connection)
        self._writer = Writer(late, self._counters, self._labels, self._setting, self._noting)
        self._segments = Segments(connection, self._folder, Documents(connection, self._labels))
        self._generations = Generations(connection, self._folder)
        self._moments = Moments(connection, self._setting, self._segments, self._generations)
        self._seen_of = self._moments.state
        self._use(embedding)
        self._others = self._version_by_others()

    # -- writing -------------------------------------------------------------------------------------------------------

    def add(self, messages: Sequence[Message]) -> Added:
        """See `base.Store.add`. Raises ModelError where the messages are stored and their vectors could not be made."""
        with self._writing():
            with waiting_collector(), self._transaction():
                if self._embedding is not None:
                    self._generations.stamp(self._embedding)
                added = self._writer.add(messages)
            self._write_words(TAIL_ENTRIES)
            self._write_vectors(BATCH_MESSAGES)
        return added

    def edit(self, channel: str, message: str, text: str, edited_at: datetime | None = None) -> bool:
        """Replaces the text of a message; False where there is none, or it is deleted. Raises as `add` does."""
        with self._writing():
            with self._transaction():
                found = self._writer.edit(channel, message, text, edited_at)
            self._write_words(TAIL_ENTRIES)
            self._write_vectors(BATCH_MESSAGES)
        return found

    def delete(self, channel: str, message: str) -> bool:
        """See `base.Store.delete`. After many deletions the memory is compacted by itself."""
        with self._writing():
            with self._transaction():
                deleted = self._writer.delete(channel, message)
            if compaction.is_due(self._connection):
                with suppress(BusyError):  # it stays due
                    self.compact()
        return deleted

    def set_people(self, people: Iterable[Person]) -> None:
        """Adds or replaces people by their ids."""
        with self._writing(), self._transaction():
            self._writer.put_people(people)

    def set_channels(self, channels: Iterable[Channel]) -> None:
        """Adds or replaces channels, with their members, by their ids."""
        with self._writing(), self._transaction():
            self._writer.put_channels(channels)

    # -- indexes -------------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """See `base.Store.flush`. Raises ModelError; what was done until then counts."""
        with self._writing():
            self._write_words(1)
            self._write_vectors(1)
            self._sweep()

    def compact(self) -> None:
        """See `base.Store.compact`. Raises BusyError where another process reads all the while."""
        with self._writing():
            self._write_words(1)
            columns = self._moments.columns()
            self._segments.compact(columns)
            self._generations.compact(columns)
            compaction.purge_tables(self._connection)
            self._labels.forget()
            self._sweep()
            compaction.rewrite_database(self._connection, self._path)

    def rebuild(self) -> None:
        """Makes notes, links and indexes again from the messages; the vectors only where their files are damaged."""
        with self._writing():
            self._writer.forget()  # it is made again from what is written, whatever is remembered
            count = self._connection.execute("SELECT value FROM meta WHERE key = 'next_row'").fetchone()[0]
            for start in range(0, count, _RENEWED_AT_ONCE):
                with self._transaction():
                    self._writer.renew(range(start, min(start + _RENEWED_AT_ONCE, count)))
            self._segments.rebuild(self._moments.columns())
            self._generations.mend()
            self._write_vectors(1)
            self._sweep()

    def reembed(self, embedding: EmbeddingModel) -> None:
        """Makes the vectors again with this model, and uses it from then on. Cut off, it goes on where it was."""
        with self._writing():
            self._generations.reembed(embedding, self._moments.columns())
            self._use(embedding)
            self._sweep()

    # -- reading -------------------------------------------------------------------------------------------------------

    def view(self, asker: str | None, until: datetime | None = None) -> ScopedView:
        """See `base.Store.view`."""
        state = self._moments.refresh()
        if self._embedding is not None and state.awaiting > MOST_TAIL:
            with suppress(BusyError), self._lock.held(patient=False):
                self._write_vectors(1)
            state = self._moments.refresh()
        return ScopedView(self._sight(state, self._scope(state, asker, until)), self._reader, asker)

    def status(self) -> Status:
        """How much the memory holds and how far its indexes are."""
        self._moments.refresh()
        return read_status(self._connection, self._path, self._folder, self._setting.workspace)

    def close(self) -> None:
        """Closes the files; what the indexes lack is made by whoever opens the memory next."""
        self._connection.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _use(self, embedding: EmbeddingModel | None) -> None:
        try:
            if embedding is not None:
                self._generations.check(embedding)
        except EmbeddingMismatchError:
            self.close()
            raise
        self._embedding = embedding
        self._reader = Reader(self._connection, self._labels, self._generations, embedding)
        self._seen: OrderedDict[Scope, Sight] = OrderedDict()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the write lock, with nothing remembered that others have changed since."""
        with self._lock.held():
            others = self._version_by_others()
            if others != self._others:
                self._writer.forget()
                self._labels.forget()
                self._others = others
            try:
                yield
            except sqlite3.OperationalError as error:
                raise InputError(f"{self._path}: the memory cannot be written ({error})") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction on people, channels and messages; what was remembered of a failed one is forgotten."""
        try:
            with transaction(self._connection):
                self._setting.refresh()
                yield
                self._counters.save()
        except BaseException:
            for remembering in (self._counters, self._writer, self._labels, self._setting):
                remembering.forget()
            raise

    def _write_words(self, least: int) -> None:
        """Brings the lexical index up to date where at least so many entries lie beyond its watermark."""
        columns = self._moments.columns()
        if len(columns.unindexed(self._segments.watermark)) >= least:
            with waiting_collector():
                self._segments.write_pending(columns)

    def _write_vectors(self, least: int) -> None:
        """Makes vectors where at least so many messages have none, and there is a model."""
        columns, generation = self._moments.columns(), self._generations.in_use()
        if self._embedding is None or generation is None or len(columns.unembedded(generation.embedded)) < least:
            return
        try:
            self._generations.write_pending(self._embedding, columns)
        except ModelError as error:
            raise ModelError(f"{error}; the messages are stored, and `flush` makes their vectors") from error

    def _sweep(self) -> None:
        compaction.sweep(self._folder, {*self._segments.files(), *self._generations.files(), _LOCK})

    def _version_by_others(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _scope(self, state: State, asker: str | None, until: datetime | None) -> Scope:
        has_vectors = self._embedding is not None and state.generation is not None
        return Scope(
            rooms=self._setting.visible(asker),
            until=until,
            has_vectors=has_vectors,
            newest_vector=state.embedded if has_vectors and state.awaiting > MOST_TAIL else None,
        )

    def _sight(self, state: State, scope: Scope) -> Sight:
        """What is seen in a scope; the last ones are kept as long as the state is the newest."""
        if state is not self._seen_of:
            self._seen.clear()
            self._seen_of = state
        if scope not in self._seen:
            self._seen[scope] = Sight(state, scope, self._setting, self._reader)
            if len(self._seen) > _SCOPES:
                self._seen.popitem(last=False)
        return self._seen[scope]
