"""All benchmarks, and the one that a name, a unit of it or a path means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.benchmarks.base import Benchmark
from groupmem.lab.benchmarks.beam import SETS as BEAM_SETS
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
from groupmem.lab.judging.judge import JudgeProfile

BENCHMARKS: Mapping[str, type[BaseBenchmark]] = {
    kind.metadata.name: kind for kind in (Sample, Handwritten, GroupMemBench, LoCoMo, QMSum, FriendsQA, Beam)
}
PARTS: Mapping[str, Mapping[str, type[BaseBenchmark]]] = {Beam.metadata.name: BEAM_SETS}
"""Sets within a benchmark that have a name of their own: NAME:PART."""


def benchmark_names() -> list[str]:
    """The names that `open_benchmark` knows."""
    return list(BENCHMARKS)


def benchmark_class(name: str) -> type[BaseBenchmark]:
    """The benchmark of this name. Raises UnknownNameError."""
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name]


def find_set(target: str) -> tuple[type[BaseBenchmark], str | None]:
    """The set and the unit that NAME, NAME:PART or NAME:UNIT means; the unit is None for a whole set.

    Raises UnknownNameError for a name, or for a part that is known not to exist before a file is read.
    """
    name, _, part = target.partition(":")
    kind, parts = benchmark_class(name), PARTS.get(name, {})
    if part in parts:
        return parts[part], None
    if part and kind.unit_names and part not in kind.unit_names:
        raise UnknownNameError(f"unit of {name}", part, [*kind.unit_names, *parts])
    return kind, part or None


def default_judge(target: str) -> JudgeProfile:
    """How the judge of a benchmark is called where the user does not say; a folder of one's own is judged as the paper
    says."""
    kind = BENCHMARKS.get(target.partition(":")[0], BaseBenchmark)
    return kind.judge_profile


def open_benchmark(target: str, *, data_dir: Path | None = None, unpinned: bool = False) -> Benchmark:
    """The benchmark that `target` means: a name, NAME:PART, NAME:UNIT, or the path of a folder or file of one's own.

    `data_dir` holds the data sets, one folder each (default: GROUPMEM_DATA, else the user's data folder). `unpinned`
    reads files that are not the pinned ones; the state of the benchmark then says so.

    Raises UnknownNameError for a name or unit that does not exist, InputError for a path that does not, and DataError
    where the data is not there or not the pinned.
    """
    name = target.partition(":")[0]
    if name in BENCHMARKS:
        kind, unit = find_set(target)
        return kind.open(data_root(data_dir) / name, unit=unit, unpinned=unpinned)
    path = Path(target)
    if path.exists():
        return LocalBenchmark(path)
    if os.sep in target or path.suffix:
        raise InputError(f"{target} does not exist; a benchmark is a folder, a file, or one of {', '.join(BENCHMARKS)}")
    raise UnknownNameError("benchmark", name, BENCHMARKS)
