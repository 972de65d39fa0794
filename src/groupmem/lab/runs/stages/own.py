"""Answers that systems give by themselves: how long one may take, and what it called."""

from __future__ import annotations

import time

import msgspec

from groupmem.errors import ModelError
from groupmem.lab.records import AnswerLine
from groupmem.lab.runs.reader import answer_line, provider_error
from groupmem.lab.runs.rows import Row
from groupmem.lab.runs.services import CellServices
from groupmem.types import Answer, Question, Record

TIMEOUT = "timeout"
FAILURES = (TIMEOUT, "recursion_limit")
"""Ends of an answer that came to nothing, whatever was said by then."""


class OwnAnswers(Record, frozen=True, kw_only=True):
    """How many questions are under way at a time, where a system can do so, and how long each may take; None: as long
    as it likes. The defaults are those of the agentic-graphrag harness."""

    concurrency: int = 2
    timeout_s: float | None = 900.0


def own_answer(row: Row, question: Question, services: CellServices, options: OwnAnswers, *, alone: bool) -> AnswerLine:
    """The line of a row's own answer. `alone`: no other question is under way, so that all calls are for this one.

    Raises BudgetError and InputError as `CellServices.question` does, and whatever the row raises but ModelError.
    """
    started = time.perf_counter()
    try:
        with services.question() as calls:
            answer = row.answer(question, calls.access if calls else None)
            if calls is not None and not answer.usage.calls:
                answer = msgspec.structs.replace(answer, usage=calls.usage(alone=alone))
    except ModelError as error:
        return provider_error(question, error)
    seconds = time.perf_counter() - started
    line = answer_line(question, in_time(answer, seconds, options.timeout_s))
    return msgspec.structs.replace(line, latency_ms=seconds * 1000)


def in_time(answer: Answer, seconds: float, timeout_s: float | None) -> Answer:
    """The answer, or an empty one where it came too late or to nothing; what was said by then is its reasoning."""
    late = timeout_s is not None and seconds > timeout_s and answer.finish_reason not in FAILURES
    ended = TIMEOUT if late else answer.finish_reason
    if ended not in FAILURES:
        return answer
    said = "\n\n".join(filter(None, (answer.reasoning, answer.text)))
    return msgspec.structs.replace(answer, text="", reasoning=said, finish_reason=ended)
