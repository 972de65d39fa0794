"""The record of a BEAM run: one JSON object a system, its fields those of the agentic-graphrag harness.

All of it is read from the run folder. What the harness has and a run does not know is null. Ids and scores alone: no
text of the data is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from groupmem.errors import InputError
from groupmem.files import write_atomic
from groupmem.lab.benchmarks.files import sha256_of
from groupmem.lab.names import cell_name, encode_name
from groupmem.lab.records import CellRecord, RunFolder, RunRecord
from groupmem.lab.reports.beam.figures import Figures, read_figures
from groupmem.lab.reports.beam.questions import QuestionRecord, question_records
from groupmem.lab.reports.beam.work import AGENT, JUDGE, PathUsage, merged, total, usage_by_path
from groupmem.lab.systems.registry import named_models
from groupmem.models.base import canonical_json
from groupmem.models.calllog import CallLog
from groupmem.types import Record

SCHEMA_VERSION = 1
PLACES = 4
"""Decimal places of scores."""


class Mean(Record, frozen=True, kw_only=True):
    """A metric over the `n` questions that have it."""

    mean: float
    n: int


class Corpus(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One conversation. `graph`, `chunks` and `empty_extractions` are what the system counted; null: it counts none.
    `planned_chunks` are those of the published chunker, which an estimate reckons with. `ingest_cache_hit`: its ingest
    was paid for by an earlier run, whose seconds and usage these are; `cache_key` null: it is not kept."""

    corpus_id: str
    status: str
    n_documents: int | None
    corpus_tokens: int | None
    planned_chunks: int | None
    chunks: int | None
    graph: Mapping[str, Mapping[str, int] | None] | None
    empty_extractions: int | None
    cache_key: str | None
    ingest_cache_hit: bool
    ingest_seconds: float
    ingest_usage: PathUsage


class BeamRecord(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One system on one set. `marks` say what keeps the record from being cited."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    created_at: str
    domain: str = "memory"
    mode: str
    system: str
    code: Mapping[str, Any]
    dataset: Mapping[str, Any]
    chunking: Mapping[str, Any] | None
    models: Mapping[str, Any]
    config: Mapping[str, Any]
    corpora: tuple[Corpus, ...]
    usage: Mapping[str, Any]
    by_path: Mapping[str, PathUsage]
    scores: Mapping[str, Any]
    questions: tuple[QuestionRecord, ...]
    trace: Mapping[str, str] | None
    marks: tuple[str, ...]


def read_records(folder: RunFolder) -> tuple[BeamRecord, ...]:
    """The record of every system of the run. Raises InputError where the folder is no run, or none of BEAM."""
    run = folder.read_run()
    if run.benchmark.name.partition(":")[0] != "beam":
        raise InputError(f"{folder.path} is a run of {run.benchmark.name}: records of this kind are made of BEAM alone")
    log = CallLog(folder.calls_path, read_only=True) if folder.calls_path.is_file() else CallLog(None)
    try:
        return tuple(_record(folder, run, system, log) for system in run.spec.systems)
    finally:
        log.close()


def write_records(folder: RunFolder) -> None:
    """Writes report/beam/<system>/record.json into the run folder."""
    for record in read_records(folder):
        path = folder.path / "report" / "beam" / encode_name(record.system) / "record.json"
        write_atomic(path, msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2) + b"\n")


def _record(folder: RunFolder, run: RunRecord, system: str, log: CallLog) -> BeamRecord:
    questions = tuple(question_records(folder, run, system))
    paths = {unit: usage_by_path(log, cell_name(unit, system)) for unit in run.units}
    by_path = merged(paths.values())
    cells = {unit: folder.read_cell(unit, system) or CellRecord(unit=unit, system=system) for unit in run.units}
    figures = {unit: read_figures(cell.figures) for unit, cell in cells.items()}
    corpora = tuple(_corpora(run, cells, figures, paths))
    spent = total(by_path.values())
    return BeamRecord(
        run_id=_run_id(run, system),
        created_at=run.created_at,
        mode=str(run.facts.get("mode", run.benchmark.name.partition(":")[2] or "full")),
        system=system,
        code={"groupmem_version": run.groupmem_version, "python": run.python, **run.code},
        dataset=_dataset(run, questions),
        chunking=run.facts.get("chunking"),
        models=_models(run, system),
        config=_config(run, system),
        corpora=corpora,
        usage=_usage(run, spent, corpora, questions),
        by_path=by_path,
        scores=_scores(questions),
        questions=questions,
        trace=_trace(folder),
        marks=tuple(_marks(run, spent, questions, figures)),
    )


def _run_id(run: RunRecord, system: str) -> str:
    stamp = "".join(character for character in run.created_at.partition("+")[0] if character not in "-:")
    name = run.benchmark.name.partition(":")[2] or "full"
    return f"{stamp}Z-memory-{name}-{encode_name(system)}-{_sha256(run.spec)[:6]}"


def _sha256(value: Any) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _dataset(run: RunRecord, questions: Sequence[QuestionRecord]) -> dict[str, Any]:
    named = {name: run.facts.get(name) for name in ("upstream", "manifest_sha256", "question_ids_sha256")}
    return {"name": run.benchmark.name, "state": run.data.status, "n_questions": len(questions), **named}


def _models(run: RunRecord, system: str) -> dict[str, Any]:
    """The models by part; the agent's is the one that the system is given, or the reader of the run."""
    named = named_models(system)
    return {
        "agent": named.chat or run.spec.reader,
        "judge": run.spec.judge,
        "judge_profile": run.spec.judge_profile,
        "embedder": named.embedding,
        "described": dict(run.models),
    }


def _config(run: RunRecord, system: str) -> dict[str, Any]:
    config = {
        "agent": system,
        "seed": run.spec.seed,
        "limit": run.spec.limit,
        "judge_samples": 1,
        "question_concurrency": run.question_concurrency,
        "question_timeout_s": run.question_timeout_s,
    }
    prompts = {name: {"sha256": used.sha256, "source": used.source} for name, used in run.prompts.items()}
    return {**config, "sha256": _sha256(config), "prompts": prompts}


def _corpora(
    run: RunRecord,
    cells: Mapping[str, CellRecord],
    figures: Mapping[str, Figures],
    paths: Mapping[str, Mapping[str, PathUsage]],
) -> Iterator[Corpus]:
    known = {corpus["corpus_id"]: corpus for corpus in run.facts.get("corpora", ())}
    for unit, cell in cells.items():
        facts, counted = known.get(unit, {}), figures[unit]
        ingest = [usage for path, usage in paths[unit].items() if path not in (AGENT, JUDGE)]
        yield Corpus(
            corpus_id=unit,
            status=cell.status,
            n_documents=facts.get("n_documents"),
            corpus_tokens=facts.get("corpus_tokens"),
            planned_chunks=facts.get("chunks"),
            chunks=counted.chunks,
            graph=counted.graph,
            empty_extractions=counted.empty_extractions,
            cache_key=cell.kept_ingest.key if cell.kept_ingest else None,
            ingest_cache_hit=cell.kept_ingest is not None and cell.kept_ingest.reused,
            ingest_seconds=round(cell.ingest_seconds, 3),
            ingest_usage=total(ingest),
        )


def _usage(
    run: RunRecord, spent: PathUsage, corpora: Sequence[Corpus], questions: Sequence[QuestionRecord]
) -> dict[str, Any]:
    """`seconds` are those of ingest and of the questions, one after the other; `wall_seconds` for how long the run was
    at work, all its systems and the judge too. Pauses between starts are in neither."""
    seconds = sum(corpus.ingest_seconds for corpus in corpora) + sum(found.latency_s or 0 for found in questions)
    return {
        "llm_calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost_usd,
        "usage_complete": spent.tokens is not None,
        "spend_cap": msgspec.to_builtins(run.spend_cap),
        "seconds": round(seconds, 3),
        "wall_seconds": run.wall_seconds,
    }


def _scores(questions: Sequence[QuestionRecord]) -> dict[str, Any]:
    groups = sorted({found.group for found in questions})
    return {
        "aggregate": _means(questions),
        "by_group": {group: _means([found for found in questions if found.group == group]) for group in groups},
    }


def _means(questions: Sequence[QuestionRecord]) -> dict[str, Mean]:
    names = sorted({name for found in questions for name in found.scores})
    values = {name: [found.scores[name] for found in questions if name in found.scores] for name in names}
    return {name: Mean(mean=round(fmean(each), PLACES), n=len(each)) for name, each in values.items()}


def _trace(folder: RunFolder) -> dict[str, str] | None:
    path = folder.trace_path
    if not path.is_file():
        return None
    return {"path": path.relative_to(folder.path).as_posix(), "sha256": sha256_of(path)}


def _marks(
    run: RunRecord, spent: PathUsage, questions: Sequence[QuestionRecord], figures: Mapping[str, Figures]
) -> Iterator[str]:
    if run.code.get("dirty") == "true":
        yield "dirty tree: the code is not that of its revision"
    if not run.code:
        yield "no revision: the code is no git checkout"
    if spent.tokens is None:
        yield "incomplete usage: a provider did not count tokens"
    if run.data.status != "pinned":
        yield f"data {run.data.status}: not the files that are pinned"
    open_ = sum(found.status not in ("ok", "agent_failure") for found in questions)
    if open_:
        yield f"{open_} of {len(questions)} questions have no score"
    for unit, counted in figures.items():
        if counted.misread:
            yield f"figures left out of {unit}: {', '.join(counted.misread)} are no counts of the record's form"
