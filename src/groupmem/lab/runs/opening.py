"""Opens a run folder: a new one is given its record, an old one must hold the same run."""

from __future__ import annotations

import platform
import time
from datetime import UTC, datetime

import msgspec

import groupmem
from groupmem.files import write_atomic
from groupmem.lab.records import RunFolder, RunRecord
from groupmem.lab.runs.prepare import Prepared
from groupmem.lab.runs.provenance import code_revision, package_versions
from groupmem.lab.runs.spec import check_same_run
from groupmem.lab.runs.stages.own import OwnAnswers
from groupmem.models.budget import SpendCap
from groupmem.readers.base import ReadReport, write_quarantine

NO_CAP = SpendCap()


def open_run(folder: RunFolder, prepared: Prepared, cap: SpendCap = NO_CAP, own: OwnAnswers | None = None) -> RunRecord:
    """The record of the run, written; `own` is on it where a system answers by itself.

    Raises InputError where the folder holds another spec, data or prompts.
    """
    record = _record(prepared, folder, cap)
    if own is not None and prepared.answers_by_itself:
        limits = {"question_concurrency": own.concurrency, "question_timeout_s": own.timeout_s}
        record = msgspec.structs.replace(record, **limits)
    if (folder.path / "run.json").is_file():
        before = folder.read_run()
        check_same_run(before, record, folder.path)
        record = _gone_on(before, record)
    elif prepared.spec.reader or prepared.spec.judge:
        record = msgspec.structs.replace(record, facts=prepared.benchmark.facts())
    folder.write_run(record)
    if prepared.traced:
        notice = folder.trace_path.with_name("NOTICE")
        write_atomic(notice, f"{prepared.benchmark.metadata.trace_terms}\n".encode())
    for unit in prepared.units:
        folder.write_questions(unit.id, unit.questions)
    set_aside = prepared.benchmark.set_aside
    if set_aside:
        write_quarantine(ReadReport(quarantined=set_aside), folder.quarantine_path)
    return record


def _record(prepared: Prepared, folder: RunFolder, cap: SpendCap) -> RunRecord:
    benchmark = prepared.benchmark
    kept = (f"all rows set aside are in {folder.quarantine_path}",) if benchmark.set_aside else ()
    return RunRecord(
        spec=prepared.spec,
        benchmark=benchmark.metadata,
        data=benchmark.state,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        groupmem_version=groupmem.__version__,
        python=platform.python_version(),
        packages=package_versions(),
        code=code_revision(),
        prompts=prepared.prompt_uses(),
        models=prepared.models,
        systems=prepared.systems,
        repairs=benchmark.repairs,
        warnings=(*benchmark.warnings, *kept),
        units=tuple(unit.id for unit in prepared.units),
        spend_cap=cap,
    )


def _gone_on(before: RunRecord, now: RunRecord) -> RunRecord:
    """The record of the first start with user files and caps of this one, and a warning where other code goes on."""
    warnings = list(before.warnings)
    for what, was, is_now in (
        ("groupmem", before.groupmem_version, now.groupmem_version),
        ("code", before.code.get("revision"), now.code.get("revision")),
        ("a question timeout of", before.question_timeout_s, now.question_timeout_s),
        ("a question concurrency of", before.question_concurrency, now.question_concurrency),
    ):
        warning = f"begun with {what} {was} and gone on with {is_now}"
        if was != is_now and warning not in warnings:
            warnings.append(warning)
    return msgspec.structs.replace(
        before,
        warnings=tuple(warnings),
        systems=now.systems,
        spend_cap=now.spend_cap,
        question_concurrency=now.question_concurrency,
        question_timeout_s=now.question_timeout_s,
    )


class WallClock:
    """Writes into the record of a run for how long it was at work, over all starts; a kill loses what came since it was
    written last."""

    def __init__(self, folder: RunFolder, opened: RunRecord) -> None:
        self._folder = folder
        self._opened = opened
        self._started = time.monotonic()

    def write(self) -> None:
        seconds = self._opened.wall_seconds + time.monotonic() - self._started
        self._folder.write_run(msgspec.structs.replace(self._opened, wall_seconds=round(seconds, 3)))

    def close(self) -> None:
        self.write()
