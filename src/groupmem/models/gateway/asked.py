"""Bodies of requests: checked for what the gateway itself reads, and otherwise left as they are."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from groupmem.models.gateway.problems import malformed
from groupmem.models.wire import Body, storable

Positive = Annotated[int, msgspec.Meta(ge=1)]
AskedT = TypeVar("AskedT", bound=msgspec.Struct)


class Turn(msgspec.Struct, frozen=True):
    """One message of a chat; a call of a tool has no content, and parts may be of any kind."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False


class ChatAsked(msgspec.Struct, frozen=True):
    """What is read of a body of `/chat/completions`."""

    messages: Annotated[list[Turn], msgspec.Meta(min_length=1)]
    model: str | None = None
    n: int | None = None
    max_tokens: Positive | None = None
    max_completion_tokens: Positive | None = None
    tools: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None

    @property
    def with_usage(self) -> bool:
        """Whether the last chunk of a stream says what the call took."""
        return self.stream_options is not None and self.stream_options.include_usage


class EmbeddingAsked(msgspec.Struct, frozen=True):
    """A body of `/embeddings`. Texts only: which tokenizer token ids belong to, a request does not say."""

    input: str | Annotated[list[Any], msgspec.Meta(min_length=1)]
    model: str | None = None
    dimensions: Positive | None = None
    encoding_format: Literal["float", "base64"] | None = None

    @property
    def texts(self) -> list[str]:
        """Raises ApiError (400) for token ids and for all else that is no text."""
        texts = [self.input] if isinstance(self.input, str) else self.input
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise malformed(
                    f"input[{number}] is no text: the gateway embeds strings and no arrays of token ids; "
                    "with LangChain say OpenAIEmbeddings(check_embedding_ctx_length=False)"
                )
        return texts


def read_body(content: bytes) -> Body:
    """The JSON object in a request, halves of characters in it as "?". Raises ApiError (400)."""
    try:
        body = _decode(content)
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError) as error:
        raise malformed(f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise malformed(f"the body is no JSON object but of type {type(body).__name__}")
    return body


def _decode(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        # A program that cut a text within a character writes half of one, which only the standard library reads.
        return msgspec.json.decode(msgspec.json.encode(storable(json.loads(content))))


def read_chat_request(body: Body) -> ChatAsked:
    """Raises ApiError (400) that says what is wrong and where."""
    asked = _convert(body, ChatAsked)
    if asked.n is not None and asked.n != 1:
        raise malformed(f"n is {asked.n}: the gateway gives one choice a call, ask as often as you need")
    return asked


def read_embedding_request(body: Body) -> EmbeddingAsked:
    """Raises ApiError (400) that says what is wrong and where."""
    return _convert(body, EmbeddingAsked)


def _convert(body: Body, kind: type[AskedT]) -> AskedT:
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise malformed(f"the request is malformed: {error}") from error
