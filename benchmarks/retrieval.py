"""Measures the baseline systems on the public conversations, beside rows that are known from elsewhere.

    GROUPMEM_DATA=DIR python benchmarks/retrieval.py
    GROUPMEM_DATA=DIR python benchmarks/retrieval.py --benchmark locomo --system bm25 --json

The known rows are in `known_rows.tsv`. Every row asks for 100 ids a question: the mean reciprocal rank is over all of
them. The dense rows were measured with 32-bit weights, and the package has those of 8 bits: where a set has few
questions, one of them may fall on the other side. Exit code 1 where a row is further away than that.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from groupmem.errors import GroupMemError
from groupmem.lab.benchmarks.base import Benchmark, Unit
from groupmem.lab.benchmarks.places import data_root
from groupmem.lab.benchmarks.registry import benchmark_names, open_benchmark
from groupmem.lab.measures import RETRIEVAL_MEASURES, retrieval_scores
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system
from groupmem.models.base import Account
from groupmem.models.session import Models
from groupmem.types import passage_ids

KNOWN_ROWS = Path(__file__).with_name("known_rows.tsv")
DEPTH = 100
TOLERANCE = 0.005
TOLERANCE_OF_8_BITS = 0.01
ROUNDING = 0.0005


class Row(NamedTuple):
    """One system on one benchmark: means by measure, and those that are known."""

    benchmark: str
    system: str
    questions: int
    seconds: float
    measured: dict[str, float]
    known: dict[str, float]
    tolerance: float

    @property
    def differences(self) -> dict[str, float]:
        return {measure: self.measured[measure] - value for measure, value in self.known.items()}

    @property
    def holds(self) -> bool:
        return all(abs(difference) <= self.tolerance + ROUNDING for difference in self.differences.values())


def read_known_rows() -> list[dict[str, str]]:
    with KNOWN_ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def rows(benchmarks: list[str], systems: list[str]) -> Iterator[Row]:
    """Measures the known rows of these benchmarks and systems."""
    with tempfile.TemporaryDirectory() as folder, Models(log_path=None, cache_path=Path(folder) / "cache") as models:
        for known in read_known_rows():
            if known["benchmark"] in benchmarks and known["system"] in systems:
                yield measure(known, models)


def measure(known: dict[str, str], models: Models) -> Row:
    name, spec, started = known["benchmark"], known["system"], time.perf_counter()
    scores = [score for unit in opened(name).units() for score in unit_scores(unit, spec, models)]
    if len(scores) != int(known["questions"]):
        raise SystemExit(f"{name} has {len(scores)} questions with evidence, and the known row {known['questions']}")
    eight_bits = create_system(spec).embedding is not None
    return Row(
        benchmark=name,
        system=spec,
        questions=len(scores),
        seconds=time.perf_counter() - started,
        measured={measure: fmean(score[measure] for score in scores) for measure in RETRIEVAL_MEASURES},
        known={measure: float(known[measure]) for measure in RETRIEVAL_MEASURES if known.get(measure)},
        tolerance=max(TOLERANCE_OF_8_BITS, 1 / len(scores)) if eight_bits else TOLERANCE,
    )


def opened(name: str) -> Benchmark:
    target = name if name in benchmark_names() else str(data_root() / name)
    return open_benchmark(target, unpinned=True)


def unit_scores(unit: Unit, spec: str, models: Models) -> list[dict[str, float]]:
    """The scores of every question with evidence, everything ingested before the first."""
    conversation, system = unit.conversation(), create_system(spec)
    embedding = models.embedding(system.embedding, Account()) if system.embedding else None
    system.system.open(
        Setting(
            people=conversation.people,
            channels=conversation.channels,
            embedding=embedding,
            options=system.options,
        )
    )
    system.system.ingest(conversation.messages)
    system.system.settle()
    channel_of = {message.id: message.channel for message in conversation.messages}
    scores = []
    for question in unit.questions():
        if question.evidence:
            recall = system.system.recall(question.text, asker=question.asker, limit=DEPTH, asked_at=None)
            ranked = passage_ids(recall.passages)
            hidden_channels = conversation.hidden_channels(question.asker)
            hidden = [found for found in ranked if channel_of[found] in hidden_channels]
            scores.append(retrieval_scores(ranked, question.evidence, hidden))
    system.system.close()
    return scores


def table(measured: list[Row]) -> Table:
    """Means, and how far the one that is furthest away is from its known value."""
    shown = Table(title=f"retrieval at depth {DEPTH}")
    for heading in ("benchmark", "system", "questions", *RETRIEVAL_MEASURES, "furthest", "s"):
        shown.add_column(heading, justify="left" if heading in ("benchmark", "system") else "right", no_wrap=True)
    for row in measured:
        means = (f"{row.measured[measure]:.3f}" for measure in RETRIEVAL_MEASURES)
        furthest = max(row.differences, key=lambda measure: abs(row.differences[measure]))
        far = f"{furthest} {row.differences[furthest]:+.4f}{'' if row.holds else ' !'}"
        shown.add_row(row.benchmark, row.system, str(row.questions), *means, far, f"{row.seconds:.1f}")
    return shown


def as_json(row: Row) -> dict[str, Any]:
    return row._asdict() | {"differences": row.differences, "holds": row.holds}


def main() -> None:
    known = read_known_rows()
    benchmarks, systems = ({row[column]: None for row in known} for column in ("benchmark", "system"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", action="append", choices=list(benchmarks), help="only this; may be repeated")
    parser.add_argument("--system", action="append", choices=list(systems), help="only this; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args()
    try:
        measured = list(rows(options.benchmark or list(benchmarks), options.system or list(systems)))
    except GroupMemError as error:
        raise SystemExit(str(error)) from error
    if options.json:
        print(json.dumps({"depth": DEPTH, "rows": [as_json(row) for row in measured]}))
    else:
        Console(width=None if sys.stdout.isatty() else 160).print(table(measured))
    sys.exit(0 if all(row.holds for row in measured) else 1)


if __name__ == "__main__":
    main()
