"""Chat completions through the gateway: what goes in reaches the provider, and what comes back reaches the client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openai
import pytest

from groupmem.errors import InputError
from groupmem.models.gateway import GatewayCell
from support.gateway import served, user
from support.openai_server import COUNTED, OpenAIServer, RecordedRequest, Reply

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find",
            "description": "finds messages",
            "parameters": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
        },
    }
]
CALL = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"words": "größe 👍"}'}}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "facts", "schema": {"type": "object"}, "strict": False}}


def test_everything_in_a_request_reaches_the_provider_and_nothing_is_made_up(
    open_models: Any, cell_of: Any, connect: Any
) -> None:
    sent = {
        "messages": [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "wer? 谁 👩‍👩‍👧"}], "name": "u1"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "nothing"},
        ],
        "tools": TOOLS,
        "tool_choice": {"type": "function", "function": {"name": "find"}},
        "parallel_tool_calls": False,
        "response_format": SCHEMA,
        "temperature": 0.3,
        "top_p": 0.9,
        "seed": 7,
        "stop": ["END"],
        "max_tokens": 50,
        "logit_bias": {"50256": -100},
        "user": "somebody",
    }
    with OpenAIServer([Reply("x")]) as server:
        cell = cell_of(open_models(), served(server))
        body = {**sent, "model": cell.chat_model, "top_k": 5, "stream": False, "presence_penalty": None}
        connect(cell).post("/chat/completions", body=body, cast_to=object)
    assert server.requests[0].body == {**sent, "model": "gpt-4o-mini", "top_k": 5}


def test_tool_calls_and_fields_nobody_knows_come_back_as_the_provider_wrote_them(
    open_models: Any, cell_of: Any, connect: Any
) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None, "annotations": [1]}
    provider = {
        "id": "chatcmpl-9",
        "created": 5,
        "model": "gpt-4o-mini-2030",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls", "logprobs": None}],
        "usage": COUNTED,
        "system_fingerprint": "fp_1",
    }
    with OpenAIServer([Reply(body=provider)]) as server:
        cell = cell_of(open_models(), served(server))
        client = connect(cell)
        body = {"model": "x", "messages": user("q"), "tools": TOOLS}
        assert client.post("/chat/completions", body=body, cast_to=object) == {**provider, "object": "chat.completion"}
        typed = client.chat.completions.create(**body)
    assert typed.choices[0].message.tool_calls[0].function.arguments == CALL["function"]["arguments"]  # type: ignore[index]


@pytest.mark.parametrize("with_usage", [True, False])
def test_a_stream_adds_up_to_the_reply(open_models: Any, cell_of: Any, connect: Any, with_usage: bool) -> None:
    text = "Ein Satz mit Umlauten äöü, 汉字 und 👩‍👩‍👧. " * 20
    message = {"content": text, "tool_calls": [CALL, {**CALL, "id": "call_2"}], "reasoning_content": "hm"}
    choice = {"message": message, "finish_reason": "tool_calls"}
    with OpenAIServer([Reply(body={"choices": [choice], "usage": COUNTED})]) as server:
        client = connect(cell_of(open_models(), served(server)))
        options = {"stream_options": {"include_usage": True}} if with_usage else {}
        chunks = list(client.chat.completions.create(model="m", messages=user("q"), stream=True, **options))
    sent = server.requests[0].body
    assert "stream" not in sent and "stream_options" not in sent
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == text
    assert deltas[0].role == "assistant" and deltas[0].reasoning_content == "hm"
    calls = [call for delta in deltas for call in delta.tool_calls or ()]
    assert [(call.index, call.id, call.function.arguments) for call in calls] == [
        (0, "call_1", CALL["function"]["arguments"]),  # type: ignore[index]
        (1, "call_2", CALL["function"]["arguments"]),  # type: ignore[index]
    ]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "tool_calls"
    usages = [chunk.usage.total_tokens for chunk in chunks if chunk.usage]
    assert usages == ([110] if with_usage else [])
    assert len({chunk.id for chunk in chunks}) == 1 and len(deltas) > 5


def test_a_reasoning_model_is_sent_only_what_it_takes(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer([Reply("x")]) as server:
        client = connect(cell_of(open_models(), served(server, "gpt-5-mini")))
        create = client.chat.completions.create
        create(model="m", messages=user("q"), temperature=0, top_p=1, max_tokens=100, seed=1)
        create(model="m", messages=user("q"), max_completion_tokens=100)
    first, second = (request.body for request in server.requests)
    assert first == {"model": "gpt-5-mini", "messages": user("q"), "max_completion_tokens": 100 + 4_096, "seed": 1}
    assert second["max_completion_tokens"] == 100


def test_any_model_name_is_answered_by_the_cell_and_counted(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer([Reply("x")]) as server:
        cell: GatewayCell = cell_of(open_models(), served(server))
        client = connect(cell)
        for name in ("gpt-4o-mini", "gpt-3.5-turbo", "gpt-3.5-turbo"):
            client.chat.completions.create(model=name, messages=user("q"))
    assert {request.body["model"] for request in server.requests} == {"gpt-4o-mini"}
    assert cell.renamed == {"gpt-3.5-turbo": 2}


def test_an_agent_works_with_a_script_that_calls_tools(
    open_models: Any, cell_of: Any, connect: Any, tmp_path: Path
) -> None:
    script = tmp_path / "agent.jsonl"
    rules = [
        {"match": "40 units", "reply": "Final: 40"},
        {"match": "budget", "reply": "", "tool_calls": [{"name": "find", "arguments": {"words": "budget"}}]},
        {"match": "broken", "reply": "", "tool_calls": [{"name": "find", "arguments": '{"words": '}]},
    ]
    script.write_text("\n".join(map(json.dumps, rules)), "utf-8")
    client = connect(cell_of(open_models(), f"scripted:{script}"))
    turns = user("what is the budget?")
    first = client.chat.completions.create(model="m", messages=turns, tools=TOOLS)  # type: ignore[arg-type]
    assert first.choices[0].finish_reason == "tool_calls" and first.usage.completion_tokens > 0  # type: ignore[union-attr]
    message = first.choices[0].message
    [call] = message.tool_calls  # type: ignore[misc]
    assert json.loads(call.function.arguments) == {"words": "budget"}  # type: ignore[union-attr]
    turns += [message.to_dict(), {"role": "tool", "tool_call_id": call.id, "content": "40 units"}]
    second = client.chat.completions.create(model="m", messages=turns, tools=TOOLS)  # type: ignore[arg-type]
    assert (second.choices[0].message.content, second.choices[0].finish_reason) == ("Final: 40", "stop")
    broken = client.chat.completions.create(model="m", messages=user("broken"), tools=TOOLS)  # type: ignore[arg-type]
    assert broken.choices[0].message.tool_calls[0].function.arguments == '{"words": '  # type: ignore[index, union-attr]


def test_models_are_listed_under_the_names_to_ask_for(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer() as server:
        client = connect(cell_of(open_models(), served(server, "org/some-model"), "minilm"))
        assert [model.id for model in client.models.list()] == ["org/some-model", "minilm"]
        assert client.models.retrieve("org/some-model").id == "org/some-model"


def test_a_cell_without_a_chat_model_says_which_option_names_one(open_models: Any, cell_of: Any, connect: Any) -> None:
    cell = cell_of(open_models(), None, "minilm")
    assert cell.chat_model is None
    with pytest.raises(openai.NotFoundError, match="name one in the option chat"):
        connect(cell).chat.completions.create(model="m", messages=user("q"))


def test_batches_are_refused_before_anything_is_asked(open_models: Any, cell_of: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"batch:gpt-5.*answers at once"):
        cell_of(open_models(), f"batch:gpt-5@{tmp_path}")
    assert not list(tmp_path.iterdir())


def test_no_key_of_the_client_reaches_the_provider(
    open_models: Any, cell_of: Any, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPMEM_API_KEY_127_0_0_1", "sk-secret")
    seen: list[RecordedRequest] = []

    def reply(request: RecordedRequest) -> Reply:
        seen.append(request)
        return Reply("x")

    with OpenAIServer(reply) as server:
        cell = cell_of(open_models(), served(server))
        connect(cell, api_key="sk-of-the-package").chat.completions.create(model="m", messages=user("q"))
    assert seen[0].headers["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in cell.base_url + cell.api_key
