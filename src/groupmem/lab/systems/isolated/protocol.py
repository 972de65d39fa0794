"""The records of the protocol between the lab and a worker (docs/isolated-systems.md)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from groupmem.lab.systems.base import Capabilities, GatewayAccess, Need
from groupmem.lab.systems.options import Option
from groupmem.types import Channel, Message, Passage, Person, Record

PROTOCOL = 1
MESSAGES_PER_REQUEST = 100
Method = Literal["hello", "prepare", "open", "ingest", "settle", "recall", "answer", "usage", "close"]


class Problem(Record, frozen=True, kw_only=True):
    """The error of a reply. `input`: the user asked for what cannot be; `model`: a model call failed for good."""

    message: str
    kind: Literal["failure", "input", "model"] = "failure"
    detail: str = ""


class Reply(Record, frozen=True, kw_only=True):
    """One line of a worker: a result (empty where there is none), an error, or a sign of life (`progress`)."""

    id: int | None
    result: msgspec.Raw = msgspec.Raw()
    error: Problem | None = None
    progress: str | None = None


class Hello(Record, frozen=True, kw_only=True):
    """What a worker says of itself. `packages` are versions by name, `notes` sentences for the record of the cell. One
    that `reopens` may be given another cell after it has closed one; one that `prepares` fills a database, of which
    cells get copies.
    """

    protocol: int
    name: str
    reopens: bool = False
    packages: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    capabilities: Capabilities = Capabilities()
    needs: tuple[Need, ...] = ()
    prepares: bool = False
    options: tuple[Option, ...] = ()


class OpenParams(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The setting of a cell, as far as a process can be given it."""

    people: tuple[Person, ...]
    channels: tuple[Channel, ...]
    store_dir: str
    options: Mapping[str, str]
    seed: int
    gateway: GatewayAccess | None
    services: Mapping[Need, str]
    restored: bool


class IngestParams(Record, frozen=True, kw_only=True, omit_defaults=False):
    messages: tuple[Message, ...]


class AskParams(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A question to be answered; `asked_at` is ISO 8601."""

    question: str
    asker: str | None
    asked_at: str | None


class AnswerParams(AskParams, frozen=True, kw_only=True, omit_defaults=False):
    """`timeout_s` is how long the answer may take. Calls over `gateway` are booked on this question alone."""

    timeout_s: float | None
    gateway: GatewayAccess | None


class RecallParams(AskParams, frozen=True, kw_only=True, omit_defaults=False):
    limit: int


class Found(Record, frozen=True, kw_only=True):
    """A passage of a worker: the text may be left out where it is that of the one message of its id."""

    source_ids: tuple[str, ...]
    text: str | None = None
    score: float | None = None
    author: str | None = None
    role: str | None = None
    channel: str | None = None
    phase: str | None = None
    topic: str | None = None
    sent_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    reply_to: str | None = None
    notes: Mapping[str, str] = {}

    def passage(self, text: str) -> Passage:
        """The passage with this text."""
        return msgspec.convert({**msgspec.structs.asdict(self), "text": text}, Passage)


class Recalled(Record, frozen=True, kw_only=True):
    passages: tuple[Found, ...]
    support: float | None = None


class Answered(Record, frozen=True, kw_only=True):
    """`finish_reason`: how it ended, "stop" where there is an answer; "timeout" and "recursion_limit" where there is
    none."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"


class Counted(Record, frozen=True, kw_only=True):
    """What a package counted in one phase; None where it does not count it."""

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Counts(Record, frozen=True, kw_only=True):
    """What a package counted by phase and in its store, and sentences for the record of the cell."""

    phases: Mapping[str, Counted] = {}
    figures: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()
