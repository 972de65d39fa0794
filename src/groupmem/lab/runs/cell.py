"""One system on one unit, while it is run: its row, its questions, and what is already on record for it."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from groupmem.files import write_atomic
from groupmem.lab.names import cell_name
from groupmem.lab.records import AnswerLine, CellRecord, RecalledLine, RunFolder, Stage, VerdictLine
from groupmem.lab.runs.rows import Row
from groupmem.types import Question

CUT_OFF = "ingest was cut off and went on in a later start: its seconds lack what was lost"
LOST = "model calls of its ingest were never answered: its memory lacks them"
STAGES: tuple[Stage, ...] = ("recalled", "answers", "verdicts")


class Cell:
    """Opening a cell mends its files and reads them. What is added reaches the operating system at once, and the disk
    with `finish`.

    `outdated` where the user's file that made it has changed since; all that it held is then gone.
    """

    def __init__(self, folder: RunFolder, unit: str, row: Row, questions: tuple[Question, ...]) -> None:
        self.folder = folder
        self.unit = unit
        self.row = row
        self.questions = questions
        found = folder.read_cell(unit, row.name)
        self.outdated = found is not None and found.sha256 != row.sha256
        self._cut_off = found is not None and found.status == "ingesting"
        self.record = found or self._fresh()
        if starts_over(found, row):
            folder.discard_cell(unit, row.name)
            self.record = self._fresh()
        for stage in STAGES:
            folder.mend(unit, row.name, stage)
        self.recalled = folder.recalled(unit, row.name)
        self.answers = folder.answers(unit, row.name)
        self.verdicts = folder.verdicts(unit, row.name)
        self._unsynced: set[Stage] = set()

    @property
    def name(self) -> str:
        return cell_name(self.unit, self.row.name)

    @property
    def failure_path(self) -> Path:
        return self.folder.failure_path(self.unit, self.row.name)

    @property
    def failed(self) -> bool:
        return self.record.status == "failed"

    def begin(self) -> None:
        """Before the row is opened. The clock of a row that goes on where it was cut off goes on too."""
        resumable, notes = self.row.traits.resumable, self.record.notes
        if resumable and self._cut_off and CUT_OFF not in notes:
            notes = (*notes, CUT_OFF)
        seconds = self.record.ingest_seconds if resumable else 0.0
        self.update(
            status="ingesting",
            messages=0,
            ingest_seconds=seconds,
            lost_ingest_calls=self.record.lost_ingest_calls if resumable else 0,
            notes=notes,
            kept_ingest=None,
        )

    def update(self, **changes: Any) -> None:
        """Replaces fields of the record and writes it."""
        self.record = msgspec.structs.replace(self.record, **changes)
        self.folder.write_cell(self.record, durable=False)

    def add_lost_ingest_calls(self, count: int) -> None:
        """Adds calls that were never answered, and says in a note what all of them are."""
        if count:
            lost = self.record.lost_ingest_calls + count
            others = (note for note in self.record.notes if not note.endswith(LOST))
            self.update(lost_ingest_calls=lost, notes=(*others, f"{lost} {LOST}"))

    def add_notes(self, notes: Iterable[str]) -> None:
        """Adds those that the record does not have."""
        together = tuple(dict.fromkeys((*self.record.notes, *notes)))
        if together != self.record.notes:
            self.update(notes=together)

    def finish(self, status: Literal["answered", "done"]) -> None:
        """Ends a start of the run: the lines that it added, and then the record, are on the disk."""
        for stage in self._unsynced:
            self.folder.sync(self.unit, self.row.name, stage)
        if self._unsynced or self.record.status != status:
            self.record = msgspec.structs.replace(self.record, status=status)
            self.folder.write_cell(self.record)
        self._unsynced.clear()

    def fail(self, error: BaseException) -> None:
        """Marks the cell as failed, with the reason in the record and the traceback beside it."""
        report = "".join(traceback.format_exception(error))
        write_atomic(self.failure_path, report.encode("utf-8", "replace"))
        self.update(status="failed", failure=f"{type(error).__name__}: {error}")

    def add_recalled(self, line: RecalledLine) -> None:
        self._append("recalled", line)
        self.recalled[line.question] = line

    def add_answer(self, line: AnswerLine) -> None:
        self._append("answers", line)
        self.answers[line.question] = line

    def add_verdict(self, line: VerdictLine) -> None:
        self._append("verdicts", line)
        self.verdicts[line.question] = line

    def _append(self, stage: Stage, line: msgspec.Struct) -> None:
        self.folder.append(self.unit, self.row.name, stage, line)
        self._unsynced.add(stage)

    def answered(self, question: Question) -> AnswerLine | None:
        """The answer on record, unless it is to be asked again because a provider failed."""
        line = self.answers.get(question.id)
        return None if _open_answer(line) else line

    def unasked(self, *, answering: bool) -> list[Question]:
        """Questions that the row must still be asked; where it also has to answer them now, those without an answer."""
        asked = self.recalled.keys()
        return [q for q in self.questions if q.id not in asked or (answering and _open_answer(self.answers.get(q.id)))]

    def unanswered(self) -> list[Question]:
        """Recalled questions without an answer; one that the provider failed on is asked again."""
        return [q for q in self.questions if q.id in self.recalled and _open_answer(self.answers.get(q.id))]

    def unjudged(self) -> list[Question]:
        """Answered questions without a verdict, or without one because a provider failed."""
        return [q for q in self.questions if q.id in self.answers and _open_verdict(self.verdicts.get(q.id))]

    def _fresh(self) -> CellRecord:
        row = self.row
        return CellRecord(
            unit=self.unit,
            system=row.name,
            reference=row.traits.reference,
            ranked=row.traits.ranked,
            answers_by_itself=row.traits.answers,
            sha256=row.sha256,
        )


def starts_over(found: CellRecord | None, row: Row) -> bool:
    """Whether what is on record for a row is worth nothing: its system broke, or its file was another one."""
    return found is not None and (found.status == "failed" or found.sha256 != row.sha256)


def _open_answer(line: AnswerLine | None) -> bool:
    return line is None or line.problem == "provider_error"


def _open_verdict(line: VerdictLine | None) -> bool:
    return line is None or line.grade.verdict.reason == "provider_error"
