"""Times the memory engine: taking messages in, and recall from a thousand messages to a million.

    python benchmarks/engine_speed.py
    python benchmarks/engine_speed.py --sizes 1000 10000 30000 100000 1000000 --place DIR --figure engine-speed.svg

The messages are those of `groupmem synth make technology`; beyond their number they come again, later, under other
ids. In one run: messages a second taken in with all notes and no vectors, with vectors beside the bare embedding model
on the same texts, and by the packages rank-bm25 and bm25s; then, for each size, milliseconds a recall (the embedding of
the question included), memory of the reading process, and bytes a message on disk. There the vectors of messages are
random, for an exact search takes as long with any; those of questions are the model's.

Questions are of two kinds: a few words of two messages, and those of `groupmem questions make`, of which a third has
several parts, each with an embedding of its own. Every time is given twice, by the wall clock and as processor time:
where others use the machine as well, only the second says something about the program.
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
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from engine_speed_data import Asked, half_remembered, made, repeated, write_corpus
from engine_speed_report import draw, show
from rich.console import Console

from groupmem import Conversation, GroupMemory
from groupmem.models.base import Account, Vectors
from groupmem.models.session import Models
from groupmem.readers.registry import read_any
from groupmem.text import words

WRITTEN = 30_000
EMBEDDED = 3_000
PAIRS = 3
QUESTIONS = 100
WARM = 10
LIMIT = 10
LARGEST_RIVAL = {"rank-bm25": 30_000, "bm25s": 100_000}
"""Beyond these numbers of messages the other packages take minutes or many gigabytes to build."""

HERE = Path(__file__)
Figures = dict[str, float]


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


# -- what is measured --------------------------------------------------------------------------------------------------


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the wall clock, and seconds of processor time of all threads."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def latencies(name: str, ask: Callable[[Asked], object], asked: Sequence[Asked]) -> Figures:
    """Milliseconds a question: median and 95th percentile, by both clocks."""
    for each in asked[:WARM]:
        ask(each)
    spent = np.array([timed(partial(ask, each)) for each in asked]) * 1_000
    return {
        f"{name} {clock} p{percent}": float(np.percentile(spent[:, column], percent))
        for column, clock in enumerate(("ms", "cpu ms"))
        for percent in (50, 95)
    }


def rates(count: int, seconds: tuple[float, float]) -> Figures:
    return {"messages/s": count / seconds[0], "messages/cpu s": count / seconds[1]}


def peak_mb() -> Figures:
    return {"peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def ingest(folder: Path, conversation: Conversation, count: int, embedding: Any) -> Figures:
    """Takes the first `count` messages in, and brings the indexes up to the last."""
    with GroupMemory(folder / "team.db", embedding=embedding) as memory:
        memory.set_people(conversation.people)
        memory.set_channels(conversation.channels)

        def take_in() -> None:
            memory.add(islice(repeated(conversation.messages), count))
            memory.flush()

        found = rates(count, timed(take_in)) | peak_mb()
        memory.compact()
    (folder / "complete").touch()
    return found


def embed_alone(conversation: Conversation, count: int) -> Figures:
    """The embedding model alone, on the same texts and in one call; and on single questions."""
    texts = [message.text for message in conversation.messages[:count]]
    with Models(log_path=None, cache_path=None) as models:
        model = models.embedding("minilm", Account())
        model.embed(texts[:32], kind="passage")
        asked = half_remembered(conversation.messages, QUESTIONS)
        alone = latencies("embedding", lambda each: model.embed([each[0]], kind="query"), asked)
        return rates(count, timed(lambda: model.embed(texts, kind="passage"))) | alone


def recall(folder: Path, conversation: Conversation, written: Path, count: int) -> Figures:
    """Asks a memory that is there, in a process that does nothing else."""
    asked = half_remembered(conversation.messages, QUESTIONS)
    with GroupMemory(folder / "team.db", embedding=RandomPassages()) as memory:

        def ask(each: Asked) -> None:
            memory.recall(each[0], asker=each[1], limit=LIMIT)

        found = {"first recall s": timed(lambda: ask(asked[0]))[0]}
        found |= latencies("recall", ask, asked) | latencies("made", ask, made(written, QUESTIONS)) | peak_mb()
        status = memory.status()
    return found | {
        "database bytes/message": status.database_bytes / count,
        "index bytes/message": status.index_bytes / count,
    }


def rival(name: str, conversation: Conversation, count: int) -> Figures:
    """Another index over the bare texts: no notes, no scope, nothing on disk."""
    texts = [message.text for message in islice(repeated(conversation.messages), count)]
    built: list[Callable[[Asked], object]] = []
    build = {"rank-bm25": rank_bm25, "bm25s": bm25s}[name]
    seconds = timed(lambda: built.append(build(texts)))
    asked = half_remembered(conversation.messages, QUESTIONS)
    return rates(count, seconds) | latencies("recall", built[0], asked) | peak_mb()


def rank_bm25(texts: Sequence[str]) -> Callable[[Asked], object]:
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([words(text) for text in texts])
    return lambda each: index.get_top_n(words(each[0]), texts, n=LIMIT)


def bm25s(texts: Sequence[str]) -> Callable[[Asked], object]:
    import bm25s as package

    index = package.BM25()
    index.index([words(text) for text in texts], show_progress=False)
    return lambda each: index.retrieve([words(each[0])], k=LIMIT, show_progress=False)


# -- processes ---------------------------------------------------------------------------------------------------------


def work(job: str, folder: Path, written: Path, count: int) -> Figures:
    """One measurement, in the process that was started for it."""
    conversation = read_any(written).conversation
    jobs = {
        "ingest": lambda: ingest(folder, conversation, count, None),
        "ingest minilm": lambda: ingest(folder, conversation, count, "minilm"),
        "ingest random": lambda: ingest(folder, conversation, count, RandomPassages()),
        "minilm alone": lambda: embed_alone(conversation, count),
        "recall": lambda: recall(folder, conversation, written, count),
        "rank-bm25": lambda: rival("rank-bm25", conversation, count),
        "bm25s": lambda: rival("bm25s", conversation, count),
    }
    return jobs[job]()


def measured(job: str, folder: Path, written: Path, count: int) -> Figures:
    """Runs a job in a process of its own, so that its memory is its own."""
    command = [sys.executable, str(HERE), "--job", job, "--folder", str(folder), "--written", str(written)]
    done = subprocess.run([*command, "--count", str(count)], check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def measure_ingest(place: Path, written: Path) -> dict[str, Figures]:
    """The model alone and with the engine in turns, of which the medians count; then the engine without vectors."""
    turns: dict[str, list[Figures]] = {"minilm alone": [], "ingest minilm": []}
    with tempfile.TemporaryDirectory(dir=place) as fresh:
        for turn in range(PAIRS):
            for job, lines in turns.items():
                lines.append(measured(job, Path(fresh) / f"minilm{turn}", written, EMBEDDED))
        found = {
            job: {name: float(np.median([line[name] for line in lines])) for name in lines[0]}
            for job, lines in turns.items()
        }
        return found | {"ingest": measured("ingest", Path(fresh) / "words", written, WRITTEN)}


def measure_size(size: int, place: Path, written: Path) -> dict[str, Figures]:
    """Recall at one size, and by the other packages. A memory that is complete in `place` is not made again."""
    folder = place / f"size{size}"
    if not (folder / "complete").exists():
        measured("ingest random", folder, written, size)
    rivals = [name for name, largest in LARGEST_RIVAL.items() if size <= largest]
    return {name: measured(name, folder, written, size) for name in ("recall", *rivals)}


def measure_all(sizes: Sequence[int], place: Path, say: Callable[[str], object]) -> dict[str, Any]:
    written = place / "corpus"
    write_corpus(written, WRITTEN)
    found: dict[str, Any] = {"machine": platform.processor() or platform.machine(), "python": platform.python_version()}
    found["ingest"] = measure_ingest(place, written)
    say(f"ingest: {found['ingest']['ingest']['messages/cpu s']:,.0f} messages a second of processor time")
    found["sizes"] = {}
    for size in sizes:
        found["sizes"][str(size)] = lines = measure_size(size, place, written)
        line = lines["recall"]
        say(
            f"{size:,}: recall p95 {line['recall ms p95']:.1f} ms, {line['recall cpu ms p95']:.1f} ms of processor time"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 30_000])
    parser.add_argument("--figure", type=Path, help="draw the curve into this file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--place", type=Path, help="keep corpus and memories in this folder, and use those that are there"
    )
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
        draw(found["sizes"], found["ingest"]["minilm alone"], options.figure)


if __name__ == "__main__":
    main()
