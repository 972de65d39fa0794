"""The OpenAI chat layout: a request as the body that is sent, a body that came back as a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from groupmem.models.base import UNKNOWN_USAGE, ChatReply, ChatRequest, FinishReason, canonical_json
from groupmem.models.calllog import Kind
from groupmem.models.retry import unreadable
from groupmem.models.targets import Target
from groupmem.text import count_tokens
from groupmem.types import Usage

Body = Mapping[str, Any]

PATHS: Mapping[Kind, str] = {"chat": "/chat/completions", "embedding": "/embeddings"}
"""Where calls go, below the base URL."""

REASONING_ROOM_TOKENS = 4_096
"""What a reasoning model's cap is raised by for tokens that nobody sees; doubled with each attempt."""

_MOST_DOUBLINGS = 3
_UNCAPPED_OUTPUT_TOKENS = 1_024
_TOKENS_PER_TURN = 4

_THOUGHT = re.compile(r"\s*<think>(?P<thought>.*?)(?:</think>\s*|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s*```\w*\s*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)
_FINISH: Mapping[str, FinishReason] = {
    "length": "length",
    "content_filter": "refusal",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}


def sendable(text: str) -> str:
    """`text` with "?" for lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(value: Any) -> Any:
    """A JSON value with "?" for the halves of characters that a provider cut apart: they could not be kept."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, Mapping):
        return {key: storable(part) for key, part in value.items()}
    return [storable(part) for part in value] if isinstance(value, list) else value


# -- out ---------------------------------------------------------------------------------------------------------------


def chat_body(target: Target, request: ChatRequest) -> Body:
    """The request in the layout of `/v1/chat/completions`.

    A reasoning model takes `max_completion_tokens`, which covers its hidden tokens too, so the cap is raised by
    `REASONING_ROOM_TOKENS` (twice that at attempt 1, and so on); it takes no temperature, so none is sent.
    """
    body: dict[str, Any] = {
        "model": target.model,
        "messages": [{"role": turn.role, "content": sendable(turn.content)} for turn in request.messages],
    }
    if request.max_tokens is not None and target.reasoning:
        room = REASONING_ROOM_TOKENS << min(request.attempt, _MOST_DOUBLINGS)
        body["max_completion_tokens"] = request.max_tokens + room
    elif request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.temperature is not None and not target.reasoning:
        body["temperature"] = request.temperature
    if request.response_schema is not None:
        schema = {"name": "reply", "schema": request.response_schema, "strict": _is_strict(request.response_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def worst_case(body: Body) -> Usage:
    """The most that a request can take: o200k tokens of what is sent, and its whole output cap."""
    if "input" in body:
        return Usage(calls=1, input_tokens=sum(count_tokens(text) for text in body["input"]))
    prompt = sum(_turn_tokens(turn) + _TOKENS_PER_TURN for turn in body["messages"])
    if "tools" in body:
        prompt += _json_tokens(body["tools"])
    cap = body.get("max_completion_tokens", body.get("max_tokens", _UNCAPPED_OUTPUT_TOKENS))
    return Usage(calls=1, input_tokens=prompt, output_tokens=cap)


def _turn_tokens(turn: Mapping[str, Any]) -> int:
    """A turn that is more than text (calls of tools, images by URL) is counted as it is written."""
    content = turn.get("content")
    if isinstance(content, str) and "tool_calls" not in turn:
        return count_tokens(content)
    return _json_tokens(turn)


def _json_tokens(value: Any) -> int:
    return count_tokens(canonical_json(value).decode())


def _is_strict(schema: Any) -> bool:
    """Whether every object closes itself and requires all its properties: providers refuse `strict` for others."""
    if isinstance(schema, list | tuple):
        return all(_is_strict(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", ())):
            return False
    return all(_is_strict(part) for part in schema.values())


# -- back --------------------------------------------------------------------------------------------------------------


def read_chat(body: Body, *, wants_json: bool = False) -> ChatReply:
    """The reply in a body. A truncated or refused one is a reply; what is none raises a retryable SendFailure."""
    choice = _first_choice(body)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise unreadable("its choice has no message")
    refusal = message.get("refusal")
    thought, text = _split_thought(turn_text(message))
    finish = "refusal" if refusal else _FINISH.get(str(choice.get("finish_reason")), "stop")
    return ChatReply(
        text=text or (refusal if isinstance(refusal, str) else ""),
        finish_reason=finish,
        parsed=_parsed(text) if wants_json else None,
        reasoning=_reasoning(message) or thought,
    )


def read_usage(body: Body) -> Usage:
    """Tokens as the provider counted them; None for each count that it does not give. The cost is left unknown."""
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return UNKNOWN_USAGE
    embeds = "choices" not in body  # an embedding has no output, and nothing of it is cached or thought
    return Usage(
        calls=1,
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=0 if embeds else _count(usage, "completion_tokens"),
        cached_tokens=0 if embeds else _count(usage.get("prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=0 if embeds else _count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        cost_usd=None,
    )


def _first_choice(body: Body) -> Mapping[str, Any]:
    if body.get("error"):  # some routers put a provider's error into a reply with status 200
        raise unreadable(f"it holds an error: {str(body['error'])[:200]}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise unreadable("it has no choices")
    if choices[0].get("finish_reason") == "error":
        raise unreadable("its provider broke off")
    return choices[0]


def turn_text(turn: Mapping[str, Any]) -> str:
    """What a turn says: its content is a text, nothing, or a list of parts of which the text ones count."""
    content = turn.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _split_thought(text: str) -> tuple[str, str]:
    """(thought, text). A thought may be opened by the prompt's template, so that only its end is in the reply, and one
    that was cut off has no end."""
    match = _THOUGHT.match(text)
    if match:
        return match["thought"].strip(), text[match.end() :]
    if "</think>" in text and "<think>" not in text:
        thought, _, rest = text.partition("</think>")
        return thought.strip(), rest.lstrip()
    return "", text


def _reasoning(message: Mapping[str, Any]) -> str:
    """Servers differ in where they put what a model thought."""
    found = message.get("reasoning_content") or message.get("reasoning")
    return found if isinstance(found, str) else ""


def _parsed(text: str) -> Any:
    fenced = _FENCE.fullmatch(text)
    try:
        return msgspec.json.decode(fenced["inside"] if fenced else text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None


def _count(counts: Any, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, Mapping) else None
    return value if isinstance(value, int) and value >= 0 else None
