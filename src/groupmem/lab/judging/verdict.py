"""The verdict judge: is the answer what the gold says? (GroupMemBench, App. "LLM Judge Configuration").

The judge sees the question, the gold answer and the final answer, never the reasoning behind it nor what was retrieved.
A reply that cannot be read is unscored with its reason and stays out of the accuracy; it is never counted as wrong.
"""

from __future__ import annotations

from groupmem.errors import ModelError
from groupmem.lab.judging.final import final_answer
from groupmem.lab.judging.judge import Judge, stopped_short
from groupmem.models.base import ChatReply
from groupmem.prompts import Prompts, text_marker
from groupmem.types import Answer, Outcome, Question, UnscoredReason, Verdict

MAX_ANSWER_CHARS = 4000
"""Longer answers are cut before they are judged, so that a dump of everything cannot pass for an answer."""

PROMPT_NAMES = ("judge/system", "judge/user")
REPLY_TOKENS = 150
"""Assumed length of a reply: a short paragraph of reasoning and the last line. A model that thinks writes more."""
_NEGATIVE = ("incorrect", "wrong", "not correct")


def judge_answer(question: Question, answer: Answer, judge: Judge) -> Verdict:
    """One verdict, from one call; an empty answer is wrong without a call, and without a gold nothing can be judged.

    A call that failed for good gives an unscored verdict. Raises BudgetError or PendingError, for these pass.
    """
    if not answer.text.strip():
        return Verdict(outcome="wrong")
    if question.answer is None:
        return unscored("no_gold")
    try:
        reply = judge.ask(*judge_prompt(question, answer.text, judge.prompts))
    except ModelError as error:
        return unscored("provider_error", str(error))
    return read_verdict(reply)


def judge_prompt(question: Question, answer: str, prompts: Prompts) -> tuple[str, str]:
    """(system, user): question, gold and the answer, which is cut where it is overlong and cannot leave its markers."""
    graded = _capped(answer.strip())
    slots = {"question": question.text, "gold": question.answer, "answer": graded, "marker": text_marker(graded)}
    return prompts.load("judge/system").render(), prompts.load("judge/user").render(**slots)


def read_verdict(reply: ChatReply) -> Verdict:
    """The verdict that a reply states; one that was cut off or refused states none, whatever it says."""
    reason = stopped_short(reply)
    if reason is not None:
        return Verdict(outcome="unscored", reason=reason, reply=reply.text, usage=reply.usage)
    outcome = parse_outcome(reply.text)
    unparsable: UnscoredReason | None = "unparsable" if outcome == "unscored" else None
    return Verdict(outcome=outcome, reason=unparsable, reply=reply.text, usage=reply.usage)


def parse_outcome(reply: str) -> Outcome:
    """Negative words first, for "correct" is a part of "incorrect"; neither kind of word is no verdict."""
    final = final_answer(reply).lower()
    if any(word in final for word in _NEGATIVE):
        return "wrong"
    return "right" if "correct" in final else "unscored"


def published_hit(verdict: Verdict) -> bool:
    """Whether the summary of the published scripts counts a hit: the letters of the final are exactly "correct".

    Everything else, an unscored verdict too, is a miss there; the denominator is all questions.
    """
    return "".join(filter(str.isalpha, final_answer(verdict.reply))).lower() == "correct"


def unscored(reason: UnscoredReason, reply: str = "") -> Verdict:
    """A verdict that says why there is none."""
    return Verdict(outcome="unscored", reason=reason, reply=reply)


def _capped(text: str) -> str:
    if len(text) <= MAX_ANSWER_CHARS:
        return text
    return f"{text[:MAX_ANSWER_CHARS]} … [the answer goes on; {len(text) - MAX_ANSWER_CHARS} characters left out]"
