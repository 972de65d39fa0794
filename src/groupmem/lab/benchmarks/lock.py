"""The lock file beside a data set: checksums that nobody had pinned, as they were at the first fetch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from groupmem.errors import DataError
from groupmem.files import write_atomic
from groupmem.types import Record

LOCK_NAME = "groupmem.lock"


class LockedFile(Record, frozen=True, kw_only=True):
    """What the first fetch got, and from where."""

    sha256: str
    url: str


class Lock(Record, frozen=True, kw_only=True):
    """The lock file: an entry by path. It is written once a file and never overwritten by a later fetch."""

    version: int = 1
    files: Mapping[str, LockedFile] = {}


def read_lock(folder: Path) -> Lock:
    """The lock of a set; empty where there is none. Raises DataError where it cannot be read."""
    path = folder / LOCK_NAME
    if not path.is_file():
        return Lock()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: {error}; without it nobody knows what the first fetch got") from error


def record(folder: Path, path: str, entry: LockedFile) -> None:
    """Adds an entry to the lock."""
    lock = read_lock(folder)
    extended = msgspec.structs.replace(lock, files={**lock.files, path: entry})
    write_atomic(folder / LOCK_NAME, msgspec.json.format(msgspec.json.encode(extended), indent=2) + b"\n")
