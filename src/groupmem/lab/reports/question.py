"""One question of a run: what was asked, what would have been right, and what each system made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from groupmem.errors import InputError, UnknownNameError, nearest_first
from groupmem.lab.benchmarks.base import Grade
from groupmem.lab.records import AnswerLine, RecalledLine, RunFolder, RunRecord
from groupmem.types import Question, Record, passage_ids

_NEAREST = 10


class Evidence(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A gold message. The corpus is not in a run folder: `text` is known only where a system returned the message."""

    id: str
    text: str | None


class ShownPassage(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A passage as it was returned. `rank` is that of the first of its ids, None where earlier passages had them all;
    `gold` and `hidden` are those of its ids that prove the answer, and that the asker may not read."""

    rank: int | None
    ids: tuple[str, ...]
    gold: tuple[str, ...]
    hidden: tuple[str, ...]
    author: str | None
    channel: str | None
    sent_at: datetime | None
    text: str


class RecallView(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What came back. `missed` is the evidence that is not among the passages; for a row that returns nothing in rank
    order (`ranked` False) no passages are on record."""

    ranked: bool
    passages: tuple[ShownPassage, ...]
    missed: tuple[str, ...]
    support: float | None
    latency_ms: float
    context_tokens: int


class AnswerView(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was answered; `problem` says why an answer cannot be judged."""

    text: str
    reasoning: str
    problem: str | None
    detail: str


class VerdictView(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the judge found, its reply in full, and the further measures that the benchmark gives the answer."""

    outcome: str
    reason: str | None
    reply: str
    scores: Mapping[str, float]


class SystemView(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What one system did with the question; what did not happen is None.

    `status` is that of the cell, "missing" where it was never begun; a failed cell shows its failure and nothing else.
    """

    system: str
    status: str
    failure: str | None = None
    recalled: RecallView | None = None
    answer: AnswerView | None = None
    verdict: VerdictView | None = None


class QuestionView(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What `groupmem show` prints; docs/reports.md describes every field.

    `limit` is the number of ranks that a reader is handed; where nobody reads, more were asked for.
    """

    run: str
    limit: int
    unit: str
    id: str
    category: str
    asker: str | None
    asked_at: datetime | None
    text: str
    gold: str | None
    evidence: tuple[Evidence, ...]
    twin: str | None
    known_bad: str | None
    systems: tuple[SystemView, ...]


def view_question(
    folder: RunFolder, question_id: str, *, unit: str | None = None, systems: Sequence[str] = ()
) -> QuestionView:
    """One question with all systems, or with those named.

    Raises UnknownNameError for a question, unit or system that the run does not have, InputError where several units
    have a question of this id and none is named.
    """
    record = folder.read_run()
    for system in systems:
        if system not in record.spec.systems:
            raise UnknownNameError("system", system, record.spec.systems)
    found_unit, question = _find(folder, record, question_id, unit)
    lines = {system: folder.recalled(found_unit, system).get(question_id) for system in record.spec.systems}
    return QuestionView(
        run=str(folder.path),
        limit=record.spec.limit,
        unit=found_unit,
        id=question.id,
        category=question.category,
        asker=question.asker,
        asked_at=question.asked_at,
        text=question.text,
        gold=question.answer,
        evidence=_evidence(question, [line for line in lines.values() if line is not None]),
        twin=question.twin,
        known_bad=question.known_bad,
        systems=tuple(
            _system_view(folder, found_unit, system, question, lines[system])
            for system in dict.fromkeys(systems or record.spec.systems)
        ),
    )


def _find(folder: RunFolder, record: RunRecord, question_id: str, unit: str | None) -> tuple[str, Question]:
    if unit is not None and unit not in record.units:
        raise UnknownNameError("unit", unit, record.units)
    asked = [(name, one) for name in record.units if unit in (None, name) for one in folder.read_questions(name)]
    found = [(name, one) for name, one in asked if one.id == question_id]
    if not found:
        nearest = nearest_first(question_id, (one.id for _, one in asked))[:_NEAREST]
        raise UnknownNameError("question", question_id, nearest)
    if len(found) > 1:
        units = " or ".join(name for name, _ in found)
        raise InputError(f"question {question_id!r} is in several units: say --unit {units}")
    return found[0]


def _evidence(question: Question, lines: Iterable[RecalledLine]) -> tuple[Evidence, ...]:
    texts = {
        passage.source_ids[0]: passage.text
        for line in lines
        for passage in line.passages
        if len(passage.source_ids) == 1
    }
    return tuple(Evidence(id=message, text=texts.get(message)) for message in question.evidence)


def _system_view(
    folder: RunFolder, unit: str, system: str, question: Question, recalled: RecalledLine | None
) -> SystemView:
    cell = folder.read_cell(unit, system)
    if cell is None:
        return SystemView(system=system, status="missing")
    if cell.status == "failed":
        return SystemView(system=system, status=cell.status, failure=cell.failure)
    answered = folder.answers(unit, system).get(question.id)
    graded = folder.verdicts(unit, system).get(question.id)
    return SystemView(
        system=system,
        status=cell.status,
        recalled=None if recalled is None else _recall_view(question, recalled, ranked=cell.ranked),
        answer=None if answered is None else _answer_view(answered),
        verdict=None if graded is None else _verdict_view(graded.grade),
    )


def _recall_view(question: Question, line: RecalledLine, *, ranked: bool) -> RecallView:
    found = passage_ids(line.passages)
    return RecallView(
        ranked=ranked,
        passages=tuple(_passages(question, line)),
        missed=tuple(message for message in question.evidence if message not in found),
        support=line.support,
        latency_ms=line.latency_ms,
        context_tokens=line.context_tokens,
    )


def _passages(question: Question, line: RecalledLine) -> Iterator[ShownPassage]:
    seen: set[str] = set()
    for passage in line.passages:
        new = set(passage.source_ids) - seen
        yield ShownPassage(
            rank=len(seen) + 1 if new else None,
            ids=passage.source_ids,
            gold=tuple(source for source in passage.source_ids if source in question.evidence),
            hidden=tuple(source for source in passage.source_ids if source in line.hidden),
            author=passage.author,
            channel=passage.channel,
            sent_at=passage.sent_at,
            text=passage.text,
        )
        seen |= new


def _answer_view(line: AnswerLine) -> AnswerView:
    return AnswerView(text=line.answer.text, reasoning=line.answer.reasoning, problem=line.problem, detail=line.detail)


def _verdict_view(grade: Grade) -> VerdictView:
    verdict = grade.verdict
    return VerdictView(outcome=verdict.outcome, reason=verdict.reason, reply=verdict.reply, scores=grade.scores)
