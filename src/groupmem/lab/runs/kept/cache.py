"""Where ingests are kept: in the user's cache, one folder each.

    $XDG_CACHE_HOME/groupmem/ingests/<key>/     ~/.cache where the variable is not set
        entry.json                              what it was made from, what it took, the sums of its files
        calls.jsonl                             the model calls that it took, as a call log has them
        store/                                  the system's own files
        databases/<need>                        a dump of each of its databases

A folder is filled under another name, and gets its own when it is whole: a kill leaves nothing that would be found.
Only its owner may read it, for people's messages are in it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from groupmem.lab.runs.kept.key import MadeFrom
from groupmem.lab.systems.isolated.lifetime import Mark, mark_of
from groupmem.types import Record

VERSION = 1
ENTRY, CALLS, STORE, DATABASES = "entry.json", "calls.jsonl", "store", "databases"
_KEY = re.compile(r"[0-9a-f]{64}")
_MAKING = re.compile(r"\.making-(?P<pid>\d+)-(?P<began>.+)-(?P<key>[0-9a-f]{12})")
_READ_BYTES = 1 << 20


class Entry(Record, frozen=True, kw_only=True, omit_defaults=False):
    """entry.json. `made_at` is when, `figures` what the system counted when all was in, `notes` what there was to be
    said of it. `hurried`: replies of models came from the cache, so its seconds are fewer than it takes. `files` are
    sums of all other files by path, `bytes` their size together."""

    version: int = VERSION
    key: str
    made_from: MadeFrom
    made_at: str
    unit: str
    messages: int
    ingest_seconds: float
    hurried: bool = False
    figures: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    bytes: int = 0


class Kept(NamedTuple):
    """An ingest that is there, with its folder."""

    entry: Entry
    folder: Path

    @property
    def databases(self) -> Path:
        """The folder of the dumps."""
        return self.folder / DATABASES

    def calls(self) -> list[dict[str, Any]]:
        """The model calls that it took."""
        lines = (self.folder / CALLS).read_bytes().splitlines()
        return [msgspec.json.decode(line) for line in lines]

    def copy_store(self, to: Path) -> None:
        """Puts a copy of the store in the place of whatever is there, as a whole."""
        copy = to.with_name(f".{to.name}.copy")
        for stale in (copy, to):
            if stale.exists():
                shutil.rmtree(stale)
        shutil.copytree(self.folder / STORE, copy, symlinks=True)
        copy.rename(to)


def default_ingest_cache() -> Path:
    """$XDG_CACHE_HOME/groupmem/ingests, below ~/.cache where the variable is not set."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "groupmem" / "ingests"


class IngestCache:
    """The kept ingests below a folder. Safe to use from several processes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, key: str) -> Kept | None:
        """The ingest of this key, its files as they were kept; one that is damaged is removed, and not found."""
        folder = self.root / key
        entry = _read(folder)
        if entry is None or _sums(folder) != entry.files:
            _remove(folder)
            return None
        return Kept(entry, folder)

    def holds(self, key: str) -> bool:
        """Whether there is an ingest of this key, whatever its files are."""
        return _read(self.root / key) is not None

    @contextmanager
    def making(self, key: str) -> Iterator[Path]:
        """An empty folder with a place for databases. It is kept under the key when the block ends well, unless another
        process was first; `seal` must have been called in it. Raises OSError where it cannot be written."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        mark = mark_of(os.getpid())
        folder = self.root / f".making-{os.getpid()}-{mark.began if mark else 0}-{key[:12]}"
        try:
            folder.mkdir(mode=0o700)
            (folder / DATABASES).mkdir()
            yield folder
            if not (self.root / key).exists():
                folder.rename(self.root / key)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def entries(self) -> list[Entry]:
        """All that are there, the oldest first."""
        found = (_read(folder) for folder in self._folders())
        return sorted((entry for entry in found if entry), key=lambda entry: entry.made_at)

    def remove(self, keys: Iterable[str] | None = None) -> None:
        """Removes the ingests of these keys, None: all that is there, of other versions too; and what a killed process
        left half made, whatever the keys."""
        for folder in self._folders() if keys is None else [self.root / key for key in keys]:
            _remove(folder)
        self._sweep()

    @property
    def bytes(self) -> int:
        """What all of them take together."""
        return sum(entry.bytes for entry in self.entries())

    def _folders(self) -> Iterator[Path]:
        if self.root.is_dir():
            yield from (path for path in list(self.root.iterdir()) if _KEY.fullmatch(path.name))

    def _sweep(self) -> None:
        """Removes what a process that is gone was making."""
        for path in list(self.root.iterdir()) if self.root.is_dir() else ():
            made_by = _MAKING.fullmatch(path.name)
            if made_by and mark_of(int(made_by["pid"])) != Mark(pid=int(made_by["pid"]), began=made_by["began"]):
                shutil.rmtree(path, ignore_errors=True)


def seal(folder: Path, entry: Entry) -> Entry:
    """Writes the record of a folder that is filled, with the sums of all that is in it."""
    sealed = msgspec.structs.replace(entry, files=_sums(folder), bytes=_size(folder))
    (folder / ENTRY).write_bytes(msgspec.json.format(msgspec.json.encode(sealed), indent=2) + b"\n")
    return sealed


def _read(folder: Path) -> Entry | None:
    """The record of a folder; None where there is none, or one of another version."""
    try:
        entry = msgspec.json.decode((folder / ENTRY).read_bytes(), type=Entry)
    except (OSError, msgspec.DecodeError):
        return None
    return entry if entry.version == VERSION else None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if not path.is_dir() and path != folder / ENTRY)


def _sums(folder: Path) -> dict[str, str]:
    """sha256 by path; of a link, what it says."""
    return {path.relative_to(folder).as_posix(): _sum(path) for path in _files(folder)}


def _sum(path: Path) -> str:
    digest = hashlib.sha256()
    if path.is_symlink():
        digest.update(os.fsencode(path.readlink()))
        return digest.hexdigest()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in _files(folder))


def _remove(folder: Path) -> None:
    """Nobody finds it from the first step on."""
    (folder / ENTRY).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
