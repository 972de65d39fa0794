"""Grades an answer to a BEAM probe: by its rubric, or for event ordering by the order of its lines.

Two profiles are given side by side. `score` is that of the agentic-graphrag harness: the mean of the items, for event
ordering F1 times tau. `official_score` is that of BEAM's repository (commit b2a3ee8b): .5 cut to 0, for event ordering
tau alone. A judge's reply that cannot be read is 0 for its item, for event ordering no match; the answer is flagged,
its verdict unscored, and `score_read` leaves it out. An empty answer is a failure of what answered, and 0 on all
measures, as the harness has it.
"""

from __future__ import annotations

from collections.abc import Mapping

from groupmem.errors import ModelError
from groupmem.lab.benchmarks.base import Grade
from groupmem.lab.benchmarks.loads import Load
from groupmem.lab.judging.event_order import PROMPT_NAMES as ORDER_PROMPTS
from groupmem.lab.judging.event_order import EventOrder, judge_event_order, same_event_prompt
from groupmem.lab.judging.judge import BEAM as PROFILE
from groupmem.lab.judging.judge import Judge
from groupmem.lab.judging.rubric import PROMPT_NAME as ITEM_PROMPT
from groupmem.lab.judging.rubric import RubricScore, item_prompt, judge_rubric
from groupmem.lab.judging.verdict import REPLY_TOKENS, unscored
from groupmem.prompts import Prompts
from groupmem.text import count_tokens
from groupmem.types import Answer, Outcome, Question, Verdict

__all__ = ["PROFILE", "PROMPTS", "grade", "judge_load", "rubric_of"]

PROMPTS = (ITEM_PROMPT, *ORDER_PROMPTS)
EVENT_ORDERING = "event_ordering"
EVENT_LINES = 10
"""Lines that an answer is taken to have before there is one, as the published estimate takes it."""
MEASURES = ("score", "score_excluding_known_bad", "event_f1", "event_tau_norm")
"""The measures of the harness; `score_excluding_known_bad` is missing for a question whose rubric is known to be
bad."""


def grade(question: Question, answer: Answer, judge: Judge) -> Grade:
    """The grade of one answer. Raises BudgetError or PendingError, for these pass."""
    rubric = rubric_of(question)
    if not answer.text.strip():
        return _failed(question, answer)
    if not rubric:
        return Grade(verdict=unscored("no_gold"), flags=_flags(question))
    try:
        if question.category == EVENT_ORDERING:
            return _ordered(question, judge_event_order(rubric, answer.text, judge))
        return _itemised(question, judge_rubric(rubric, answer.text, judge))
    except ModelError as error:
        return Grade(verdict=unscored("provider_error", str(error)), flags=_flags(question))


def judge_load(question: Question, prompts: Prompts) -> Load:
    """What judging one answer is likely to take, were it the rubric itself. For event ordering: `EVENT_LINES` lines,
    each compared with every item."""
    rubric = rubric_of(question)
    if question.category == EVENT_ORDERING:
        sent = [same_event_prompt(item, item, prompts) for item in rubric] * EVENT_LINES
    else:
        answer = "\n".join(rubric)
        sent = [("", item_prompt(item, answer, prompts)) for item in rubric]
    tokens = sum(count_tokens(system) + count_tokens(user) for system, user in sent)
    return Load(calls=len(sent), input_tokens=tokens, output_tokens=len(sent) * REPLY_TOKENS)


def rubric_of(question: Question) -> tuple[str, ...]:
    """The items of a probe's rubric; none where it has no rubric."""
    return tuple(str(item) for item in question.extra.get("rubric") or ())


def _itemised(question: Question, found: RubricScore) -> Grade:
    replies = "\n".join(f"[{number}] {item.reply}" for number, item in enumerate(found.items, start=1))
    return _graded(question, found, replies, {"official_score": found.whole_points})


def _ordered(question: Question, found: EventOrder) -> Grade:
    events = {"event_f1": found.f1, "event_tau_norm": found.tau_norm, "official_score": found.tau_norm}
    return _graded(question, found, "\n".join(found.replies), events)


def _graded(question: Question, found: RubricScore | EventOrder, replies: str, more: Mapping[str, float]) -> Grade:
    scores = {**_scores(question, found.score), **more}
    if found.unread is not None:
        verdict = Verdict(outcome="unscored", reason=found.unread, reply=replies, usage=found.usage)
        return Grade(verdict=verdict, scores=scores, flags=_flags(question, "parse_error"))
    verdict = Verdict(outcome=_outcome(found.score), reply=replies, usage=found.usage)
    return Grade(verdict=verdict, scores=scores | {"score_read": found.score}, flags=_flags(question))


def _failed(question: Question, answer: Answer) -> Grade:
    """Nothing came back: 0 on every measure, those of event ordering and a bad rubric's too."""
    flags = ("agent_failure", "timeout") if answer.finish_reason == "timeout" else ("agent_failure",)
    scores = dict.fromkeys((*MEASURES, "score_read", "official_score"), 0.0)
    return Grade(verdict=Verdict(outcome="wrong"), scores=scores, flags=_flags(question, *flags))


def _scores(question: Question, score: float) -> dict[str, float]:
    without = {} if question.known_bad else {"score_excluding_known_bad": score}
    return {"score": score} | without


def _flags(question: Question, *more: str) -> tuple[str, ...]:
    return (*more, *(("known_bad",) if question.known_bad else ()))


def _outcome(score: float) -> Outcome:
    """An answer is right where it meets everything."""
    return "right" if score == 1 else "wrong"
