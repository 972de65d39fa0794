"""Verification: a replacement that the model does not confirm is neither shown nor heeded."""

from __future__ import annotations

from typing import Any

import pytest

from groupmem.memory.recall import Explanation, Recaller
from support.assisting import Prompt, assisted, chat_over, playing
from support.openai_server import OpenAIServer
from support.recall_talk import VECTORS, said, view_of

QUESTION = "retention of the audit log"
TOPIC = {"topic": "Retention"}
VIEW = view_of(
    said(
        ("u1", "Decided: retention for the audit log is 30 days.", TOPIC),
        ("u3", "Retention again? Nobody reads the audit log.", TOPIC),
        ("u1", "Retention for the audit log goes from 30 to 90 days.", TOPIC),
        ("u2", "Lunch is at noon.", TOPIC),
    )
)


def explained(reply: Any) -> tuple[Explanation, OpenAIServer]:
    with OpenAIServer(playing({"verify": reply})) as server, chat_over(server) as chat:
        return assisted(VIEW, chat, "verify")[0].explain(VIEW, QUESTION), server


def superseded(found: Explanation) -> list[str]:
    return [each.source_ids[0] for each in found.recall.passages if "superseded by" in each.notes]


def test_a_confirmed_replacement_stays() -> None:
    found, _ = explained({"replaced": [1]})
    assert found.recall == Recaller(VECTORS).recall(VIEW, QUESTION)
    assert superseded(found) == ["m1"]
    assert found.assisted is not None and found.assisted.unlinked == ()


def test_one_that_is_not_confirmed_is_neither_shown_nor_heeded() -> None:
    found, _ = explained({"replaced": []})
    assert superseded(found) == []
    assert all("replaces" not in each.notes for each in found.recall.passages)
    assert all("decided" not in reasons.components for reasons in found.reasons)
    assert found.assisted is not None and found.assisted.unlinked == ("m3 for m1",)


def test_the_model_is_shown_both_in_their_order() -> None:
    prompts: list[Prompt] = []

    def reply(prompt: Prompt) -> object:
        prompts.append(prompt)
        return {"replaced": [1]}

    explained(reply)
    (pair,) = prompts[0].blocks["pairs"]
    assert (pair["earlier"]["text"], pair["later"]["text"]) == (
        "Decided: retention for the audit log is 30 days.",
        "Retention for the audit log goes from 30 to 90 days.",
    )


@pytest.mark.parametrize("replaced", [[2], [0], [1, 1], ["1"], "none"])
def test_a_bad_reply_leaves_every_replacement(replaced: object) -> None:
    found, _ = explained({"replaced": replaced})
    assert found.recall == Recaller(VECTORS).recall(VIEW, QUESTION)
    assert found.assisted is not None and "verify: malformed" in found.assisted.failures[0]


def test_where_nothing_is_replaced_nothing_is_asked() -> None:
    view = view_of(said(("u1", "Lunch is at noon."), ("u2", "The audit log is long.")))
    with OpenAIServer(playing({"verify": {"replaced": []}})) as server, chat_over(server) as chat:
        recaller, calls = assisted(view, chat, "verify")
        assert recaller.recall(view, QUESTION) == Recaller(VECTORS).recall(view, QUESTION)
        assert server.requests == [] and calls.counts == {}
