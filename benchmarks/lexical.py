"""Times the lexical systems on one conversation, beside the packages rank-bm25 and bm25s in the same run.

    python benchmarks/lexical.py --messages 30000 --questions 200

Every system runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from rich.console import Console
from rich.table import Table

from groupmem.lab.measures import recall_at_k
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.bm25 import with_asker
from groupmem.lab.systems.registry import create_system
from groupmem.readers import groupmembench
from groupmem.text import ascii_words, words
from groupmem.types import Message, Question, passage_ids

LIMIT = 10
HERE = Path(__file__).parent
COLUMNS = {
    "load s": ".2f",
    "index messages/s": ",.0f",
    "ms p50": ".2f",
    "ms p95": ".2f",
    "R@10": ".3f",
    "peak MB": ".0f",
    "total s": ".1f",
}
RATIOS = ("index messages/s", "ms p50", "ms p95", "peak MB", "total s")


class Contestant(Protocol):
    def index(self, messages: Sequence[Message]) -> None: ...

    def best(self, question: Question) -> list[str]:
        """Ids of the first ten messages."""
        ...


class Ours:
    """A system of the package, driven as a run drives it."""

    def __init__(self, spec: str) -> None:
        opened = create_system(spec)
        opened.system.open(Setting(options=opened.options))
        self.system = opened.system

    def index(self, messages: Sequence[Message]) -> None:
        self.system.ingest(messages)
        self.system.settle()

    def best(self, question: Question) -> list[str]:
        recall = self.system.recall(question.text, asker=question.asker, limit=LIMIT, asked_at=None)
        return passage_ids(recall.passages)


class RankBm25:
    """rank-bm25 as the published baseline uses it."""

    def index(self, messages: Sequence[Message]) -> None:
        from rank_bm25 import BM25Okapi

        ordered = sorted(messages, key=lambda m: (m.channel, m.sent_at.isoformat() if m.sent_at else "", m.id))
        self.ids = [message.id for message in ordered]
        self.bm25 = BM25Okapi([ascii_words(message.text) for message in ordered])

    def best(self, question: Question) -> list[str]:
        scores = self.bm25.get_scores(ascii_words(with_asker(question.text, question.asker)))
        return [self.ids[place] for place in np.argsort(-scores, kind="stable")[:LIMIT]]


class Bm25s:
    """bm25s with the formula and the words of `bm25`."""

    def index(self, messages: Sequence[Message]) -> None:
        from bm25s import BM25

        self.ids = [message.id for message in messages]
        self.bm25 = BM25(method="lucene", k1=1.5, b=0.75)
        self.bm25.index([words(message.text) for message in messages], show_progress=False)

    def best(self, question: Question) -> list[str]:
        known = [word for word in words(with_asker(question.text, question.asker)) if word in self.bm25.vocab_dict]
        found, _ = self.bm25.retrieve([known], k=LIMIT, show_progress=False)
        return [self.ids[place] for place in found[0]]


CONTESTANTS: dict[str, Callable[[], Contestant]] = {
    "bm25": lambda: Ours("bm25"),
    "bm25-stemmed": lambda: Ours("bm25-stemmed"),
    "bm25-okapi": lambda: Ours("bm25-okapi"),
    "rank-bm25": RankBm25,
    "bm25s": Bm25s,
}


def measure(name: str, folder: Path) -> dict[str, float]:
    """One contestant on one folder, in this process."""
    started = time.perf_counter()
    loaded = groupmembench.read(folder)
    read = time.perf_counter()
    contestant = CONTESTANTS[name]()
    contestant.index(loaded.conversation.messages)
    indexed = time.perf_counter()
    times_ms, recalls = [], []
    for question in loaded.questions:
        asked = time.perf_counter()
        best = contestant.best(question)
        times_ms.append((time.perf_counter() - asked) * 1000)
        recalls.append(recall_at_k(best, question.evidence, LIMIT))
    return {
        "load s": read - started,
        "index messages/s": len(loaded.conversation.messages) / (indexed - read),
        "ms p50": float(np.percentile(times_ms, 50)),
        "ms p95": float(np.percentile(times_ms, 95)),
        "R@10": float(np.mean(recalls)),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
        "total s": time.perf_counter() - started,
    }


def run(*command: object) -> str:
    """What a Python script prints. Each is a process of its own, for a process's peak memory includes what it was born
    with: that of this one must stay small too."""
    finished = subprocess.run([sys.executable, *map(str, command)], check=True, stdout=subprocess.PIPE, text=True)
    return finished.stdout


def table(title: str, rows: dict[str, dict[str, float]]) -> Table:
    """All values, and below them those of the other systems as multiples of the first one's."""
    shown = Table(title=title)
    shown.add_column("system", no_wrap=True)
    for column in COLUMNS:
        shown.add_column(column, justify="right", no_wrap=True)
    for name, row in rows.items():
        shown.add_row(name, *(format(row[column], form) for column, form in COLUMNS.items()))
    shown.add_section()
    first, *others = rows
    for name in others:
        ratios = (f"x {rows[name][column] / rows[first][column]:.2f}" if column in RATIOS else "" for column in COLUMNS)
        shown.add_row(f"{name} : {first}", *ratios)
    return shown


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--system", action="append", choices=list(CONTESTANTS), help="only these; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--one", choices=list(CONTESTANTS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.one:
        print(json.dumps(measure(options.one, options.folder)))
        return
    with tempfile.TemporaryDirectory() as folder:
        size = ("--messages", options.messages, "--questions", options.questions, "--seed", options.seed)
        run(HERE / "domain_file.py", folder, *size)
        names = options.system or CONTESTANTS
        rows = {name: json.loads(run(__file__, "--one", name, "--folder", folder)) for name in names}
    if options.json:
        print(json.dumps({"messages": options.messages, "questions": options.questions, "rows": rows}))
        return
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(table(f"{options.messages:,} messages, {options.questions} questions; {machine}", rows))


if __name__ == "__main__":
    main()
