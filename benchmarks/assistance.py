"""Measures what a chat model adds to the engine's recall, on questions that it gets wrong and on a control.

    python benchmarks/assistance.py --model batch:gpt-5@FOLDER --use rerank
    GROUPMEM_DATA=DIR python benchmarks/assistance.py --benchmark handwritten/technology --model openai:gpt-5

Of each benchmark as many questions are drawn by seed of which recall without a model misses evidence among the first
ten ("missed") as of which it finds all ("control"), and they are asked in a drawn order: whoever answers the requests
cannot tell which is which. With batch files the same command is given again until nothing waits. The mean over all
questions is estimated from both groups by their shares of the benchmark. A script or a small model shows that this
runs, and nothing about quality.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from groupmem.errors import GroupMemError, PendingError
from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.benchmarks.places import data_root
from groupmem.lab.benchmarks.registry import benchmark_names, open_benchmark
from groupmem.lab.measures import all_evidence_at_k, recall_at_k
from groupmem.lab.reports.statistics import compare_values
from groupmem.memory import GroupMemory
from groupmem.memory.assistance import Assistance
from groupmem.models.base import Account, ChatModel
from groupmem.models.session import Models
from groupmem.types import Question, passage_ids

BENCHMARKS = ("sample", "handwritten/technology")
USES: tuple[str, ...] = Assistance.__struct_fields__
DEPTH = 10
GROUPS = ("missed", "control")


class Scores(NamedTuple):
    """Recall and all-evidence among the first ten of one question."""

    recall: float
    all_evidence: float


class Asked(NamedTuple):
    """One question before and after. `missed`: without a model some evidence is not among the first ten."""

    benchmark: str
    question: str
    missed: bool
    before: Scores
    after: Scores


class Draw(NamedTuple):
    """The questions that are asked, with their scores before, and the share of questions that miss evidence."""

    questions: tuple[Question, ...]
    before: dict[str, Scores]
    missing: float


def scores(memory: GroupMemory, question: Question) -> Scores:
    recall = memory.recall(question.text, asker=question.asker, limit=DEPTH, asked_at=question.asked_at)
    ranked = passage_ids(recall.passages)
    return Scores(
        recall_at_k(ranked, question.evidence, DEPTH) or 0.0,
        all_evidence_at_k(ranked, question.evidence, DEPTH) or 0.0,
    )


def fill(memory: GroupMemory, unit: Unit) -> None:
    conversation = unit.conversation()
    memory.set_people(conversation.people)
    memory.set_channels(conversation.channels)
    memory.add(conversation.messages)
    memory.flush()


def draw(memory: GroupMemory, unit: Unit, count: int, seed: int) -> Draw:
    """`count` questions of each group, in a drawn order."""
    questions = {question.id: question for question in unit.questions() if question.evidence}
    before = {name: scores(memory, question) for name, question in questions.items()}
    missed = [name for name in questions if before[name].all_evidence < 1]
    control = [name for name in questions if before[name].all_evidence == 1]
    chance = random.Random(seed)
    chosen = [name for group in (missed, control) for name in chance.sample(group, min(count, len(group)))]
    chance.shuffle(chosen)
    return Draw(tuple(questions[name] for name in chosen), before, len(missed) / len(questions))


def measure(name: str, chat: ChatModel, use: Sequence[str], count: int, seed: int) -> Iterator[Asked | float]:
    """Every drawn question that is answered, then the share of missed ones of each unit."""
    target = name if name in benchmark_names() or Path(name).exists() else str(data_root() / name)
    for unit in open_benchmark(target, unpinned=True).units():
        with tempfile.TemporaryDirectory() as folder:
            with GroupMemory(Path(folder) / "memory.db") as plain:
                fill(plain, unit)
                drawn = draw(plain, unit, count, seed)
            assistance = Assistance(**{each: each in use for each in USES})
            with GroupMemory(Path(folder) / "memory.db", model=chat, assistance=assistance) as assisted:
                for question in drawn.questions:
                    before = drawn.before[question.id]
                    try:
                        after = scores(assisted, question)
                    except PendingError:
                        continue  # told by flush_batches, when all have asked
                    else:
                        yield Asked(name, question.id, before.all_evidence < 1, before, after)
                print(name, assisted.model_counts(), file=sys.stderr)
        yield drawn.missing


def table(asked: Sequence[Asked], missing: dict[str, float]) -> Table:
    shown = Table(title=f"recall@{DEPTH} and all-evidence@{DEPTH}, before and after")
    for heading in ("benchmark", "group", "n", "recall", "after", "all", "after", "better", "worse", "p"):
        shown.add_column(heading, justify="left" if heading in ("benchmark", "group") else "right", no_wrap=True)
    names = dict.fromkeys(each.benchmark for each in asked)
    for name in names:
        groups = {
            group: [a for a in asked if a.benchmark == name and a.missed == (group == "missed")] for group in GROUPS
        }
        for group, those in groups.items():
            shown.add_row(name, group, *figures(those))
        shown.add_row(name, "estimated for all", "", *estimate(groups, missing[name]), "", "", "")
    if len(names) > 1:
        for group in GROUPS:
            shown.add_row("together", group, *figures([a for a in asked if a.missed == (group == "missed")]))
    return shown


def figures(asked: Sequence[Asked]) -> tuple[str, ...]:
    if not asked:
        return ("0", *[""] * 7)
    change = compare_values([a.after.recall for a in asked], [a.before.recall for a in asked])
    means = (f"{value:.3f}" for value in means_of(asked))
    return str(len(asked)), *means, str(change.wins), str(change.losses), f"{change.p:.3f}"


def means_of(asked: Sequence[Asked]) -> tuple[float, float, float, float]:
    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    return (
        mean([a.before.recall for a in asked]),
        mean([a.after.recall for a in asked]),
        mean([a.before.all_evidence for a in asked]),
        mean([a.after.all_evidence for a in asked]),
    )


def estimate(groups: dict[str, list[Asked]], missing: float) -> tuple[str, ...]:
    """The means over all questions, as the two groups give them by their shares."""
    if not all(groups.values()):
        return ("", "", "", "")
    missed, control = (means_of(groups[group]) for group in GROUPS)
    return tuple(f"{missing * m + (1 - missing) * c:.3f}" for m, c in zip(missed, control, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="the chat model (openai:gpt-5, batch:gpt-5@FOLDER)")
    parser.add_argument("--use", action="append", choices=USES, help="what it is asked for; default: everything")
    parser.add_argument("--benchmark", action="append", help=f"a name or a folder; default: {', '.join(BENCHMARKS)}")
    parser.add_argument("--count", type=int, default=10, help="questions of each group and benchmark")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args()
    asked: list[Asked] = []
    missing: dict[str, float] = {}
    try:
        with Models(log_path=None, cache_path=None) as models:
            chat = models.chat(options.model, Account(phase="recall"))
            for name in options.benchmark or BENCHMARKS:
                for each in measure(name, chat, options.use or USES, options.count, options.seed):
                    if isinstance(each, Asked):
                        asked.append(each)
                    else:
                        missing[name] = each
            models.flush_batches()
    except GroupMemError as error:
        raise SystemExit(str(error)) from error
    if options.json:
        print(json.dumps({"depth": DEPTH, "missing": missing, "asked": [each._asdict() for each in asked]}))
    else:
        Console(width=140).print(table(asked, missing))


if __name__ == "__main__":
    main()
