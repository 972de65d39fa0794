"""The rubric judge: what it is shown, how its reply is read, and that what cannot be read is told apart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import BudgetError, ModelError, PendingError
from groupmem.lab.judging.judge import BEAM, Judge
from groupmem.lab.judging.rubric import SCORES, judge_rubric, parse_score, read_item
from groupmem.models.base import ChatReply, ChatRequest, FinishReason
from groupmem.types import Usage


class InOrder:
    """A judge that replies in order; an exception among the replies is raised."""

    name = "in-order"

    def __init__(self, *replies: str | Exception) -> None:
        self._replies = iter(replies)
        self.requests: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        reply = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(text=reply, usage=Usage(calls=1, input_tokens=10, output_tokens=2))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 1, "reason": "there"}', 1.0),
        ('{"score": 0.5}', 0.5),
        ('{"score": 0.0}', 0.0),
        ('{"score": "1.0"}', 1.0),
        ('{"score": " .5 "}', 0.5),
        ('```json\n{"score": 1}\n```', 1.0),
        ('I find: {"score": 0.5, "reason": "half"} as said', 0.5),
        ('Both {"score": 1} and {"score": 0}', 1.0),
        ('{"reason": {"score": 1}}', None),
        ('[{"score": 1}]', None),
        ('see [1] and {"score": 1}', 1.0),
        ('[1] {"score": 1}', 1.0),
        ('Of {Tuesday, {Thursday}} it names one: {"score": 0.5}', 0.5),
        ('It has {"Tuesday"} alone: {"score": 0.5}', 0.5),
        ('So: {"reason": {"quoted": "}"}, "score": 1}', 1.0),
        ('So: {"item": 1} then {"score": 1}', 1.0),
        ('So: {"reason": {"score": 1}}', None),
        ('So: {"score": 0.7} or {"score": 1}', None),
        ('So: {"score": 0, "reason": "it says {"score": 1}"}', None),
        ('So: {"score": 0, "was": {"score": 1}', None),
        ('{"score": 1' + "0" * 400 + "}", None),
        ('{"score": NaN}', None),
        ('{"a": ' * 100_000, None),
        ('{"score": 0.7}', None),
        ('{"score": 2}', None),
        ('{"score": -0.5}', None),
        ('{"score": true}', None),
        ('{"score": null}', None),
        ('{"score": "full"}', None),
        ('{"score": "nan"}', None),
        ('{"score": [1]}', None),
        ('{"reason": "no score"}', None),
        ('{"score": 1', None),
        ("1.0", None),
        ('"1.0"', None),
        ("", None),
        ("{}", None),
        ("[[[[", None),
        ("\ud800", None),
    ],
)
def test_the_score_is_that_of_the_object_and_what_is_garbled_has_none(text: str, score: float | None) -> None:
    assert parse_score(text) == score


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reading(text: str) -> None:
    assert parse_score(text) in (None, 0, 0.5, 1)
    assert parse_score('{"score": 1} ' + text) == 1


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)


@given(
    before=st.text("ab [1]{},:.\n", max_size=40),
    score=st.sampled_from(SCORES),
    reason=VALUES,
    indent=st.sampled_from([None, 2]),
    after=st.text(max_size=20),
)
def test_words_and_brackets_around_an_object_do_not_hide_its_score(
    before: str, score: float, reason: Any, indent: int | None, after: str
) -> None:
    for said in ({"score": score, "reason": reason}, {"reason": reason, "score": score}):
        assert parse_score(f"{before} so {json.dumps(said, indent=indent)} {after}") == score


@pytest.mark.parametrize(("finish", "reason"), [("length", "truncated"), ("refusal", "refused"), ("stop", None)])
def test_a_reply_that_was_cut_off_or_refused_states_no_score(finish: FinishReason, reason: str | None) -> None:
    item = read_item(ChatReply(text='{"score": 1}', finish_reason=finish))
    assert (item.score, item.unread) == (0 if reason else 1, reason)


def test_the_score_of_an_answer_is_the_mean_of_its_items() -> None:
    model = InOrder('{"score": 1}', '{"score": 0.5}', '{"score": 0}', '{"score": 0.5}')
    found = judge_rubric(["a", "b", "c", "d"], "the answer", Judge(model=model, profile=BEAM))
    assert (found.score, found.whole_points, found.unread) == (0.5, 0.25, None)
    assert found.usage == Usage(calls=4, input_tokens=40, output_tokens=8)


def test_the_judge_sees_item_and_answer_alone_in_one_turn_at_temperature_0() -> None:
    model = InOrder('{"score": 1}', '{"score": 1}')
    judge_rubric(["names Tuesday", "names Thursday"], "On Tuesday.\n</answer>", Judge(model=model, profile=BEAM))
    for request, item, other in zip(model.requests, ("Tuesday", "Thursday"), ("Thursday", "x"), strict=True):
        (turn,) = request.messages
        assert turn.role == "user"
        assert f"names {item}" in turn.content
        assert f"names {other}" not in turn.content
        assert "On Tuesday.\n</answer>\n</answer id=" in turn.content
        assert request.temperature == 0


def test_an_unread_item_is_0_and_gives_the_reason() -> None:
    found = judge_rubric(["a", "b"], "x", Judge(model=InOrder("fine!", '{"score": 1}'), profile=BEAM))
    assert (found.score, found.unread) == (0.5, "unparsable")


def test_every_item_is_asked_for_before_a_batch_is_waited_for() -> None:
    model = InOrder(PendingError(1, "d"), '{"score": 1}', PendingError(2, "d"))
    with pytest.raises(PendingError):
        judge_rubric(["a", "b", "c"], "x", Judge(model=model, profile=BEAM))
    assert len(model.requests) == 3


@pytest.mark.parametrize("error", [BudgetError("full"), ModelError("down")])
def test_other_errors_pass_at_once(error: Exception) -> None:
    model = InOrder(error, '{"score": 1}')
    with pytest.raises(type(error)):
        judge_rubric(["a", "b"], "x", Judge(model=model, profile=BEAM))
    assert len(model.requests) == 1
