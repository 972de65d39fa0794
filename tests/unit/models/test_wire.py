"""Bodies of the OpenAI layout, as they come from servers that do not agree on it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.models.names import parse_model_name
from groupmem.models.retry import SendFailure
from groupmem.models.targets import resolve
from groupmem.models.wire import chat_body, read_chat, read_usage, worst_case
from support.asking import ask


def body(finish_reason: Any = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": finish_reason, "message": message}]}


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "<think>a\nb</think>\n\nFinal: x"}, "Final: x", "a\nb"),
        ({"content": " <think></think>Final: x"}, "Final: x", ""),
        ({"content": "the template opened it</think>Final: x"}, "Final: x", "the template opened it"),
        ({"content": "<think>never closed"}, "", "never closed"),
        ({"content": "he wrote <think>x</think> there"}, "he wrote <think>x</think> there", ""),
        ({"content": "Final: x", "reasoning_content": "r"}, "Final: x", "r"),
        ({"content": "Final: x", "reasoning": "r"}, "Final: x", "r"),
        ({"content": None, "reasoning_content": "only thought"}, "", "only thought"),
        (
            {"content": [{"type": "text", "text": "Final: "}, {"type": "text", "text": "x"}, {"type": "image"}]},
            "Final: x",
            "",
        ),
        ({}, "", ""),
    ],
)
def test_text_and_thought(message: dict[str, Any], text: str, reasoning: str) -> None:
    reply = read_chat(body(**message))
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        *(("stop", "stop"), ("length", "length"), ("tool_calls", "tool_calls"), ("function_call", "tool_calls")),
        *(("content_filter", "refusal"), (None, "stop"), ("eos", "stop")),
    ],
)
def test_finish_reasons(said: str | None, read: str) -> None:
    assert read_chat(body(said, content="x")).finish_reason == read


def test_a_refusal_outdoes_its_finish_reason() -> None:
    reply = read_chat(body("stop", content=None, refusal="I will not."), wants_json=True)
    assert (reply.finish_reason, reply.text, reply.parsed) == ("refusal", "I will not.", None)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("```\n[1]\n```\n", [1]),
        (' \n{"a": "```"}', {"a": "```"}),
        ('Here it is: {"a": 1}', None),
        ('{"a": ', None),
        ("", None),
    ],
)
def test_json_replies(text: str, parsed: Any) -> None:
    assert read_chat(body(content=text), wants_json=True).parsed == parsed
    assert read_chat(body(content=text)).parsed is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
likely_keys = st.sampled_from(
    ["choices", "message", "content", "finish_reason", "usage", "error", "refusal", "reasoning"]
)
bodies = st.dictionaries(likely_keys, json_values | st.lists(st.dictionaries(likely_keys, json_values, max_size=4)))


@given(bodies)
def test_no_body_brings_the_reader_down(body: dict[str, Any]) -> None:
    """Whatever a server sends is a reply or a failure that can be tried again."""
    try:
        reply = read_chat(body, wants_json=True)
    except SendFailure as failure:
        assert failure.retryable
    else:
        assert isinstance(reply.text, str) and isinstance(reply.reasoning, str)
    usage = read_usage(body)
    assert usage.calls == 1 and usage.cost_usd is None


def test_counts_that_are_no_counts_are_unknown() -> None:
    usage = read_usage(
        {"choices": [], "usage": {"prompt_tokens": "12", "completion_tokens": -1, "prompt_tokens_details": 3}}
    )
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens) == (None,) * 4


def test_the_worst_case_is_the_prompt_and_the_whole_cap() -> None:
    plain, reasoning = (resolve(parse_model_name(f"openai:{model}")) for model in ("gpt-4o-mini", "gpt-5"))
    assert worst_case(chat_body(plain, ask("one two three", max_tokens=50))).output_tokens == 50
    assert worst_case(chat_body(reasoning, ask("x", max_tokens=50))).output_tokens == 50 + 4_096
    long = worst_case(chat_body(plain, ask("word " * 1_000)))
    assert (long.input_tokens or 0) >= 1_000 and (long.output_tokens or 0) > 0


def test_the_worst_case_counts_all_that_is_sent() -> None:
    """Tools, calls of tools and parts of a content are prompt, too."""
    words = "word " * 200
    user, tool = {"role": "user", "content": "q"}, {"type": "function", "function": {"description": words}}
    called = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": words}}]}
    parts = {"role": "user", "content": [{"type": "text", "text": words}]}
    plain = worst_case({"messages": [user]}).input_tokens or 0
    bodies: list[dict[str, Any]] = [
        {"messages": [user], "tools": [tool]},
        {"messages": [user, called]},
        {"messages": [user, parts]},
    ]
    assert all((worst_case(body).input_tokens or 0) >= plain + 200 for body in bodies)
