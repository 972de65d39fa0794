"""Measures what the engine finds, beside the baselines, and what each of its parts adds.

    GROUPMEM_DATA=DIR python benchmarks/engine_quality.py
    GROUPMEM_DATA=DIR python benchmarks/engine_quality.py --benchmark locomo --benchmark FOLDER --no-ablation --json

All rows of a benchmark are measured in one run: everything is taken in before the first question, ten ids are asked.
Two tables: recall@10 and all-evidence@10 of every system, with the leak and, where there are questions that have no
answer, the area under the ROC curve of the support score; then what recall@10 loses when a part is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from groupmem.errors import GroupMemError
from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.benchmarks.places import data_root
from groupmem.lab.benchmarks.registry import benchmark_names, open_benchmark
from groupmem.lab.measures import all_evidence_at_k, leak_at_k, recall_at_k
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system
from groupmem.memory.recall import Parts
from groupmem.models.base import Account
from groupmem.models.session import Models
from groupmem.types import passage_ids

BASELINES = ("bm25", "bm25-stemmed", "dense", "hybrid")
ENGINE = "groupmem"
PUBLIC = ("sample", "handwritten/technology", "locomo", "friendsqa", "beam", "qmsum")
DEPTH = 10


class Found(NamedTuple):
    """What a system found for one question; recall is None where the question has no evidence."""

    recall: float | None
    all_evidence: float | None
    leak: float
    support: float | None
    latency_ms: float


class Row(NamedTuple):
    """The means of one system on one benchmark. `auc` is that of the support score, where it can be measured."""

    benchmark: str
    system: str
    questions: int
    recall: float
    all_evidence: float
    leak: float
    auc: float | None
    p95_ms: float
    seconds: float


def ablations() -> list[str]:
    """The engine with each of its parts left out."""
    return [f"{ENGINE}:{part}=off" for part in Parts.__struct_fields__]


def measure(name: str, systems: Sequence[str], models: Models) -> Iterator[Row]:
    for spec in systems:
        started = time.perf_counter()
        found = [each for unit in units(name) for each in asked(unit, spec, models)]
        yield row_of(name, spec, found, time.perf_counter() - started)


def units(name: str) -> Iterator[Unit]:
    target = name if name in benchmark_names() or Path(name).exists() else str(data_root() / name)
    return open_benchmark(target, unpinned=True).units()


def asked(unit: Unit, spec: str, models: Models) -> Iterator[Found]:
    """Every question of a unit, everything taken in before the first."""
    conversation, opened = unit.conversation(), create_system(spec)
    embedding = models.embedding(opened.embedding, Account()) if opened.embedding else None
    with tempfile.TemporaryDirectory() as folder:
        opened.system.open(
            Setting(
                people=conversation.people,
                channels=conversation.channels,
                store_dir=Path(folder),
                embedding=embedding,
                options=opened.options,
            )
        )
        opened.system.ingest(conversation.messages)
        opened.system.settle()
        channel_of = {message.id: message.channel for message in conversation.messages}
        for question in unit.questions():
            started = time.perf_counter()
            recall = opened.system.recall(question.text, asker=question.asker, limit=DEPTH, asked_at=question.asked_at)
            latency_ms = (time.perf_counter() - started) * 1000
            ranked, hidden = passage_ids(recall.passages), conversation.hidden_channels(question.asker)
            gold = question.evidence
            yield Found(
                recall=recall_at_k(ranked, gold, DEPTH) if gold else None,
                all_evidence=all_evidence_at_k(ranked, gold, DEPTH) if gold else None,
                leak=leak_at_k(ranked, [each for each in ranked if channel_of[each] in hidden], DEPTH),
                support=recall.support,
                latency_ms=latency_ms,
            )
        opened.system.close()


def row_of(name: str, spec: str, found: Sequence[Found], seconds: float) -> Row:
    gold = [each for each in found if each.recall is not None]
    return Row(
        benchmark=name,
        system=spec,
        questions=len(gold),
        recall=fmean(each.recall or 0.0 for each in gold),
        all_evidence=fmean(each.all_evidence or 0.0 for each in gold),
        leak=fmean(each.leak for each in found),
        auc=auc(
            [each.support for each in gold if each.support is not None],
            [each.support for each in found if each.recall is None and each.support is not None],
        ),
        p95_ms=float(np.percentile([each.latency_ms for each in found], 95)),
        seconds=seconds,
    )


def auc(answerable: Sequence[float], others: Sequence[float]) -> float | None:
    """How often an answerable question has more support than one that has no answer; ties count half."""
    if not answerable or not others:
        return None
    left, right = np.array(answerable)[:, None], np.array(others)
    return float((left > right).mean() + (left == right).mean() / 2)


def systems_table(rows: Sequence[Row]) -> Table:
    shown = Table(title=f"recall@{DEPTH}, one configuration for all")
    for heading in ("benchmark", "system", "questions", "recall", "all evidence", "leak", "support AUC", "p95 ms", "s"):
        shown.add_column(heading, justify="left" if heading in ("benchmark", "system") else "right", no_wrap=True)
    for row in rows:
        figures = f"{row.recall:.3f}", f"{row.all_evidence:.3f}", f"{row.leak:.3f}"
        support = "" if row.auc is None else f"{row.auc:.3f}"
        shown.add_row(
            row.benchmark, row.system, str(row.questions), *figures, support, f"{row.p95_ms:.1f}", f"{row.seconds:.0f}"
        )
    return shown


def ablation_table(rows: Sequence[Row]) -> Table:
    """What is lost without each part, in points of recall@10 (a hundredth each)."""
    benchmarks = list(dict.fromkeys(row.benchmark for row in rows))
    recall = {(row.benchmark, row.system): row.recall for row in rows}
    shown = Table(title=f"points of recall@{DEPTH} that a part adds")
    for heading in ("without", *benchmarks):
        shown.add_column(heading, justify="left" if heading == "without" else "right", no_wrap=True)
    for spec in ablations():
        added = [100 * (recall[name, ENGINE] - recall[name, spec]) for name in benchmarks]
        shown.add_row(spec.removeprefix(f"{ENGINE}:").removesuffix("=off"), *(f"{points:+.1f}" for points in added))
    return shown


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", action="append", help=f"a name or a folder; default: {', '.join(PUBLIC)}")
    parser.add_argument("--no-ablation", action="store_true", help="leave out the rows without a part")
    parser.add_argument("--no-baselines", action="store_true", help="leave out the baselines")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args()
    systems = [*(() if options.no_baselines else BASELINES), ENGINE, *(() if options.no_ablation else ablations())]
    console, rows = Console(width=None if sys.stdout.isatty() else 160), []
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            Models(log_path=None, cache_path=Path(folder) / "cache") as models,
        ):
            for name in options.benchmark or PUBLIC:
                rows += measure(name, systems, models)
    except GroupMemError as error:
        raise SystemExit(str(error)) from error
    if options.json:
        print(json.dumps({"depth": DEPTH, "rows": as_json(rows)}))
        return
    console.print(systems_table([row for row in rows if row.system in (*BASELINES, ENGINE)]))
    if not options.no_ablation:
        console.print(ablation_table(rows))


if __name__ == "__main__":
    main()
