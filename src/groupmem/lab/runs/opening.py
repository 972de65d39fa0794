"""Opens a run folder: a new one is given its record, an old one must hold the same run."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

import msgspec

import groupmem
from groupmem.lab.records import RunFolder, RunRecord
from groupmem.lab.runs.prepare import Prepared
from groupmem.lab.runs.provenance import code_revision, package_versions
from groupmem.lab.runs.roster import make_entry
from groupmem.lab.runs.spec import check_same_run
from groupmem.models.session import Models


def open_run(folder: RunFolder, prepared: Prepared) -> RunRecord:
    """The record of the run, written. Raises InputError where the folder holds another spec, data or prompts."""
    record = _record(prepared)
    if (folder.path / "run.json").is_file():
        before = folder.read_run()
        check_same_run(before, record, folder.path)
        record = _gone_on(before, record)
    folder.write_run(record)
    for unit in prepared.units:
        folder.write_questions(unit.id, unit.questions)
    return record


def _record(prepared: Prepared) -> RunRecord:
    benchmark = prepared.benchmark
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
        models=_models(prepared),
        repairs=benchmark.repairs,
        warnings=benchmark.warnings,
        units=tuple(unit.id for unit in prepared.units),
    )


def _models(prepared: Prepared) -> dict[str, str]:
    """Every model of the run, by the name that the user gave. Raises InputError for one that is no model."""
    spec = prepared.spec
    entries = [make_entry(name, lambda: prepared.units[0].timeline) for name in spec.systems]
    named = [spec.reader, spec.judge, *(entry.embedding for entry in entries), *(entry.chat for entry in entries)]
    return {name: Models.describe(name) for name in named if name is not None}


def _gone_on(before: RunRecord, now: RunRecord) -> RunRecord:
    """The record of the first start, with a warning where another version or code goes on with the run."""
    warnings = list(before.warnings)
    for what, was, is_now in (
        ("groupmem", before.groupmem_version, now.groupmem_version),
        ("code", before.code.get("revision"), now.code.get("revision")),
    ):
        warning = f"begun with {what} {was} and gone on with {is_now}"
        if was != is_now and warning not in warnings:
            warnings.append(warning)
    return msgspec.structs.replace(before, warnings=tuple(warnings))
