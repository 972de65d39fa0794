"""What lies in the folder of the data sets: listed by name, or verified byte by byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from groupmem.lab.benchmarks.base import UNPINNED
from groupmem.lab.benchmarks.files import CheckedFile, check_files, present_files
from groupmem.lab.benchmarks.registry import BENCHMARKS, benchmark_class
from groupmem.lab.benchmarks.shared import BaseBenchmark
from groupmem.types import Record


class ListedSet(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One data set. `pinned`: every file has a checksum to be held to; `present`: what is there and would be read."""

    name: str
    title: str
    licence: str
    source: str
    revision: str
    pinned: bool
    bundled: bool
    files: tuple[str, ...]
    present: tuple[str, ...]


class VerifiedSet(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One data set as it lies there. "wrong": a file is not as it should be, and nothing was read (`counts` None)."""

    name: str
    status: Literal["pinned", "unpinned", "bundled", "local", "wrong"]
    files: tuple[CheckedFile, ...]
    counts: Mapping[str, int] | None
    warnings: tuple[str, ...]


def list_sets(root: Path) -> tuple[ListedSet, ...]:
    """Every data set, and what is there of it; no file is read."""
    return tuple(_listed(kind, root) for kind in BENCHMARKS.values())


def verify_sets(root: Path, names: Sequence[str] = ()) -> Iterator[VerifiedSet]:
    """The sums of each named set (default: of each that is there), and what is read of it.

    Raises UnknownNameError, and DataError for a named set that is not there or not in its layout.
    """
    for name in names or BENCHMARKS:
        kind = benchmark_class(name)
        checked = check_files(root / name, kind.metadata.files, kind.pattern)
        if any(file.standing == "differs" for file in checked):
            yield VerifiedSet(name=name, status="wrong", files=checked, counts=None, warnings=())
        elif checked or names:
            benchmark = kind.open(root / name, unpinned=True)
            yield VerifiedSet(
                name=name,
                status=benchmark.state.status,
                files=checked,
                counts=benchmark.counts,
                warnings=benchmark.warnings,
            )


def _listed(kind: type[BaseBenchmark], root: Path) -> ListedSet:
    metadata = kind.metadata
    return ListedSet(
        name=metadata.name,
        title=metadata.title,
        licence=metadata.licence,
        source=metadata.source,
        revision=metadata.revision,
        pinned=all(file.sha256 != UNPINNED for file in metadata.files),
        bundled=not metadata.files,
        files=tuple(file.path for file in metadata.files),
        present=present_files(root / metadata.name, metadata.files, kind.pattern),
    )
