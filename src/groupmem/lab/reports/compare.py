"""Systems against each other on the same questions, within a run or between two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
import polars as pl
from msgspec.structs import replace

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.records import RunFolder
from groupmem.lab.reports.frames import RunFrames, read_frames
from groupmem.lab.reports.overlap import shared_questions
from groupmem.lab.reports.pairs import LOWER_IS_BETTER, METRICS, check_metric, compare_sides
from groupmem.lab.reports.standings import GROUPS, group_of_systems
from groupmem.lab.reports.statistics import Difference, holm
from groupmem.lab.reports.table import Column, Section, Table, counted, write_p
from groupmem.types import Record


class ComparedPair(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`left` against `right`; `p_holm` is the p-value adjusted for all pairs of the comparison."""

    left: str
    right: str
    result: Difference
    p_holm: float


class Comparison(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What `groupmem compare` shows. `notes` say what was left out and why."""

    runs: tuple[str, ...]
    metric: str
    baseline: str | None
    pairs: tuple[ComparedPair, ...]
    notes: tuple[str, ...]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One system of one run; `label` tells it apart from every other side."""

    label: str
    system: str
    group: str
    questions: pl.DataFrame

    def measured(self, metric: str) -> bool:
        return self.questions[METRICS[metric]].count() > 0


def compare_systems(folder: RunFolder, metric: str = "recall@10", baseline: str | None = None) -> Comparison:
    """The systems of one run: each against the baseline, or without one the memory systems against each other.

    Raises UnknownNameError for a metric or a baseline, InputError where there is nothing to compare.
    """
    check_metric(metric)
    sides = _sides(read_frames(folder))
    measured = [side for side in sides if side.measured(metric)]
    if baseline is None:
        pairs = list(combinations([side for side in measured if side.group == GROUPS[0]], 2))
    else:
        pairs = _against(_named(baseline, sides, metric), measured)
    if not pairs:
        raise InputError(
            f"{folder.path}: fewer than two memory systems were measured by {metric}; name a --baseline or a second run"
        )
    return _compare((folder,), pairs, metric, baseline, _unmeasured(sides, metric))


def compare_runs(
    first: RunFolder, second: RunFolder, metric: str = "recall@10", baseline: str | None = None
) -> Comparison:
    """Two runs on the questions that both asked alike: each system of the second against the same one of the first.

    With a baseline, every system of both runs stands against that system of the first. Raises as `compare_systems`.
    """
    check_metric(metric)
    before, after = read_frames(first), read_frames(second)
    shared, overlap = shared_questions(before, after)
    old, new = _sides(before, "first", shared), _sides(after, "second", shared)
    measured = [side for side in (*old, *new) if side.measured(metric)]
    if baseline is None:
        pairs = [(right, left) for left, right in combinations(measured, 2) if left.system == right.system]
    else:
        pairs = _against(_named(baseline, old, metric), measured)
    if not pairs:
        raise InputError(
            f"{first.path}, {second.path}: no system was measured by {metric} in both, on a question that both asked; "
            "name a --baseline to compare different systems"
        )
    notes = (*overlap.notes(), *_unmeasured((*old, *new), metric))
    return _compare((first, second), pairs, metric, baseline, notes)


def _sides(frames: RunFrames, run: str = "", shared: pl.DataFrame | None = None) -> list[Side]:
    """Every system of a run; where `shared` is given, with these questions alone."""
    groups = group_of_systems(frames.cells)
    sides = []
    for system in frames.systems:
        questions = frames.of_system(system)
        if shared is not None:
            questions = questions.join(shared, on=["unit", "question"], how="semi")
        label = f"{system} ({run})" if run else system
        sides.append(Side(label=label, system=system, group=groups[system], questions=questions))
    return sides


def _named(system: str, sides: Sequence[Side], metric: str) -> Side:
    for side in sides:
        if side.system == system and side.measured(metric):
            return side
        if side.system == system:
            raise InputError(f"{side.label}: {metric} was measured on none of the questions; choose another baseline")
    raise UnknownNameError("baseline", system, [side.system for side in sides])


def _against(fixed: Side, sides: Sequence[Side]) -> list[tuple[Side, Side]]:
    return [(side, fixed) for side in sides if side is not fixed]


def _unmeasured(sides: Sequence[Side], metric: str) -> tuple[str, ...]:
    return tuple(f"{side.label}: left out, no {metric} was measured" for side in sides if not side.measured(metric))


def _compare(
    folders: Sequence[RunFolder],
    pairs: Sequence[tuple[Side, Side]],
    metric: str,
    baseline: str | None,
    notes: tuple[str, ...],
) -> Comparison:
    """The pairs that have a question in common, and a note on each that has none."""
    found = [(left, right, compare_sides(left.questions, right.questions, metric)) for left, right in pairs]
    measured = [(left, right, result) for left, right, result in found if result is not None]
    apart = (f"{left.label}, {right.label}: no question was measured on both" for left, right, one in found if not one)
    adjusted = holm([result.p for _, _, result in measured])
    return Comparison(
        runs=tuple(str(folder.path) for folder in folders),
        metric=metric,
        baseline=baseline,
        pairs=tuple(
            ComparedPair(left=left.label, right=right.label, result=result, p_holm=p)
            for (left, right, result), p in zip(measured, adjusted, strict=True)
        ),
        notes=(*notes, *apart),
    )


def comparison_table(comparison: Comparison) -> Table:
    """The comparison as a table; a positive difference says that the left side is higher."""
    percent = comparison.metric == "accuracy"
    mean = Column(header="mean", decimals=1 if percent else 3, percent=percent)
    columns = (
        *(Column(header=header, text=True) for header in ("left system", "right system")),
        Column(header="n"),
        *(replace(mean, header=header) for header in ("left", "right")),
        *(replace(mean, header=header, signed=True) for header in ("difference", "95 %")),
        Column(header="p"),
        Column(header="W/T/L"),
    )
    rows = tuple(
        (
            *(pair.left, pair.right, result.questions, result.left_mean, result.right_mean, result.difference),
            *(result.interval, write_p(pair.p_holm), f"{result.wins}/{result.ties}/{result.losses}"),
        )
        for pair in comparison.pairs
        for result in (pair.result,)
    )
    lower = " (lower)" if comparison.metric in LOWER_IS_BETTER else ""
    test = "exact McNemar test" if percent else "randomisation test"
    notes = (
        f"p: {test} on the same questions, adjusted by Holm over {counted(len(rows), 'pair')}; 95 %: paired bootstrap",
        f"W/T/L: questions on which the left is better{lower}, as good, worse",
        *comparison.notes,
    )
    title = f"{comparison.metric}{', %' if percent else ''}, left against right"
    return Table(title=title, columns=columns, sections=(Section(title="", rows=rows),), notes=notes, keys=2)
