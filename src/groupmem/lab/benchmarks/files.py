"""Which files of a data set are there, and whether they are the ones that were pinned."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import UNPINNED, BenchmarkMetadata, DataFile, DataState
from groupmem.lab.benchmarks.lock import read_lock
from groupmem.lab.benchmarks.places import VARIABLE
from groupmem.types import Record

Standing = Literal["pinned", "recorded", "unrecorded", "differs", "undeclared"]
"""How a file compares: equal to its pinned sum; nobody pinned one and it equals, or lacks, the record of the first
fetch; not equal to the sum it should have; not a file of the pinned set at all."""


class CheckedFile(Record, frozen=True, kw_only=True):
    """A file that is there: the sum that it has, and the one that it should have where that is known."""

    path: str
    sha256: str
    standing: Standing
    should_be: str | None = None
    size_bytes: int


class DataFiles(Record, frozen=True, kw_only=True):
    """The files of one set that a loader reads. `complete` where every file of the metadata is among them."""

    folder: Path
    paths: tuple[str, ...]
    state: DataState
    complete: bool = False

    def has(self, path: str) -> bool:
        return path in self.paths


def open_files(
    metadata: BenchmarkMetadata,
    folder: Path,
    declared: Sequence[DataFile],
    pattern: str | None,
    unpinned: bool = False,
) -> DataFiles:
    """The files to read: those `declared` that are there, or, where none is, whatever fits `pattern`.

    Raises DataError where there is nothing, and where a file is not the one that was pinned or first fetched unless
    `unpinned` says that it is to be read all the same.
    """
    checked = check_files(folder, declared, pattern)
    if not checked:
        raise DataError(
            f"no data of {metadata.name} in {folder}: run `groupmem data fetch {metadata.name}`, or set {VARIABLE} to "
            f"the folder that holds {metadata.name.partition(':')[0]}/"
        )
    wrong = [file for file in checked if file.standing in ("differs", "undeclared")]
    if wrong and not unpinned:
        raise DataError(f"{metadata.name}: {_both_sums(wrong[0], declared)}; --unpinned reads it all the same")
    return DataFiles(
        folder=folder,
        paths=tuple(file.path for file in checked),
        state=DataState(
            status="pinned" if all(file.standing == "pinned" for file in checked) else "unpinned",
            files={file.path: file.sha256 for file in checked},
        ),
        complete={file.path for file in checked} >= {file.path for file in metadata.files},
    )


def present_files(folder: Path, declared: Sequence[DataFile], pattern: str | None) -> tuple[str, ...]:
    """Paths of the declared files that are there, or, where none is, of the files that fit `pattern`."""
    present = tuple(file.path for file in declared if (folder / file.path).is_file())
    if present or pattern is None:
        return present
    return tuple(path.relative_to(folder).as_posix() for path in sorted(folder.glob(pattern)) if path.is_file())


def check_files(folder: Path, declared: Sequence[DataFile], pattern: str | None) -> tuple[CheckedFile, ...]:
    """Every file that `open_files` would read, with its sums."""
    pinned = {file.path: file.sha256 for file in declared}
    locked = {path: entry.sha256 for path, entry in read_lock(folder).files.items()}
    checked = []
    for path in present_files(folder, declared, pattern):
        should_be = locked.get(path) if pinned.get(path) == UNPINNED else pinned.get(path)
        found = sha256_of(folder / path)
        standing = _standing(found, should_be, pinned.get(path))
        size_bytes = (folder / path).stat().st_size
        checked.append(
            CheckedFile(path=path, sha256=found, standing=standing, should_be=should_be, size_bytes=size_bytes)
        )
    return tuple(checked)


def sha256_of(path: Path) -> str:
    """sha256 of a file in hex. Raises DataError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def _standing(found: str, should_be: str | None, pinned: str | None) -> Standing:
    if pinned is None:
        return "undeclared"
    if should_be is None:
        return "unrecorded"
    if found != should_be:
        return "differs"
    return "recorded" if pinned == UNPINNED else "pinned"


def _both_sums(file: CheckedFile, declared: Sequence[DataFile]) -> str:
    if file.standing == "differs":
        return f"{file.path} has sha256 {file.sha256} where it should have {file.should_be}"
    pinned = ", ".join(f"{known.path} with sha256 {known.sha256}" for known in declared)
    return f"{file.path} with sha256 {file.sha256} is no file of the pinned set, which is {pinned}"
