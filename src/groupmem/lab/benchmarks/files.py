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
    size_bytes: int = 0


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
            f"the folder that holds {metadata.name}/"
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


def check_files(folder: Path, declared: Sequence[DataFile], pattern: str | None) -> tuple[CheckedFile, ...]:
    """Every file that `open_files` would read, with its sums."""
    locked = read_lock(folder).files
    checked = []
    for file in declared:
        if (folder / file.path).is_file():
            first = locked[file.path].sha256 if file.path in locked else None
            checked.append(_check(folder, file.path, first if file.sha256 == UNPINNED else file.sha256, file.sha256))
    if checked or pattern is None:
        return tuple(checked)
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    return tuple(_check(folder, path.relative_to(folder).as_posix(), None, None) for path in found)


def sha256_of(path: Path) -> str:
    """sha256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(folder: Path, path: str, should_be: str | None, pinned: str | None) -> CheckedFile:
    found = sha256_of(folder / path)
    standing: Standing
    if pinned is None:
        standing = "undeclared"
    elif should_be is None:
        standing = "unrecorded"
    elif found != should_be:
        standing = "differs"
    else:
        standing = "recorded" if pinned == UNPINNED else "pinned"
    size_bytes = (folder / path).stat().st_size
    return CheckedFile(path=path, sha256=found, standing=standing, should_be=should_be, size_bytes=size_bytes)


def _both_sums(file: CheckedFile, declared: Sequence[DataFile]) -> str:
    if file.standing == "differs":
        return f"{file.path} has sha256 {file.sha256} where it should have {file.should_be}"
    pinned = ", ".join(f"{known.path} with sha256 {known.sha256}" for known in declared)
    return f"{file.path} with sha256 {file.sha256} is no file of the pinned set, which is {pinned}"
