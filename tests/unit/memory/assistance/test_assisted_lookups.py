"""Decomposition: lookups one after the other, bound to the asker; what cannot be used leaves the recall as it is."""

from __future__ import annotations

from typing import Any

import pytest

from groupmem.memory.recall import Explanation, Recaller
from groupmem.types import Channel
from support.assisting import Prompt, assisted, chat_over, playing
from support.memory_view import MemoryView
from support.openai_server import OpenAIServer
from support.recall_talk import VECTORS, ids, said, view_of

QUESTION = "Which day suits whoever keeps the lanterns?"
TALK = said(
    ("u3", "The lanterns are kept by Tomas."),
    *(("u1", f"Crate {number} is stacked beside the boats.") for number in range(12)),
    ("u2", "Thursday is fine for me, Tomas here."),
    ("u1", "Nobody counts the crates."),
)
CHAIN = {
    "decompose": {"lookups": ["Who keeps the lanterns?", "Which day is fine for [1]?"]},
    "fill": {"lookup": "Which day is fine for Tomas Ek?"},
}


def explained(view: MemoryView, replies: dict[Any, Any], question: str = QUESTION) -> tuple[Explanation, OpenAIServer]:
    with OpenAIServer(playing(replies)) as server, chat_over(server) as chat:
        recaller, _ = assisted(view, chat, "decompose")
        return recaller.explain(view, question, limit=4), server


def test_every_lookup_has_its_messages() -> None:
    found, server = explained(view_of(TALK), CHAIN)
    assert {"m1", "m14"} <= set(ids(found.recall)[:3])
    assert found.assisted is not None
    assert found.assisted.lookups == ("Who keeps the lanterns?", "Which day is fine for Tomas Ek?")
    assert len(server.requests) == 2
    for reasons in found.reasons:
        assert sum(reasons.components.values()) == pytest.approx(reasons.score, abs=0.01)


def test_what_waits_is_filled_from_what_the_earlier_lookup_found() -> None:
    prompts: list[Prompt] = []

    def fill(prompt: Prompt) -> object:
        prompts.append(prompt)
        return CHAIN["fill"]

    explained(view_of(TALK, asker="u3"), {**CHAIN, "fill": fill})
    (prompt,) = prompts
    question, lookup = prompt.blocks["lookup"]
    assert question == {"asked by": "Lena Okafor (QA Lead)", "question": QUESTION}
    assert lookup == {"lookup": "Which day is fine for [1]?"}
    assert prompt.blocks["messages"][0]["text"] == "The lanterns are kept by Tomas."


def test_a_lookup_whose_gap_is_not_told_is_left_out() -> None:
    found, server = explained(view_of(TALK), {**CHAIN, "fill": {"lookup": ""}})
    assert found.assisted is not None and found.assisted.lookups == ("Who keeps the lanterns?",)
    assert found.assisted.failures == ()
    assert len(server.requests) == 2


def test_what_waits_for_a_lookup_that_was_left_out_is_left_out_too() -> None:
    lookups = {"lookups": ["Who keeps the lanterns?", "Which day is fine for [1]?", "Who else can on [2]?"]}
    found, server = explained(view_of(TALK), {"decompose": lookups, "fill": {"lookup": ""}})
    assert found.assisted is not None and found.assisted.lookups == ("Who keeps the lanterns?",)
    assert len(server.requests) == 2


def test_a_question_that_needs_no_lookups_is_recalled_as_it_is() -> None:
    view = view_of(TALK)
    found, _ = explained(view, {"decompose": {"lookups": []}})
    assert found.recall == Recaller(VECTORS).recall(view, QUESTION, limit=4)
    assert found.assisted is not None and not found.assisted.failures


@pytest.mark.parametrize(
    "lookups",
    [
        ["who?", "a", "b", "c", "d"],
        ["", "who?"],
        ["x" * 301],
        ["Which day suits [1]?"],
        ["Who?", "Which day suits [2]?"],
        "Who keeps the lanterns?",
        [["Who keeps the lanterns?"]],
    ],
)
def test_lookups_that_cannot_be_made_are_none(lookups: object) -> None:
    view = view_of(TALK)
    found, server = explained(view, {"decompose": {"lookups": lookups}})
    assert found.recall == Recaller(VECTORS).recall(view, QUESTION, limit=4)
    assert found.assisted is not None and "malformed" in found.assisted.failures[0]
    assert len(server.requests) == 1


@pytest.mark.parametrize("filled", ["Which day is fine for [1]?", "x" * 301, 7])
def test_a_lookup_that_is_filled_badly_leaves_the_recall_as_it_is(filled: object) -> None:
    view = view_of(TALK)
    found, _ = explained(view, {**CHAIN, "fill": {"lookup": filled}})
    assert found.recall == Recaller(VECTORS).recall(view, QUESTION, limit=4)
    assert found.assisted is not None and found.assisted.failures[0].startswith("fill: malformed")


def test_i_is_the_asker_in_every_lookup() -> None:
    talk = said(
        ("u1", "I prefer tea for the breaks."),
        ("u2", "I prefer soup for the breaks."),
        *(("u3", f"Crate {number} is stacked.") for number in range(12)),
    )
    replies = {"decompose": {"lookups": ["What do I prefer for the breaks?"]}}

    def first_for(asker: str) -> str:
        found, _ = explained(view_of(talk, asker=asker), replies, "And what about me, the breaks?")
        return ids(found.recall)[0]

    assert (first_for("u1"), first_for("u2")) == ("m1", "m2")


def test_lookups_find_nothing_that_the_asker_may_not_see() -> None:
    talk = said(("u1", "The lanterns are kept by Tomas.", {"channel": "board"}), ("u2", "Lanterns light the pier."))
    view = view_of(talk, channels=(Channel(id="board", members=("u1",)),), asker="u2")
    found, _ = explained(view, {"decompose": {"lookups": ["Who keeps the lanterns?"]}})
    assert ids(found.recall) == ["m2"]
