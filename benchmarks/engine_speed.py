"""Times the memory engine: taking messages in, and recall from a thousand messages to a million.

    python benchmarks/engine_speed.py
    python benchmarks/engine_speed.py --sizes 1000 10000 100000 1000000 --figure engine.svg

The messages are those of `groupmem synth make technology`; beyond their number they come again, later, under other
ids. In one run: messages a second taken in with all notes and no vectors, with vectors beside the bare embedding model
on the same texts, and by the packages rank-bm25 and bm25s; then, for each size, milliseconds a recall (the embedding of
the question included), memory of the reading process, and bytes a message on disk. There the vectors of messages
are random, for an exact search takes as long with any; those of questions are the model's.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from groupmem import Conversation, GroupMemory, Message
from groupmem.models.base import Account, Vectors
from groupmem.models.session import Models
from groupmem.readers.registry import read_any
from groupmem.text import words

WRITTEN = 30_000
EMBEDDED = 2_000
QUESTIONS = 200
LIMIT = 10
ROUND = timedelta(days=400)
HERE = Path(__file__)


class RandomPassages:
    """The default model for questions, random directions for passages."""

    name = "minilm-questions"
    dimensions = 384

    def __init__(self) -> None:
        self._model = Models(log_path=None, cache_path=None).embedding("minilm", Account())
        self._random = np.random.default_rng(0)

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        if kind == "query":
            return self._model.embed(texts, kind=kind)
        return self._random.normal(size=(len(texts), self.dimensions)).astype(np.float32)


def corpus(folder: Path, count: int) -> Conversation:
    """A synthesised conversation; written once."""
    if not (folder / "messages.jsonl").exists():
        made = [sys.executable, "-m", "groupmem", "synth", "make", "technology", "--quiet"]
        subprocess.run([*made, "--messages", str(count), "--out", str(folder)], check=True, capture_output=True)
    return read_any(folder).conversation


def repeated(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages without end, each round later than the one before and under ids of its own."""
    number = 0
    while True:
        for message in messages:
            yield msgspec.structs.replace(
                message,
                id=f"{message.id}.{number}",
                reply_to=message.reply_to and f"{message.reply_to}.{number}",
                thread=message.thread and f"{message.thread}.{number}",
                sent_at=message.sent_at and message.sent_at + number * ROUND,
            )
        number += 1


def questions(messages: Sequence[Message], count: int) -> list[tuple[str, str]]:
    """Askers with five words of one message and two of another, as somebody may ask who half remembers."""
    random = np.random.default_rng(1)
    chosen = random.choice(len(messages), size=(count, 2))
    asked = []
    for one, other in chosen.tolist():
        first, second = words(messages[one].text), words(messages[other].text)
        picked = [*random.permutation(first)[:5].tolist(), *random.permutation(second)[:2].tolist()]
        asked.append((f"What was said about {' '.join(picked)}?", messages[one].author))
    return asked


# -- what is measured --------------------------------------------------------------------------------------------------


def open_memory(path: Path, conversation: Conversation, embedding: Any) -> GroupMemory:
    memory = GroupMemory(path, embedding=embedding)
    memory.set_people(conversation.people)
    memory.set_channels(conversation.channels)
    return memory


def ingest(folder: Path, conversation: Conversation, *, count: int, vectors: str) -> dict[str, float]:
    """Takes the first `count` messages in."""
    embedding: Any = {"none": None, "minilm": "minilm", "random": RandomPassages()}[vectors]
    with open_memory(folder / "team.db", conversation, embedding) as memory:
        started = time.perf_counter()
        memory.add(islice(repeated(conversation.messages), count))
        memory.flush()
        seconds = time.perf_counter() - started
        memory.compact()
        status = memory.status()
    return {
        "messages/s": count / seconds,
        "database bytes/message": status.database_bytes / count,
        "index bytes/message": status.index_bytes / count,
        "links": status.links,
    }


def embed_bare(conversation: Conversation, count: int) -> dict[str, float]:
    """The embedding model alone, on the same texts and in one call."""
    texts = [message.text for message in conversation.messages[:count]]
    with Models(log_path=None, cache_path=None) as models:
        model = models.embedding("minilm", Account())
        model.embed(texts[:32], kind="passage")
        started = time.perf_counter()
        model.embed(texts, kind="passage")
        return {"messages/s": count / (time.perf_counter() - started)}


def recall(folder: Path, conversation: Conversation, count: int) -> dict[str, float]:
    """Asks a memory that is there, in a process that does nothing else."""
    asked = questions(conversation.messages, QUESTIONS)
    with GroupMemory(folder / "team.db", embedding=RandomPassages()) as memory:
        started = time.perf_counter()
        memory.recall(asked[0][0], asker=asked[0][1], limit=LIMIT)
        opening = time.perf_counter() - started
        for question, asker in asked[:20]:
            memory.recall(question, asker=asker, limit=LIMIT)
        spent = []
        for question, asker in asked:
            started = time.perf_counter()
            memory.recall(question, asker=asker, limit=LIMIT)
            spent.append((time.perf_counter() - started) * 1_000)
    return {
        "first recall s": opening,
        "recall ms p50": float(np.percentile(spent, 50)),
        "recall ms p95": float(np.percentile(spent, 95)),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def rank_bm25(conversation: Conversation, count: int) -> dict[str, float]:
    from rank_bm25 import BM25Okapi

    def build(texts: Sequence[str]) -> Any:
        index = BM25Okapi([words(text) for text in texts])
        return lambda question: index.get_top_n(words(question), texts, n=LIMIT)

    return rival(conversation, count, build)


def bm25s(conversation: Conversation, count: int) -> dict[str, float]:
    import bm25s as package

    def build(texts: Sequence[str]) -> Any:
        index = package.BM25()
        index.index([words(text) for text in texts], show_progress=False)
        return lambda question: index.retrieve([words(question)], k=LIMIT, show_progress=False)

    return rival(conversation, count, build)


def rival(conversation: Conversation, count: int, build: Any) -> dict[str, float]:
    """Another index over the bare texts: no notes, no scope, nothing on disk."""
    texts = [message.text for message in islice(repeated(conversation.messages), count)]
    started = time.perf_counter()
    search = build(texts)
    seconds = time.perf_counter() - started
    spent = []
    for question, _ in questions(conversation.messages, QUESTIONS):
        started = time.perf_counter()
        search(question)
        spent.append((time.perf_counter() - started) * 1_000)
    return {
        "messages/s": count / seconds,
        "recall ms p50": float(np.percentile(spent, 50)),
        "recall ms p95": float(np.percentile(spent, 95)),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


# -- processes and output ----------------------------------------------------------------------------------------------


def work(job: str, folder: Path, written: Path, count: int) -> dict[str, float]:
    """One measurement, in the process that was started for it."""
    conversation = read_any(written).conversation
    jobs = {
        "ingest": lambda: ingest(folder, conversation, count=count, vectors="none"),
        "ingest minilm": lambda: ingest(folder, conversation, count=count, vectors="minilm"),
        "ingest random": lambda: ingest(folder, conversation, count=count, vectors="random"),
        "minilm alone": lambda: embed_bare(conversation, count),
        "recall": lambda: recall(folder, conversation, count),
        "rank-bm25": lambda: rank_bm25(conversation, count),
        "bm25s": lambda: bm25s(conversation, count),
    }
    return jobs[job]()


def measured(job: str, folder: Path, written: Path, count: int) -> dict[str, float]:
    """Runs a job in a process of its own, so that its memory is its own."""
    command = [sys.executable, str(HERE), "--job", job, "--folder", str(folder), "--written", str(written)]
    done = subprocess.run([*command, "--count", str(count)], check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def measure_all(sizes: Sequence[int], place: Path, say: Any) -> dict[str, Any]:
    written = place / "corpus"
    corpus(written, WRITTEN)
    found: dict[str, Any] = {"machine": platform.processor() or platform.machine(), "python": platform.python_version()}
    taking = found["ingest"] = {}
    rounds = [("minilm alone", EMBEDDED), ("ingest minilm", EMBEDDED)] * 3
    pairs: dict[str, list[float]] = {"minilm alone": [], "ingest minilm": []}
    for number, (job, count) in enumerate(rounds):
        pairs[job].append(measured(job, place / f"minilm{number}", written, count)["messages/s"])
        say(f"{job}: {pairs[job][-1]:,.0f} messages/s")
    for job, rates in pairs.items():
        taking[job] = {"messages/s": float(np.median(rates))}
    taking["ingest minilm"]["of the model alone"] = (
        taking["ingest minilm"]["messages/s"] / taking["minilm alone"]["messages/s"]
    )
    for job in ("ingest", "rank-bm25", "bm25s"):
        taking[job] = measured(job, place / job, written, WRITTEN)
        say(f"{job}: {taking[job]['messages/s']:,.0f} messages/s")
    found["sizes"] = {}
    for size in sizes:
        folder = place / f"size{size}"
        line = {**measured("ingest random", folder, written, size), **measured("recall", folder, written, size)}
        found["sizes"][str(size)] = line
        say(f"{size:,}: recall {line['recall ms p95']:.1f} ms (p95), {line['peak MB']:.0f} MB")
    return found


def show(found: dict[str, Any], console: Console) -> None:
    taking = Table(
        "", "messages/s", "recall ms p50", "p95", "peak MB", title=f"{WRITTEN:,} messages ({EMBEDDED:,} embedded)"
    )
    for job, line in found["ingest"].items():
        cells = [line.get(name) for name in ("messages/s", "recall ms p50", "recall ms p95", "peak MB")]
        taking.add_row(job, *("" if cell is None else f"{cell:,.{0 if cell > 100 else 2}f}" for cell in cells))
    console.print(taking)
    share = found["ingest"]["ingest minilm"]["of the model alone"]
    console.print(f"with vectors: {share:.0%} of the rate of the model alone")
    sizes = Table("messages", *(name for name in next(iter(found["sizes"].values()))))
    for size, line in found["sizes"].items():
        sizes.add_row(f"{int(size):,}", *(f"{value:,.{0 if value > 100 else 2}f}" for value in line.values()))
    console.print(sizes)


def draw(found: dict[str, Any], path: Path) -> None:
    """The time of a recall over the number of messages."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    sizes = [int(size) for size in found["sizes"]]
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, style in (("recall ms p95", "o-"), ("recall ms p50", "o--")):
        axes.plot(sizes, [line[name] for line in found["sizes"].values()], style, label=name.removeprefix("recall ms "))
    axes.set(xscale="log", yscale="log", xlabel="messages", ylabel="ms a recall, embedding of the question included")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 30_000])
    parser.add_argument("--figure", type=Path, help="draw the curve into this file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--place", type=Path, help="keep corpus and memories in this folder")
    for name, kind in (("--job", str), ("--folder", Path), ("--written", Path), ("--count", int)):
        parser.add_argument(name, type=kind, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(work(options.job, options.folder, options.written, options.count)))
        return
    console = Console(stderr=options.json)
    with tempfile.TemporaryDirectory() as temporary:
        found = measure_all(options.sizes, options.place or Path(temporary), console.print)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found, console)
    if options.figure:
        draw(found, options.figure)


if __name__ == "__main__":
    main()
