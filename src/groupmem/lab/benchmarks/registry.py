"""All benchmarks, and the one that a name, a unit of it or a path means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.benchmarks.base import Benchmark
from groupmem.lab.benchmarks.beam import Beam
from groupmem.lab.benchmarks.friendsqa import FriendsQA
from groupmem.lab.benchmarks.groupmembench import GroupMemBench
from groupmem.lab.benchmarks.handwritten import Handwritten
from groupmem.lab.benchmarks.local import LocalBenchmark
from groupmem.lab.benchmarks.locomo import LoCoMo
from groupmem.lab.benchmarks.places import data_root
from groupmem.lab.benchmarks.qmsum import QMSum
from groupmem.lab.benchmarks.sample import Sample
from groupmem.lab.benchmarks.shared import BaseBenchmark

BENCHMARKS: Mapping[str, type[BaseBenchmark]] = {
    kind.metadata.name: kind for kind in (Sample, Handwritten, GroupMemBench, LoCoMo, QMSum, FriendsQA, Beam)
}


def benchmark_names() -> list[str]:
    """The names that `open_benchmark` knows."""
    return list(BENCHMARKS)


def benchmark_class(name: str) -> type[BaseBenchmark]:
    """The benchmark of this name. Raises UnknownNameError."""
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name]


def open_benchmark(target: str, *, data_dir: Path | None = None, unpinned: bool = False) -> Benchmark:
    """The benchmark that `target` means: a name, NAME:UNIT, or the path of a folder or file of one's own.

    `data_dir` holds the data sets, one folder each (default: GROUPMEM_DATA, else the user's data folder). `unpinned`
    reads files that are not the pinned ones; the state of the benchmark then says so.

    Raises UnknownNameError for a name or unit that does not exist, InputError for a path that does not, and DataError
    where the data is not there or not the pinned.
    """
    name, _, unit = target.partition(":")
    if name in BENCHMARKS:
        folder = data_root(data_dir) / name
        return BENCHMARKS[name].open(folder, unit=unit or None, unpinned=unpinned)
    path = Path(target)
    if path.exists():
        return LocalBenchmark(path)
    if os.sep in target or path.suffix:
        raise InputError(f"{target} does not exist; a benchmark is a folder, a file, or one of {', '.join(BENCHMARKS)}")
    raise UnknownNameError("benchmark", name, BENCHMARKS)
