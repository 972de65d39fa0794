"""What became of each question of a BEAM run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groupmem.lab.records import AnswerLine, RecalledLine, RunFolder, RunRecord, VerdictLine
from groupmem.types import Question, Record, passage_ids

FAILURE = "agent_failure"
FLAG_NAMES = {"known_bad": "known_bad_rubric"}
"""Flags that the harness calls otherwise."""


class QuestionRecord(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`status` is "ok", "agent_failure", or why there is no score: "open" where it was not judged yet, or the reason of
    an unscored verdict. `finish_reason` is how the answer ended: "stop", "timeout", "recursion_limit". `llm_calls` are
    those of the answer and of the judge; `retrieved_ids` are in rank order."""

    id: str
    corpus_id: str
    group: str
    status: str
    finish_reason: str | None
    flags: tuple[str, ...]
    scores: Mapping[str, float]
    llm_calls: Mapping[str, int]
    latency_s: float | None
    retrieved_ids: tuple[str, ...]


def question_records(folder: RunFolder, run: RunRecord, system: str) -> Iterator[QuestionRecord]:
    """Every question of the run, in its order; one that was not asked yet is open."""
    for unit in run.units:
        recalled, answers = folder.recalled(unit, system), folder.answers(unit, system)
        verdicts = folder.verdicts(unit, system)
        for question in folder.read_questions(unit):
            name = question.id
            yield _record(unit, question, recalled.get(name), answers.get(name), verdicts.get(name))


def _record(
    unit: str, question: Question, recalled: RecalledLine | None, answer: AnswerLine | None, graded: VerdictLine | None
) -> QuestionRecord:
    flags = graded.grade.flags if graded else ()
    return QuestionRecord(
        id=question.id,
        corpus_id=unit,
        group=question.category,
        status=_status(graded),
        finish_reason=answer.answer.finish_reason if answer else None,
        flags=tuple(FLAG_NAMES.get(flag, flag) for flag in flags if flag != FAILURE),
        scores={name: round(value, 4) for name, value in graded.grade.scores.items()} if graded else {},
        llm_calls={
            "answer": answer.answer.usage.calls if answer else 0,
            "judge": graded.grade.verdict.usage.calls if graded else 0,
        },
        latency_s=_seconds(recalled, answer),
        retrieved_ids=tuple(passage_ids(recalled.passages)) if recalled else (),
    )


def _status(graded: VerdictLine | None) -> str:
    if graded is None:
        return "open"
    if FAILURE in graded.grade.flags:
        return FAILURE
    return "ok" if graded.grade.scores else graded.grade.verdict.reason or "open"


def _seconds(recalled: RecalledLine | None, answer: AnswerLine | None) -> float | None:
    """Seconds of recall, and of the answer where the system gave it by itself."""
    if recalled is None:
        return None
    own = answer.latency_ms if answer and answer.latency_ms else 0.0
    return round((recalled.latency_ms + own) / 1000, 3)
