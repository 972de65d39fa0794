"""Recall: every question is asked once, after what was said before it, and what came back is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import msgspec

from groupmem.errors import BudgetError, InputError, PendingError
from groupmem.lab.records import AnswerLine, RecalledLine
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.history import answer_message
from groupmem.lab.runs.kept.cache import Kept
from groupmem.lab.runs.kept.cell import CellIngest
from groupmem.lab.runs.progress import Progress, Task
from groupmem.lab.runs.reader import first_ranks, passage_block
from groupmem.lab.runs.services import CellServices
from groupmem.lab.runs.stages.calls import side_by_side
from groupmem.lab.runs.stages.ingest import discard_store, ingest, store_size
from groupmem.lab.runs.stages.own import OwnAnswers, own_answer
from groupmem.lab.runs.unit import RunUnit
from groupmem.lab.systems.base import Setting
from groupmem.text import count_tokens
from groupmem.types import Question

AnswerNow = Callable[[Cell, Question, RecalledLine], AnswerLine]


class RecallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`depth` ranks a question, of which `limit` are for a reader. `answering`: rows that answer by themselves do so
    while they are open. `answer_now` is set where each answer joins the history before the next question, and gives it.
    `own` says how rows are asked that answer by themselves.
    """

    limit: int
    depth: int
    answering: bool = False
    answer_now: AnswerNow | None = None
    own: OwnAnswers = OwnAnswers()


class RecallStage:
    """Ingest and recall of one cell: the only stages in which its system is alive."""

    def __init__(self, cell: Cell, unit: RunUnit, services: CellServices, options: RecallOptions) -> None:
        self._cell = cell
        self._unit = unit
        self._services = services
        self._options = options

    def run(
        self,
        make_setting: Callable[[Kept | None], Setting],
        progress: Progress,
        first: Callable[[Setting], None] | None = None,
        ingests: CellIngest | None = None,
    ) -> None:
        """Asks what is still to be asked, after `first`. Where one of `ingests` was kept, it stands for that of the
        cell, and `first` is left out, for it was behind it. A system that breaks, or whose databases do not start,
        fails its cell, and the run goes on.

        Raises InputError, BudgetError and PendingError, which are not the system's fault; where questions wait for a
        batch, after all others were asked.
        """
        todo = self.todo
        with progress.task(f"{self._cell.name}: recall", len(todo)) as task:
            try:
                kept = ingests.find() if ingests else None
                self._cell.begin()
                setting = make_setting(kept)
                if first is not None and kept is None:
                    first(setting)
                with self._losses_told(), _live(self._cell, setting):
                    self._cell.add_notes(self._cell.row.notes())
                    self._drive(todo, task, partial(_settle, ingests, kept) if ingests else None)
                    with _noted(self._cell, "telling what it counted"):
                        self._cell.add_notes(self._cell.row.notes())
                        counted = kept.entry.figures if kept else {}
                        self._cell.update(figures={**self._cell.row.figures(), **counted})
                self._cell.add_notes(self._services.notes())
                stored = store_size(self._cell) + self._services.stored_bytes()
                self._cell.update(status="recalled", store_bytes=stored)
            except (InputError, BudgetError, PendingError):
                if self._services.stopped:
                    discard_store(self._cell)
                raise
            except (Exception, SystemExit) as error:  # a library that gives up may end the whole program
                self._cell.fail(error)
        if self._cell.failed:
            progress.note(
                f"{self._cell.name} failed: {self._cell.record.failure} (traceback in {self._cell.failure_path})"
            )

    @contextmanager
    def _losses_told(self) -> Iterator[None]:
        """Where it is interrupted too: a system that goes on in its store does not ask again for what it holds."""
        try:
            yield
        finally:
            self._cell.add_lost_ingest_calls(self._services.lost_in_ingest)

    @property
    def todo(self) -> list[Question]:
        """What is still to be asked. Appended answers are history: there all questions are walked through again until
        the last one is answered."""
        answering = self._options.answering and self._cell.row.traits.answers
        unasked = self._cell.unasked(answering=answering or self._options.answer_now is not None)
        return list(self._cell.questions) if unasked and self._options.answer_now else unasked

    def _drive(self, todo: list[Question], task: Task, after_ingest: Callable[[], None] | None) -> None:
        """A question that waits for a batch lets the next ones ask too, unless its answer is part of their history."""
        pending: PendingError | None = None
        for segment in self._unit.timeline.segments(todo):
            with self._services.during("ingest"):
                ingest(self._cell, segment.messages)
            if after_ingest is not None:
                after_ingest()
            if self._side_by_side:
                self._ask_side_by_side(segment.questions, task)
                continue
            for question in segment.questions:
                try:
                    self._ask(question)
                except PendingError as error:
                    if self._options.answer_now is not None:
                        raise
                    pending = error
                task.advance()
        if pending is not None:
            raise pending

    @property
    def _side_by_side(self) -> bool:
        """Whether several answers may be under way at a time; never where each joins the history before the next."""
        traits, options = self._cell.row.traits, self._options
        own = traits.answers and traits.concurrent and options.answering and options.answer_now is None
        return own and options.own.concurrency > 1

    def _ask_side_by_side(self, questions: Sequence[Question], task: Task) -> None:
        """Everything is recalled first, one after the other, so that its time is its own."""
        for question in questions:
            if question.id not in self._cell.recalled:
                self._cell.add_recalled(self._recall(question))
        stopped: BudgetError | PendingError | None = None
        for _, answer in side_by_side(questions, self._own_answer, workers=self._options.own.concurrency):
            if isinstance(answer, BudgetError | PendingError):
                stopped = answer  # what is under way may be answered still
            elif isinstance(answer, Exception):
                raise answer
            else:
                self._cell.add_answer(answer)
                task.advance()
        if stopped is not None:
            raise stopped

    def _ask(self, question: Question) -> None:
        cell = self._cell
        known = cell.answered(question)
        if self._options.answer_now is None or known is None:
            line = self._recall(question)
            cell.add_recalled(line if cell.row.traits.ranked else msgspec.structs.replace(line, passages=()))
            known = self._answer(question, line)
        if self._options.answer_now is not None and known is not None and known.answer.text.strip():
            with self._services.during("ingest"):
                ingest(cell, (answer_message(question, known.answer),))

    def _recall(self, question: Question) -> RecalledLine:
        with self._services.during("recall"):
            started = time.perf_counter()
            found = self._cell.row.recall(question, self._options.depth)
            latency_ms = (time.perf_counter() - started) * 1000
        reference = self._cell.row.traits.reference
        handed = found.passages if reference else first_ranks(found.passages, self._options.limit)
        return RecalledLine(
            question=question.id,
            passages=found.passages,
            support=found.support,
            latency_ms=latency_ms,
            context_tokens=count_tokens(passage_block(handed)),
            hidden=self._unit.hidden(question, found.passages),
            truncated=found.truncated,
            value_at_1=self._unit.value_at_1(question, found.passages),
        )

    def _answer(self, question: Question, line: RecalledLine) -> AnswerLine | None:
        """The answer, where it belongs to this stage."""
        if self._cell.row.traits.answers and self._options.answering:
            answer = self._own_answer(question)
        elif self._options.answer_now is not None:
            answer = self._options.answer_now(self._cell, question, line)
        else:
            return None
        self._cell.add_answer(answer)
        return answer

    def _own_answer(self, question: Question) -> AnswerLine:
        alone = not self._side_by_side
        return own_answer(self._cell.row, question, self._services, self._options.own, alone=alone)


def _settle(ingests: CellIngest, kept: Kept | None) -> None:
    """Where ingests are kept, the cell has a single one."""
    if kept is None:
        ingests.keep()
    else:
        ingests.take_over(kept)


@contextmanager
def _live(cell: Cell, setting: Setting) -> Iterator[None]:
    """An open row; closed once, and an error of closing never hides the one that came first."""
    row = cell.row
    try:
        row.open(setting)
        yield
    except BaseException:
        with suppress(Exception):
            row.close()
        raise
    with _noted(cell, "closing it"):
        row.close()


@contextmanager
def _noted(cell: Cell, what: str) -> Iterator[None]:
    """What fails after the last question is told in the record: the answers are there, and the ingest was paid for."""
    try:
        yield
    except (Exception, SystemExit) as error:
        told = (str(error).splitlines() or [""])[0]
        cell.add_notes((f"{what} failed after the last question: {type(error).__name__}: {told}",))
