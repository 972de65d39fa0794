"""Removing what was deleted for good: from tables, from the files of SQLite, from the indexes."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from groupmem.memory.store.database import transaction
from groupmem.memory.store.lock import WAIT_SECONDS, BusyError

LEAST_DELETED = 64
DELETED_SHARE = 0.05
"""A memory is compacted by itself when so many messages, and such a share of all, were deleted since the last time."""

_POLL_SECONDS = 0.05
_USED_LABELS = " UNION ".join(
    f"SELECT {column} FROM messages WHERE {column} IS NOT NULL"  # noqa: S608  (names from here)
    for column in ("author", "role", "phase", "topic", "spoken_of")
)


def is_due(connection: sqlite3.Connection) -> bool:
    """Whether so much was deleted that the memory is to be compacted."""
    unpurged = connection.execute("SELECT value FROM meta WHERE key = 'unpurged'").fetchone()[0]
    if unpurged < LEAST_DELETED:
        return False
    count = connection.execute("SELECT count(*) FROM messages").fetchone()[0]
    return bool(unpurged >= DELETED_SHARE * count)


def purge_tables(connection: sqlite3.Connection) -> None:
    """Removes labels that no message has any more, and the log of changes."""
    with transaction(connection):
        connection.execute(
            f"DELETE FROM labels WHERE label NOT IN ({_USED_LABELS}) "  # noqa: S608  (names from here)
            "AND text NOT IN (SELECT json_extract(record, '$.role') FROM people WHERE record ->> '$.role' IS NOT NULL)"
        )
        connection.execute(
            "UPDATE meta SET value = max(value, (SELECT coalesce(max(number), 0) FROM changes)) "
            "WHERE key = 'forgotten_changes'"
        )
        connection.execute("DELETE FROM changes")


def rewrite_database(connection: sqlite3.Connection, path: Path) -> None:
    """Writes the database anew and empties its log, so that neither holds a trace of former content.

    Raises BusyError when another process reads for so long that the log cannot be emptied.
    """
    connection.execute("VACUUM")
    _empty_log(connection, path)
    connection.execute("UPDATE meta SET value = 0 WHERE key = 'unpurged'")
    _empty_log(connection, path)


def _empty_log(connection: sqlite3.Connection, path: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() >= deadline:
            raise BusyError(f"{path}: another process is reading; what was deleted is hidden, but compact again later")
        time.sleep(_POLL_SECONDS)


def sweep(folder: Path, known: set[str]) -> None:
    """Removes files that do not count: written by a process that died, or replaced by one that did."""
    for path in folder.iterdir():
        if path.name not in known:
            path.unlink()
