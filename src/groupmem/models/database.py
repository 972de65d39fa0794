"""One SQLite file, shared by the threads of a process and by processes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from groupmem.errors import InputError

_BUSY_SECONDS = 30.0


class Database:
    """A file in WAL mode, so that a killed process loses nothing that was written; in memory where `path` is None.

    `schema` makes the tables where there are none; `version` tells files of other versions apart. A `private` file and
    the folder made for it are their owner's alone. Raises InputError for a file that is no such database, or that
    cannot be written.
    """

    def __init__(self, path: Path | None, *, schema: str, version: int, what: str, private: bool = False) -> None:
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
                path.touch(mode=0o600 if private else 0o666)
        except OSError as error:
            raise InputError(f"{path}: the {what} cannot be written ({error.strerror}); name another file") from error
        try:
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if found == 0:
                self._connection.executescript(f"BEGIN IMMEDIATE; {schema}; PRAGMA user_version = {version}; COMMIT;")
        except sqlite3.Error as error:
            raise InputError(f"{path}: not a {what} ({error}); move it away or name another file") from error
        if found not in (0, version):
            raise InputError(f"{path}: a {what} of version {found}, this groupmem reads {version}; name another file")

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def write(self, statement: str, rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> None:
        """All rows in one transaction."""
        with self._lock:
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
