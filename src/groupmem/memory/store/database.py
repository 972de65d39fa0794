"""The database file: opening it, transactions, and texts that SQLite cannot hold as text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from groupmem.errors import InputError

SCHEMA_VERSION = 2
APPLICATION_ID = 1735224685
_BUSY_SECONDS = 30.0

Stored = str | bytes


def open_database(path: Path) -> sqlite3.Connection:
    """A connection to the memory at `path`, which is made where there is none.

    Every commit is on the disk before it returns, and what is deleted is overwritten. Raises InputError for a file that
    is no memory, or one of another version.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{path}: the memory cannot be opened ({error}); name another file") from error
    try:
        _check(connection, path)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        if _pragma(connection, "user_version") == 0:
            schema = files("groupmem.memory").joinpath("schema.sql").read_text("utf-8")
            connection.executescript(f"BEGIN IMMEDIATE; {schema} COMMIT;")
    except sqlite3.Error as error:
        connection.close()
        raise InputError(f"{path}: not a memory of groupmem ({error}); name another file") from error
    except InputError:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    is_empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and not is_empty:
        raise InputError(f"{path}: a database, but not a memory of groupmem; name another file")
    if version not in (0, SCHEMA_VERSION):
        raise InputError(
            f"{path}: a memory of schema version {version}, this groupmem reads {SCHEMA_VERSION}; "
            "use the groupmem that wrote it, or import the messages into a new file"
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written in the block, or nothing of it. Must not be nested."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is read in the block is of one moment. Must not be nested."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def stored(text: str) -> Stored:
    """A text as SQLite takes it: half a surrogate pair, which exports hold now and then, is no text to it."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def restored(value: Stored) -> str:
    """The text that was stored."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


class Counters:
    """Numbers that are never given twice, from the counters in `meta`.

    Numbers taken in a transaction are kept in memory until `save`, which is part of the same transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._next: dict[str, int] = {}

    def take(self, counter: str) -> int:
        """The next number."""
        if counter not in self._next:
            found = self._connection.execute("SELECT value FROM meta WHERE key = ?", (counter,))
            self._next[counter] = int(found.fetchone()[0])
        self._next[counter] += 1
        return self._next[counter] - 1

    def save(self) -> None:
        """Writes down which numbers were taken."""
        taken = [(value, counter) for counter, value in self._next.items()]
        self._connection.executemany("UPDATE meta SET value = ? WHERE key = ?", taken)
        self._next.clear()

    def forget(self) -> None:
        """Gives back what was taken: the transaction failed."""
        self._next.clear()


def take_number(connection: sqlite3.Connection, counter: str) -> int:
    """The next number of a counter, written down at once."""
    found = connection.execute("UPDATE meta SET value = value + 1 WHERE key = ? RETURNING value", (counter,))
    return int(found.fetchone()[0]) - 1
