"""How much a memory holds, and how far its indexes are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from groupmem.memory.store.database import SCHEMA_VERSION
from groupmem.types import Record


class Status(Record, frozen=True, kw_only=True):
    """Of one workspace: messages, deleted ones, former texts, links, people, channels. Of the whole memory: the rest.
    `workspaces` are those that hold a channel or a person.

    `unindexed` and `unembedded` messages (None: there are no vectors) lie beyond the watermarks of the indexes: they
    are found all the same, and `flush` brings the indexes up to them. `unpurged` deletions leave traces in files until
    `compact`.
    """

    path: str
    schema_version: int
    workspace: str
    messages: int
    deleted: int
    former_texts: int
    links: int
    people: int
    channels: int
    unindexed: int
    unembedded: int | None
    unpurged: int
    embedding: str | None
    dimensions: int | None
    database_bytes: int
    index_bytes: int
    workspaces: tuple[str, ...]


_COUNTS = {
    "messages": "SELECT count(*) FROM messages m {here} AND m.deleted = 0",
    "deleted": "SELECT count(*) FROM messages m {here} AND m.deleted = 1",
    "former_texts": "SELECT count(*) FROM edits e JOIN messages m ON m.row = e.row {here}",
    "links": "SELECT count(*) FROM links l JOIN messages m ON m.row = l.new {here}",
    "people": "SELECT count(*) FROM people WHERE workspace = ?",
    "channels": "SELECT count(*) FROM channels WHERE workspace = ?",
}
_WORKSPACES = "SELECT workspace FROM channels UNION SELECT workspace FROM people ORDER BY 1"
_HERE = "JOIN channels c ON c.channel = m.channel WHERE c.workspace = ?"
_UNINDEXED = (
    "SELECT count(*) FROM messages WHERE deleted = 0 AND entry > (SELECT value FROM meta WHERE key = 'indexed')"
)
_UNEMBEDDED = (
    "SELECT count(*) FROM messages WHERE deleted = 0 AND vector_entry > (SELECT embedded FROM generations WHERE in_use)"
)


def read_status(connection: sqlite3.Connection, path: Path, folder: Path, workspace: str) -> Status:
    """The status of a workspace, sizes of files as they are now."""

    def number(query: str, *values: str) -> int:
        return int(connection.execute(query, values).fetchone()[0])

    in_use = connection.execute("SELECT model, dimensions FROM generations WHERE in_use").fetchone()
    counts = {name: number(query.format(here=_HERE), workspace) for name, query in _COUNTS.items()}
    logs = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")))
    return Status(
        path=str(path),
        schema_version=SCHEMA_VERSION,
        workspace=workspace,
        unindexed=number(_UNINDEXED),
        unembedded=number(_UNEMBEDDED) if in_use else None,
        unpurged=number("SELECT value FROM meta WHERE key = 'unpurged'"),
        embedding=in_use[0] if in_use else None,
        dimensions=in_use[1] if in_use else None,
        database_bytes=sum(log.stat().st_size for log in logs if log.exists()),
        index_bytes=sum(file.stat().st_size for file in folder.iterdir()) if folder.exists() else 0,
        workspaces=tuple(name for (name,) in connection.execute(_WORKSPACES)),
        **counts,
    )
