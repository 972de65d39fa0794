"""What every reader gives back: the conversation, its questions, and an account of what was not taken as it stood."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from groupmem.errors import InputError
from groupmem.files import open_atomic
from groupmem.types import Conversation, Question, Record

SENTENCES: Mapping[str, str] = {
    "naive_times": "times without a zone, read as UTC",
    "missing_times": "messages without a time",
    "orphan_replies": "replies to a message that is not there, kept as they are",
    "unknown_askers": "questions by an asker who is neither in the people nor an author, kept",
    "unknown_evidence": "evidence ids that no message has",
    "non_finite_numbers": "numbers that JSON does not know (NaN, Infinity), kept as text",
}
"""What is counted while reading, and how a warning says it, before the number."""


class QuarantinedRow(Record, frozen=True, kw_only=True):
    """A row that could not be used. `where` is its line or its index in the file; `row` is its text as it was read."""

    file: str
    where: str
    reason: str
    row: str


class ReadReport(Record, frozen=True, kw_only=True):
    """What was set aside (`quarantined`), what was counted (`counts`, by names of `SENTENCES`), and other `notes`."""

    quarantined: tuple[QuarantinedRow, ...] = ()
    counts: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()

    def counted(self) -> dict[str, int]:
        """The counts by what they count, in words."""
        return {SENTENCES[name]: number for name, number in self.counts.items()}

    def remarks(self) -> tuple[str, ...]:
        """What cannot be said as a count: the rows set aside, and the notes."""
        if not self.quarantined:
            return self.notes
        first = self.quarantined[0]
        aside = f"rows set aside: {len(self.quarantined):,}, first {first.file}, {first.where}: {first.reason}"
        return (aside, *self.notes)

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each kind of thing that a user should know; empty where all was in order."""
        return (*self.remarks(), *(f"{what}: {number:,}" for what, number in self.counted().items()))


class Loaded(Record, frozen=True, kw_only=True):
    """What a reader read."""

    conversation: Conversation
    questions: tuple[Question, ...] = ()
    report: ReadReport = ReadReport()


class BadRow(Exception):
    """A row that cannot be used, and why; a reader quarantines the row and goes on with the next."""


class Ledger:
    """Collects the account while a reader runs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._quarantined: list[QuarantinedRow] = []
        self._notes: list[str] = []

    def count(self, name: str) -> None:
        """Adds one to a count; the name is one of `SENTENCES`."""
        if name not in SENTENCES:
            raise KeyError(name)
        self.counts[name] += 1

    def quarantine(self, file: Path, where: str, reason: object, row: object) -> None:
        """Sets a row aside; `row` is the raw line, or the decoded value."""
        self._quarantined.append(
            QuarantinedRow(file=str(file), where=where, reason=str(reason), row=_printable(row)),
        )

    def note(self, sentence: str) -> None:
        self._notes.append(sentence)

    def report(self) -> ReadReport:
        return ReadReport(
            quarantined=tuple(self._quarantined),
            counts={name: self.counts[name] for name in SENTENCES if self.counts[name]},
            notes=tuple(self._notes),
        )


def write_quarantine(report: ReadReport, path: Path) -> int:
    """Writes the rows that were set aside as JSONL (file, where, reason, row), atomically; returns their number."""
    with open_atomic(path) as file:
        for row in report.quarantined:
            file.write(msgspec.json.encode(row) + b"\n")
    return len(report.quarantined)


def finish(conversation: Conversation, questions: tuple[Question, ...], ledger: Ledger) -> Loaded:
    """Counts what can only be seen with everything read: orphan replies, unknown askers and evidence.

    Raises InputError where not one message is left.
    """
    if not conversation.messages:
        _no_messages(conversation.id, ledger.report())
    ids = {message.id for message in conversation.messages}
    known = {person.id for person in conversation.people} | {message.author for message in conversation.messages}
    for message in conversation.messages:
        if message.sent_at is None:
            ledger.count("missing_times")
        if message.reply_to is not None and message.reply_to not in ids:
            ledger.count("orphan_replies")
    for question in questions:
        if question.asker is not None and question.asker not in known:
            ledger.count("unknown_askers")
        for evidence in question.evidence:
            if evidence not in ids:
                ledger.count("unknown_evidence")
    return Loaded(conversation=conversation, questions=questions, report=ledger.report())


def _no_messages(name: str, report: ReadReport) -> NoReturn:
    reasons = "; ".join(report.warnings()) or "there are no rows"
    raise InputError(f"{name}: no message could be read: {reasons}")


def _printable(row: Any) -> str:
    """The row as text that can be written out, whatever bytes or lone surrogates are in it."""
    if isinstance(row, bytes):
        return row.decode("utf-8", "backslashreplace")
    text = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
