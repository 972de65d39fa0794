"""The two model protocols, and the records that pass through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from groupmem.types import Record, Usage

Vectors = NDArray[np.float32]
FinishReason = Literal["stop", "length", "refusal", "tool_calls"]
CellPhase = Literal["ingest", "recall", "answer"]
"""What the system of a cell does when it calls a model."""


class ChatMessage(Record, frozen=True, kw_only=True):
    """One turn of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(Record, frozen=True, kw_only=True):
    """All that decides a reply, except which model it is sent to.

    `sample` numbers repeats of the same request that are wanted to differ; `attempt` numbers retries after a reply that
    could not be used. Both are part of the cache key and never sent. `response_schema` is a JSON Schema for the reply.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    response_schema: Mapping[str, Any] | None = None
    sample: int = 0
    attempt: int = 0


class ChatReply(Record, frozen=True, kw_only=True):
    """What came back. `text` is the visible content; a truncated or refused reply says so in `finish_reason`.

    `parsed` is the JSON value of the reply where a `response_schema` was asked for, else None.
    """

    text: str
    finish_reason: FinishReason = "stop"
    parsed: Any = None
    reasoning: str = ""
    usage: Usage = Usage()


class Account(Record, frozen=True, kw_only=True):
    """Who pays for a call: the run (or corpus) that is being made, its cell, and the phase of the work.

    `step` is a part of the phase, where the caller tells parts apart ("extraction").
    """

    run: str = ""
    cell: str = ""
    phase: CellPhase | Literal["judge", "write"] = "answer"
    step: str = ""

    @property
    def phase_path(self) -> str:
        """The phase as the log has it: "ingest", or "ingest/extraction" where there is a step."""
        return f"{self.phase}/{self.step}" if self.step else self.phase


class ChatModel(Protocol):
    """A chat model. `name` is the string that the user gave ("openai:gpt-5")."""

    @property
    def name(self) -> str: ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply; a truncated or refused one is returned. Raises ModelError, BudgetError or PendingError."""
        ...


class EmbeddingModel(Protocol):
    """An embedding model; `dimensions` is the length of its vectors."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        """(n, dimensions) float32 rows of unit length, in the order of `texts`."""
        ...


UNKNOWN_USAGE = Usage(
    calls=1, input_tokens=None, output_tokens=None, cached_tokens=None, reasoning_tokens=None, cost_usd=None
)
"""The usage of one call whose provider did not say."""


def canonical_json(value: Any) -> bytes:
    """JSON bytes of `value` with sorted keys: the same value has the same bytes, so it can be hashed."""
    return msgspec.json.encode(value, order="sorted")
