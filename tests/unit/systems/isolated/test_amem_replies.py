"""What the amem worker lets through of the replies of a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from adapter_modules import module_of
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

replies = module_of("amem", "replies")

SCHEMA = {
    "type": "object",
    "properties": {
        "evolve": {"type": "boolean"},
        "links": {"type": "array", "items": {"type": "integer"}},
        "tags": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    },
    "required": ["evolve", "links", "tags"],
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}}
GOOD = json.dumps({"evolve": True, "links": [0, 2], "tags": [["a"], []]})
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def talking(*said: str | None) -> tuple[Any, list[float]]:
    """Replies of a model that says these in turn, and the temperatures that it was asked with."""
    turns, asked = iter(said), []

    def ask(prompt: str, response_format: object, temperature: float) -> str | None:
        asked.append(temperature)
        return next(turns)

    return replies.Replies(ask), asked


@given(
    st.dictionaries(st.sampled_from(["evolve", "links", "tags", "more"]), VALUES)
    | VALUES
    | st.fixed_dictionaries(
        {"evolve": st.booleans(), "links": st.lists(st.integers()), "tags": st.lists(st.lists(st.text(max_size=2)))}
    )
)
def test_what_fits_is_what_a_validator_of_json_schemas_lets_through(value: object) -> None:
    assert replies.fits(value, SCHEMA) == Draft202012Validator(SCHEMA).is_valid(value)


def test_a_reply_that_does_not_fit_is_asked_for_again() -> None:
    model, asked = talking("{cut", json.dumps({"evolve": True}), GOOD)
    assert model("?", FORMAT) == GOOD
    assert (model.asked_again, model.failure, asked) == (2, None, [0.7] * 3)


@pytest.mark.parametrize("reply", ["", None, "null", "[]", "{", GOOD.replace("0, 2", '"0"'), GOOD.replace("true", "1")])
def test_one_that_never_fits_is_an_error_that_is_kept(reply: str | None) -> None:
    model, asked = talking(*[reply] * replies.TRIES)
    with pytest.raises(replies.UnusableReply, match="not of the form asked for"):
        model("?", FORMAT)
    assert isinstance(model.failure, replies.UnusableReply)
    assert len(asked) == replies.TRIES


def test_what_the_client_raises_is_not_asked_again_and_forgotten_with_the_next_reply() -> None:
    def ask(*_: object) -> Callable[[], str]:
        raise ConnectionError("gone")

    model = replies.Replies(ask)
    with pytest.raises(ConnectionError):
        model("?", FORMAT)
    assert isinstance(model.failure, ConnectionError)
    model._ask = lambda *_: GOOD
    assert model("?", FORMAT) == GOOD
    assert model.failure is None
