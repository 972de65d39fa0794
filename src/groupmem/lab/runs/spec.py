"""What identifies a run: its spec. The same spec finds the same folder again, another one is refused there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from groupmem.errors import InputError
from groupmem.lab.judging.judge import judge_profile
from groupmem.lab.names import encode_name
from groupmem.lab.records import RunRecord, RunSpec
from groupmem.models.base import canonical_json

RUNS = Path("runs")


def run_id(spec: RunSpec) -> str:
    """12 hex digits of the sha256 of the spec's canonical JSON. Budgets, concurrency and caches are no part of it."""
    return hashlib.sha256(canonical_json(spec)).hexdigest()[:12]


def default_folder(spec: RunSpec, benchmark: str) -> Path:
    """runs/<benchmark>-<id>, below the current folder."""
    return RUNS / f"{encode_name(benchmark)}-{run_id(spec)}"


def check_spec(spec: RunSpec) -> None:
    """Raises InputError for a spec that nothing could come of."""
    try:
        canonical_json(spec)
    except UnicodeEncodeError as error:
        raise InputError("a name on the command line is not UTF-8 text; rename the folder or file") from error
    judge_profile(spec.judge_profile)
    if not spec.systems:
        raise InputError("no system: name at least one with --system")
    twice = sorted({name for name in spec.systems if spec.systems.count(name) > 1})
    if twice:
        raise InputError(f"system {twice[0]} is named twice: a cell belongs to one system")
    if spec.limit < 1:
        raise InputError(f"--limit {spec.limit}: at least 1")
    if spec.depth is not None and (spec.depth < spec.limit or spec.reader or spec.judge):
        raise InputError(
            f"a depth of {spec.depth}: at least the limit, and only where neither reader nor judge is named"
        )
    if spec.sample_questions is not None and spec.sample_questions < 1:
        raise InputError(f"--questions {spec.sample_questions}: at least 1")


def check_same_run(before: RunRecord, now: RunRecord, folder: Path) -> None:
    """Raises InputError, with the differences by name, where `folder` holds another run than is asked for."""
    differences = [
        *_differences(_fields(before.spec), _fields(now.spec)),
        *_differences(_labelled("data", before.data.files), _labelled("data", now.data.files)),
        *_differences(_prompt_hashes(before), _prompt_hashes(now)),
    ]
    if differences:
        raise InputError(
            f"{folder} holds another run: {'; '.join(differences)}. Give the new one a folder of its own with --out"
        )


def _fields(spec: RunSpec) -> dict[str, object]:
    return msgspec.structs.asdict(spec)


def _labelled(label: str, values: Mapping[str, str]) -> dict[str, object]:
    return {f"{label} {name}": value for name, value in values.items()}


def _prompt_hashes(record: RunRecord) -> dict[str, object]:
    return {f"prompt {name}": used.sha256 for name, used in record.prompts.items()}


def _differences(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    names = [*before, *(name for name in now if name not in before)]
    changed = [name for name in names if before.get(name) != now.get(name)]
    return [f"{name} was {_shown(before.get(name))} and is {_shown(now.get(name))}" for name in changed]


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
