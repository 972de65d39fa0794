"""Making questions: from an order to a folder of question files. The same order goes on with what was left undone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from groupmem.errors import InputError, PendingError
from groupmem.files import only_process
from groupmem.lab.questions.author import Anchor
from groupmem.lab.questions.checks import Seen
from groupmem.lab.questions.facts import FILES
from groupmem.lab.questions.journal import Journal
from groupmem.lab.questions.loop import pursue
from groupmem.lab.questions.order import Bench, Order, open_bench, prompt_hashes
from groupmem.lab.questions.output import QUESTIONS, WORK, QuestionFiles, TypeCounts, write_document, write_lines
from groupmem.lab.questions.records import Category, Outcome
from groupmem.lab.questions.solver import Solver
from groupmem.lab.runs.progress import Progress
from groupmem.lab.runs.stages.calls import side_by_side
from groupmem.models.session import Models
from groupmem.readers.registry import read_any
from groupmem.types import Conversation, Record

CALLS = "calls.sqlite"
BATCHES_AHEAD = 8
"""Anchors that are tried at once for each question that is still missing, where answers come in batches."""


class Made(Record, frozen=True, kw_only=True):
    """What came of an order. `resumed` outcomes were there before."""

    folder: Path
    counts: tuple[TypeCounts, ...]
    resumed: int


class _Written(Record, frozen=True, kw_only=True, omit_defaults=False):
    """order.json: the order, and the sha256 of the corpus and of the prompts, by name, that it was kept with."""

    order: Order
    corpus: str
    prompts: Mapping[str, str] = {}


def make_questions(
    order: Order, corpus: Path, out: Path, progress: Progress, open_models: Callable[[Path], Models], workers: int = 8
) -> Made:
    """Writes questions about the corpus into `out`; `open_models` opens models with a call log at the path it is given.

    Raises InputError for an order that cannot be kept or a folder that holds other questions, PendingError where batch
    files wait for answers, and what the models raise; what was found until then is kept, and the same order goes on.
    """
    finished = _claim(order, corpus, out)
    if finished is not None:
        return Made(folder=out, counts=finished, resumed=sum(one.anchors for one in finished))
    lock = out / WORK / "lock"
    with only_process(lock, out):
        made = _make(order, corpus, out, progress, open_models, workers)
        lock.unlink()
    return made


def _make(
    order: Order, corpus: Path, out: Path, progress: Progress, open_models: Callable[[Path], Models], workers: int
) -> Made:
    loaded = read_any(corpus)
    journal = Journal(out / WORK / "journal.jsonl")
    resumed = len(journal)
    with ExitStack() as stack:
        models = stack.enter_context(open_models(out / WORK / CALLS))
        solver = stack.enter_context(Solver(order.solver, loaded.conversation, models, order.seed))
        bench = open_bench(order, corpus, loaded.conversation, solver, models)
        making = _Making(order, bench, journal, progress, workers)
        outcomes = making.all_categories(models)
    return Made(folder=out, counts=_write(order, out, loaded.conversation, outcomes, journal), resumed=resumed)


class _Making:
    """Pursues anchors, wave by wave, until enough questions of each category are accepted."""

    def __init__(self, order: Order, bench: Bench, journal: Journal, progress: Progress, workers: int) -> None:
        self._order = order
        self._bench = bench
        self._journal = journal
        self._progress = progress
        self._workers = workers if order.calls else 1
        self._ahead = BATCHES_AHEAD if order.batched else 1
        self._seen = Seen()  # over all categories: a term ambiguity may ask what a temporal question asks

    def all_categories(self, models: Models) -> dict[Category, list[Outcome]]:
        """Raises PendingError only after every category has noted its requests: one batch holds them all."""
        outcomes: dict[Category, list[Outcome]] = {}
        for category in self._order.categories:
            try:
                outcomes[category] = self._category(category)
            except PendingError:
                continue
        models.flush_batches()
        return outcomes

    def _category(self, category: Category) -> list[Outcome]:
        """What became of the anchors that were tried, in their order. What is after the last one needed is left out, so
        that the size of a wave changes nothing."""
        anchors = self._bench.author.anchors(category)
        tried: list[Outcome] = []
        accepted = 0
        with self._progress.task(category, self._order.per_type) as task:
            while missing := max(self._order.per_type - accepted, 0):
                wave = list(islice(anchors, missing * self._ahead))
                if not wave:
                    break
                for outcome in self._pursue(wave, category):
                    if accepted < self._order.per_type:
                        kept = _without_double(outcome, self._seen)
                        tried.append(kept)
                        self._seen.add(kept.accepted)
                        accepted += len(kept.accepted)
                        task.advance(len(kept.accepted))
        return tried

    def _pursue(self, wave: Sequence[Anchor], category: Category) -> Iterator[Outcome]:
        found = {anchor.id: self._journal.find(category, anchor.id) for anchor in wave}
        todo = [anchor for anchor in wave if found[anchor.id] is None]
        bench = self._bench
        work = partial(
            pursue,
            category=category,
            author=bench.author,
            examiner=bench.examiner,
            check=bench.check,
            most_rounds=self._order.rounds,
        )
        pending: PendingError | None = None
        for anchor, result in side_by_side(todo, work, workers=self._workers):
            if isinstance(result, PendingError):
                pending = result
            elif isinstance(result, Exception):
                raise result
            else:
                self._journal.add(result)
                found[anchor.id] = result
        if pending is not None:
            raise pending
        return (outcome for outcome in found.values() if outcome is not None)


def _without_double(outcome: Outcome, seen: Seen) -> Outcome:
    """The outcome, refused where an accepted question has the same words already."""
    if not outcome.accepted or not seen.has_like(outcome.accepted):
        return outcome
    return msgspec.structs.replace(outcome, refusal="duplicate")


def _claim(order: Order, corpus: Path, out: Path) -> tuple[TypeCounts, ...] | None:
    """Takes the folder for this order; the counts where it is fulfilled already."""
    written = _Written(order=order, corpus=_sha256(corpus), prompts=prompt_hashes(order))
    path, counts = out / WORK / "order.json", out / WORK / "counts.json"
    if path.is_file():
        if msgspec.json.decode(path.read_bytes(), type=_Written) != written:
            raise InputError(f"{out} holds questions of another order ({path}): give --out another folder")
        return msgspec.json.decode(counts.read_bytes(), type=tuple[TypeCounts, ...]) if counts.is_file() else None
    if (out / QUESTIONS).exists() or (out / f"{QUESTIONS}.jsonl").exists():
        raise InputError(f"{out} holds questions already that were not made here: give --out another folder")
    write_document(path, written)
    return None


def _write(
    order: Order, out: Path, conversation: Conversation, outcomes: dict[Category, list[Outcome]], journal: Journal
) -> tuple[TypeCounts, ...]:
    files = QuestionFiles(out, conversation.people, order.solver)
    counts = tuple(files.write(category, tried) for category, tried in outcomes.items())
    write_lines(out / WORK / "trace.jsonl", (outcome for tried in outcomes.values() for outcome in tried))
    write_document(out / WORK / "counts.json", counts)
    journal.remove()
    return counts


def _sha256(corpus: Path) -> str:
    """Of all that questions are made from."""
    digest = hashlib.sha256()
    files = [corpus] if corpus.is_file() else [corpus / name for name in ("corpus.json", "messages.jsonl", *FILES)]
    for path in files:
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
