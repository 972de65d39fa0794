"""The cache of a user: replies by request, vectors by text, in one SQLite file.

A reply that was cut off or refused is a real reply and is cached like any other; an error never is.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from groupmem.errors import InputError
from groupmem.models.base import canonical_json
from groupmem.models.database import Database
from groupmem.types import Record

_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, body BLOB NOT NULL, latency_ms REAL, created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID
"""
_KEYS_PER_QUERY = 500


class StoredReply(Record, frozen=True, kw_only=True):
    """The body of a reply that is already here. `billed`: reading it for the first time is when it is paid for."""

    body: Mapping[str, Any]
    latency_ms: float | None = None
    billed: bool = False


def default_cache_path() -> Path:
    """$XDG_CACHE_HOME/groupmem/models.sqlite, below ~/.cache where the variable is not set."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "groupmem" / "models.sqlite"


def open_cache(path: Path) -> Database:
    """Opens or makes the file. Only its owner may read it: the prompts in it hold people's messages.

    Raises InputError where it cannot be used.
    """
    try:
        return Database(path, schema=_SCHEMA, version=_VERSION, what="model cache", private=True)
    except InputError as error:
        raise InputError(f"{error}; --no-cache does without, XDG_CACHE_HOME names another place for it") from error


class ReplyCache:
    """Replies by request hash."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str) -> StoredReply | None:
        rows = self._database.query("SELECT body, latency_ms FROM replies WHERE key = ?", (key,))
        if not rows:
            return None
        body, latency_ms = rows[0]
        return StoredReply(body=msgspec.json.decode(zlib.decompress(body)), latency_ms=latency_ms)

    def put(self, key: str, body: Mapping[str, Any], latency_ms: float) -> None:
        """Keeps the reply that came first."""
        row = (key, zlib.compress(canonical_json(body), 1), latency_ms, datetime.now(UTC).isoformat())
        self._database.write("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", [row])


class VectorCache:
    """Vectors of one embedding model by text. `identity` names model and settings: other vectors, other identity."""

    def __init__(self, database: Database, identity: str) -> None:
        self._database = database
        self._identity = identity.encode()

    def get(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that are here, by text."""
        by_key = {self._key(text): text for text in texts}
        keys, found = list(by_key), {}
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            part = keys[start : start + _KEYS_PER_QUERY]
            marks = ", ".join("?" * len(part))
            statement = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 - question marks
            for key, vector in self._database.query(statement, part):
                found[by_key[key]] = np.frombuffer(vector, dtype="<f4")
        return found

    def put(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        rows = ((self._key(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items())
        self._database.write("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._identity + b"\0" + text.encode("utf-8", "surrogatepass")).digest()
