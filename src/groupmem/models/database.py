"""One SQLite file, shared by the threads of a process and by processes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from groupmem.errors import InputError

_BUSY_SECONDS = 30.0


class Database:
    """A file in WAL mode, so that a killed process loses nothing that was written; in memory where `path` is None.

    `schema` makes the tables where there are none; `version` tells files of other versions apart. A `private` file and
    the folder made for it are their owner's alone. With `read_only` nothing is written beside it either. Raises
    InputError for a file that is no such database, or that cannot be written; so do all its methods.
    """

    def __init__(
        self, path: Path | None, *, schema: str, version: int, what: str, private: bool = False, read_only: bool = False
    ) -> None:
        self._lock = threading.Lock()
        self._name = f"{path}: the {what}"
        try:
            if path is not None and read_only:
                self._connection = _read(path, schema, version)
            else:
                self._connection = _make(path, schema, version, private=private)
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        except OSError as error:
            raise InputError(f"{self._name} cannot be written ({error.strerror})") from error
        except sqlite3.Error as error:
            raise InputError(f"{path}: not a {what} ({error}); move it away") from error
        if found != version:
            raise InputError(f"{path}: a {what} of version {found}, this groupmem reads {version}; move it away")

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._told():
            return self._connection.execute(statement, values).fetchall()

    def write(self, statement: str, rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> None:
        """All rows in one transaction."""
        with self._lock, self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(statement, rows)
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A full disk, or a file that another process holds for long, is told like any other trouble with a file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise InputError(
                f"{self._name} cannot be used ({error}); mend that and run the same command again"
            ) from error


def _make(path: Path | None, schema: str, version: int, *, private: bool) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        path.touch(mode=0o600 if private else 0o666)
    connection = _connect(str(path or ":memory:"))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.executescript(f"BEGIN IMMEDIATE; {schema}; PRAGMA user_version = {version}; COMMIT;")
    return connection


def _read(path: Path, schema: str, version: int) -> sqlite3.Connection:
    """Without a write-ahead log nobody is writing: the file is opened as one that stays, which makes no files. One that
    is just being made is read as empty."""
    if not path.stat().st_size:
        return _make(None, schema, version, private=False)
    alone = not path.with_name(f"{path.name}-wal").exists()
    return _connect(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}", uri=True)


def _connect(address: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=uri, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
