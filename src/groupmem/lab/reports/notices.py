"""What must be read before the figures: which data and settings they are of, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Literal

import polars as pl

from groupmem.lab.reports.frames import TOTAL, RunFrames
from groupmem.lab.reports.summary import REASONS
from groupmem.lab.reports.table import counted
from groupmem.lab.systems.registry import named_models
from groupmem.types import Record

MAX_UNSCORED_SHARE = 0.10
"""Above it, the answers that failed may decide the order of the rows: the run is marked invalid."""

BROKEN = ("unparsable", "truncated", "refused", "provider_error")
"""Reasons for an unscored answer that are faults of the run; a missing judge or gold is none."""

MOST_NAMED = 4
"""Units that a notice names; of more it says how many they are."""

NO_MEMORY = "no-memory"
_DATA = {
    "pinned": "pinned: every file has the checksum that the benchmark pins",
    "unpinned": "UNPINNED: not the files that the benchmark pins, or files whose checksum nobody has pinned yet",
    "bundled": "bundled with groupmem",
    "local": "local files of the user",
}
Total = dict[str, Any]
"""The summary row of one system over all units and categories."""

NoticeKind = Literal["invalid", "warning", "note"]


class Notice(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One line above a table. "invalid": the table must not be cited; "warning": a row must be looked into; "note":
    how the figures came about."""

    kind: NoticeKind
    text: str


def notices_of(frames: RunFrames, summary: pl.DataFrame) -> tuple[Notice, ...]:
    """All notices of a run, the gravest first."""
    totals = summary.filter((pl.col("unit") == TOTAL) & (pl.col("category") == TOTAL)).to_dicts()
    found: dict[NoticeKind, list[Iterator[str]]] = {
        "invalid": [_too_many_unscored(totals)],
        "warning": [
            _broken_cells(frames),
            _suspect_rows(totals, frames),
            _judges_itself(frames),
            iter(frames.record.warnings),
        ],
        "note": [_unscored(totals), _truncated(totals), _cell_notes(frames)],
    }
    return tuple(Notice(kind=kind, text=text) for kind, texts in found.items() for text in chain.from_iterable(texts))


def provenance(frames: RunFrames) -> tuple[str, ...]:
    """What the run was of: benchmark and revision, state of the data, settings, code. One line each."""
    record, spec = frames.record, frames.record.spec
    questions = frames.questions.select("unit", "question").n_unique()
    asked = f"{counted(questions, 'question')} in {counted(len(record.units), 'unit')}"
    chosen = [f"only {', '.join(spec.categories)}"] if spec.categories else []
    if spec.sample_questions is not None:
        chosen.append(f"{spec.sample_questions} drawn with seed {spec.seed}")
    depth = f" ({spec.depth} asked for)" if spec.depth else ""
    models = [f"limit {spec.limit} ids{depth}", f"reader {spec.reader or 'none'}"]
    if frames.answering:
        models.append(f"judge {spec.judge or 'none'} ({spec.judge_profile})")
    benchmark = record.benchmark
    return (
        f"{benchmark.title} ({benchmark.name}), revision {benchmark.revision}: {'; '.join([asked, *chosen])}",
        f"data {_DATA[record.data.status]}; {_files(record.data.files)}",
        f"{counted(len(record.repairs), 'repair')} of gold; {counted(len(record.warnings), 'warning')}",
        f"{', '.join(models)}; groupmem {record.groupmem_version}{_code(record.code)}, {record.created_at}",
    )


def _files(files: Mapping[str, str]) -> str:
    named = [f"{name} sha256 {digest[:12]}" for name, digest in list(files.items())[:2]]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more in run.json" if more else "") if named else "no files"


def _code(code: Mapping[str, str]) -> str:
    revision = code.get("revision")
    return f" at {revision[:12]}" if revision else ""


def _too_many_unscored(totals: list[Total]) -> Iterator[str]:
    for total in totals:
        broken = sum(total[f"unscored_{reason}"] for reason in BROKEN)
        judged = total["scored"] + total["unscored"]
        if broken > MAX_UNSCORED_SHARE * judged:
            yield (
                f"{total['system']}: {broken} of {judged} answers ({broken / judged:.1%}) have no verdict, above "
                f"{MAX_UNSCORED_SHARE:.0%}; mend the cause and run again"
            )


def _broken_cells(frames: RunFrames) -> Iterator[str]:
    failed = frames.cells.filter(pl.col("status") == "failed")
    for (system, failure), cells in failed.group_by(["system", "failure"], maintain_order=True):
        yield f"{system} failed on {_units(cells, frames)}: {failure or 'no reason on record'}"
    missing = frames.cells.filter(pl.col("status") == "missing")
    for (system,), cells in missing.group_by(["system"], maintain_order=True):
        yield f"{system} was never begun on {_units(cells, frames)}; the same command goes on with the run"


def _units(cells: pl.DataFrame, frames: RunFrames) -> str:
    """The units of some cells of one system: by name, unless they are many or all."""
    units, of_all = list(cells["unit"]), len(frames.record.units)
    if len(units) <= MOST_NAMED:
        return ", ".join(units)
    if len(units) == of_all:
        return f"all {of_all} units"
    return f"{len(units)} of {of_all} units ({', '.join(units[:MOST_NAMED])}, ...)"


def _suspect_rows(totals: list[Total], frames: RunFrames) -> Iterator[str]:
    """A memory that does worse than none, or returns nothing at all, is more likely broken than bad."""
    complete = [total for total in totals if total["status"] == "complete"]
    alone = next((total["accuracy"] for total in complete if total["system"] == NO_MEMORY), None)
    reference = set(frames.cells.filter(pl.col("reference"))["system"])
    for total in (total for total in complete if total["system"] not in reference):
        system, accuracy = total["system"], total["accuracy"]
        if accuracy is not None and alone is not None and accuracy < alone:
            yield f"{system}: accuracy {accuracy:.1%} is below the {NO_MEMORY} row ({alone:.1%}); check its adapter"
        elif accuracy == 0:
            yield f"{system}: no answer of {total['scored']} is right; check its adapter"
        if total["returned"] == 0 and total["measured"]:
            yield f"{system}: returned nothing for any of {total['measured']} questions; check its adapter"


def _judges_itself(frames: RunFrames) -> Iterator[str]:
    """A rubric leaves a judge more room than a gold answer does; one that grades its own words is kind to them."""
    spec = frames.record.spec
    if frames.record.benchmark.profile != "rubric" or spec.judge is None:
        return
    own = [system for system in frames.systems if named_models(system).chat == spec.judge]
    if spec.judge == spec.reader:
        yield f"judge and reader are the same model ({spec.judge}): the scores are biased upward"
    elif own:
        yield f"the judge is the model of {', '.join(own)} ({spec.judge}): the scores are biased upward"


def _unscored(totals: list[Total]) -> Iterator[str]:
    for total in totals:
        reasons = [f"{total[f'unscored_{reason}']} {reason}" for reason in REASONS if total[f"unscored_{reason}"]]
        if reasons:
            yield f"{total['system']}: {total['unscored']} unscored ({', '.join(reasons)}), left out of the accuracy"


def _truncated(totals: list[Total]) -> Iterator[str]:
    for total in totals:
        if total["truncated"]:
            yield f"{total['system']}: on {counted(total['truncated'], 'question')} not all messages fitted"


def _cell_notes(frames: RunFrames) -> Iterator[str]:
    """Of each system, what its cells say in the same words is said once."""
    noted = frames.cells.select("system", "unit", "notes").explode("notes").drop_nulls("notes")
    for (system, text), cells in noted.group_by(["system", "notes"], maintain_order=True):
        yield f"{system} on {_units(cells, frames)}: {text}"
