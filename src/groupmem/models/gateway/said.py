"""Bodies of answers: the provider's with what clients rely on filled in, whole or as a stream of chunks."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groupmem.models.base import Vectors
from groupmem.models.gateway.asked import ChatAsked, EmbeddingAsked
from groupmem.models.wire import Body
from groupmem.text import count_tokens

CHUNK_CHARACTERS = 80
"""A stream brings the content of a reply in pieces of this length. Each piece comes at once: the reply is whole."""


def chat_body(reply: Body, model: str) -> dict[str, Any]:
    """The reply with id, time, model and roles where its provider left them out."""
    choices = [
        {"index": index, **choice, "message": {"role": "assistant", **choice["message"]}}
        for index, choice in enumerate(reply["choices"])
    ]
    frame = {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": "chat.completion", "created": int(time.time())}
    return {**frame, "model": model, **reply, "choices": choices}


def chat_stream(body: Body, asked: ChatAsked) -> Iterator[bytes]:
    """The events of a stream that holds the whole of `body`, with its usage last where that was asked for."""
    frame = {name: body[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    if asked.with_usage:
        frame["usage"] = None
    for choice in body["choices"]:
        for delta in _deltas(choice["message"]):
            yield _event({**frame, "choices": [{"index": choice["index"], "delta": delta, "finish_reason": None}]})
        end = {"index": choice["index"], "delta": {}, "finish_reason": choice.get("finish_reason")}
        yield _event({**frame, "choices": [end]})
    if asked.with_usage:
        yield _event({**frame, "choices": [], "usage": body.get("usage")})
    yield b"data: [DONE]\n\n"


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a message: all that is short first, then the content in pieces, then the calls of tools."""
    content, calls = message.get("content"), message.get("tool_calls") or ()
    rest = {name: value for name, value in message.items() if name not in ("content", "tool_calls")}
    yield {**rest, "content": None if content is None else ""}
    if isinstance(content, str):
        for start in range(0, len(content), CHUNK_CHARACTERS):
            yield {"content": content[start : start + CHUNK_CHARACTERS]}
    for index, call in enumerate(calls):
        yield {"tool_calls": [{"index": index, **call}]}


def _event(chunk: Mapping[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


def embedding_body(vectors: Vectors, asked: EmbeddingAsked, model: str) -> dict[str, Any]:
    """Vectors in the order of the texts. The tokens are those of cl100k; the call log has what the provider counted."""
    as_text = asked.encoding_format == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(row) if as_text else row.tolist()}
        for index, row in enumerate(vectors)
    ]
    tokens = _tokens(asked.texts)
    return {
        "object": "list",
        "data": data,
        "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def model_list(names: Sequence[str]) -> dict[str, Any]:
    """The answer of `/models`."""
    return {"object": "list", "data": [model_card(name) for name in names]}


def model_card(name: str) -> dict[str, Any]:
    """The answer of `/models/NAME`."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "groupmem"}


def _packed(row: Any) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


def _tokens(texts: Sequence[str]) -> int:
    return sum(count_tokens(text, "cl100k_base") for text in texts)
