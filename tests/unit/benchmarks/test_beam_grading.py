"""Grades of BEAM answers: two profiles side by side, failures, bad rubrics, and what grading is going to take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from groupmem.errors import BudgetError, ModelError, PendingError
from groupmem.lab.benchmarks.beam.grading import EVENT_LINES, grade, judge_load
from groupmem.lab.judging.judge import BEAM, Judge
from groupmem.models.base import ChatReply, ChatRequest, FinishReason
from groupmem.prompts import Prompts
from groupmem.types import Answer, Question, Usage


class Scripted:
    """Scores an item by the number that stands in it, or says yes to lines that are equal; or `says` one reply to all.
    An exception is raised."""

    name = "scripted"

    def __init__(self, error: Exception | None = None, says: ChatReply | None = None) -> None:
        self.calls = 0
        self._error = error
        self._says = says

    def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        if self._error is not None:
            raise self._error
        if self._says is not None:
            return self._says
        text = request.messages[-1].content
        if len(request.messages) == 2:
            lines = text.splitlines()
            return ChatReply(text="yes" if lines[2] == lines[7] else "no", usage=Usage(calls=1))
        wanted = re.search(r"item scores (\S+)", text)
        return ChatReply(text=f'{{"score": {wanted[1]}}}' if wanted else "?", usage=Usage(calls=1))


def probe(rubric: list[str], *, category: str = "summarization", known_bad: str | None = None) -> Question:
    return Question(id="conv1:x:0", text="What?", category=category, known_bad=known_bad, extra={"rubric": rubric})


def graded(question: Question, answer: str = "An answer.", **more: Any) -> Any:
    model = Scripted()
    found = grade(question, Answer(text=answer, **more), Judge(model=model, profile=BEAM))
    assert found.verdict.usage.calls == model.calls
    return found


def test_the_mean_of_the_items_and_the_whole_points_of_the_repository() -> None:
    found = graded(probe(["item scores 1", "item scores 0.5"]))
    assert (found.verdict.outcome, found.flags) == ("wrong", ())
    assert found.scores == {
        "score": 0.75,
        "score_excluding_known_bad": 0.75,
        "score_read": 0.75,
        "official_score": 0.5,
    }
    assert graded(probe(["item scores 1", "item scores 1"])).verdict.outcome == "right"


def test_a_reply_that_cannot_be_read_is_0_flagged_and_unscored() -> None:
    found = graded(probe(["item scores 1", "?"]))
    assert (found.verdict.outcome, found.verdict.reason, found.flags) == ("unscored", "unparsable", ("parse_error",))
    assert found.scores == {"score": 0.5, "score_excluding_known_bad": 0.5, "official_score": 0.5}


@pytest.mark.parametrize(
    ("finish", "text", "reason"),
    [
        ("length", "", "truncated"),
        ("length", "no", "truncated"),
        ("refusal", "I cannot say.", "refused"),
        ("stop", "Yes, the same event.", "unparsable"),
        ("stop", "", "unparsable"),
    ],
)
@pytest.mark.parametrize("category", ["summarization", "event_ordering"])
@pytest.mark.parametrize("known_bad", [None, "a dropped letter"])
def test_an_answer_of_any_kind_whose_judge_cannot_be_read_is_flagged_and_not_wrong(
    finish: FinishReason, text: str, reason: str, category: str, known_bad: str | None
) -> None:
    model = Scripted(says=ChatReply(text=text, finish_reason=finish, usage=Usage(calls=1)))
    question = probe(["A", "B"], category=category, known_bad=known_bad)
    found = grade(question, Answer(text="One came.\nAnother followed."), Judge(model=model, profile=BEAM))
    assert (found.verdict.outcome, found.verdict.reason) == ("unscored", reason)
    assert found.flags == ("parse_error", *(("known_bad",) if known_bad else ()))
    assert found.verdict.usage.calls == model.calls
    assert "score_read" not in found.scores
    assert found.scores["score"] == 0
    assert {"score", "official_score"} <= set(found.scores)


def test_a_bad_rubric_has_no_value_in_the_mean_that_leaves_it_out() -> None:
    found = graded(probe(["item scores 1"], known_bad="a dropped letter"))
    assert found.flags == ("known_bad",)
    assert found.scores == {"score": 1, "score_read": 1, "official_score": 1}


def test_event_ordering_is_f1_times_tau_and_tau_alone_for_the_repository() -> None:
    found = graded(probe(["A", "B", "C"], category="event_ordering"), "A\nB")
    assert found.verdict.outcome == "wrong"
    assert found.scores == pytest.approx(
        {
            "score": 0.8,
            "score_excluding_known_bad": 0.8,
            "event_f1": 0.8,
            "event_tau_norm": 1,
            "score_read": 0.8,
            "official_score": 1,
        }
    )
    assert graded(probe(["A", "B"], category="event_ordering"), "A\nB").verdict.outcome == "right"


@pytest.mark.parametrize(("finish", "flags"), [("stop", ()), ("recursion_limit", ()), ("timeout", ("timeout",))])
@pytest.mark.parametrize("known_bad", [None, "a dropped letter"])
def test_no_answer_is_a_failure_and_0_on_every_measure_without_a_call(
    finish: str, flags: tuple[str, ...], known_bad: str | None
) -> None:
    found = graded(probe(["item scores 1"], known_bad=known_bad), "  \n", finish_reason=finish)
    assert found.verdict.outcome == "wrong"
    assert found.flags == ("agent_failure", *flags, *(("known_bad",) if known_bad else ()))
    assert set(found.scores) == {
        *("score", "score_excluding_known_bad", "event_f1", "event_tau_norm", "score_read", "official_score")
    }
    assert set(found.scores.values()) == {0}


def test_without_a_rubric_nothing_can_be_judged() -> None:
    found = graded(probe([]))
    assert (found.verdict.outcome, found.verdict.reason, found.scores) == ("unscored", "no_gold", {})


@pytest.mark.parametrize("category", ["summarization", "event_ordering"])
def test_a_provider_that_fails_gives_no_score_and_other_errors_pass(category: str) -> None:
    question = probe(["item scores 1"], category=category)
    found = grade(question, Answer(text="x"), Judge(model=Scripted(ModelError("down")), profile=BEAM))
    assert (found.verdict.reason, found.verdict.reply, found.scores) == ("provider_error", "down", {})
    for error in (BudgetError("full"), PendingError(1, "d")):
        with pytest.raises(type(error)):
            grade(question, Answer(text="x"), Judge(model=Scripted(error), profile=BEAM))


def test_what_judging_is_going_to_take() -> None:
    plain = judge_load(probe(["a", "b", "c"]), Prompts())
    ordering = judge_load(probe(["a", "b", "c"], category="event_ordering"), Prompts())
    assert (plain.calls, ordering.calls) == (3, 3 * EVENT_LINES)
    assert judge_load(probe(["a", "b", "c" * 400]), Prompts()).input_tokens > plain.input_tokens > 0
    assert judge_load(probe([]), Prompts()).calls == 0
