"""The nouns of the project, as immutable records.

Everything that crosses a module boundary is one of these. They are `msgspec` structs: cheap to make, frozen, and they
encode to JSON as they stand. Times are aware (UTC where the source had no zone), ids are strings, counts are integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

Outcome = Literal["right", "wrong", "unscored"]
UnscoredReason = Literal["unparsable", "truncated", "refused", "provider_error", "no_judge", "no_gold"]


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: frozen, keyword only, defaults left out of JSON."""


class Person(Record, frozen=True, kw_only=True):
    """A participant. `id` is what messages and questions refer to; names need not be unique."""

    id: str
    name: str | None = None
    role: str | None = None
    aliases: tuple[str, ...] = ()
    is_bot: bool = False
    extra: Mapping[str, Any] = {}


class Channel(Record, frozen=True, kw_only=True):
    """A room. `members` None means public; a tuple (even an empty one) means only those person ids may read it."""

    id: str
    name: str | None = None
    members: tuple[str, ...] | None = None
    extra: Mapping[str, Any] = {}

    def readable_by(self, person: str | None) -> bool:
        """Whether `person` (None: somebody unknown) may read this channel."""
        return self.members is None or (person is not None and person in self.members)


class Message(Record, frozen=True, kw_only=True):
    """One message as it was written. Nothing on its way through the project rewrites `text`.

    `position` counts messages within their channel from 0. `sent_at` is aware, or None where the source has no time.
    `reply_to` is the id of the parent message, `thread` the id of the thread's first message where the source says so.
    `extra` keeps every field of the source that has no place of its own.
    """

    id: str
    channel: str
    author: str
    text: str
    sent_at: datetime | None = None
    position: int = 0
    role: str | None = None
    reply_to: str | None = None
    thread: str | None = None
    phase: str | None = None
    topic: str | None = None
    edited_at: datetime | None = None
    is_bot: bool = False
    extra: Mapping[str, Any] = {}


class Conversation(Record, frozen=True, kw_only=True):
    """The messages of one corpus in reading order (by channel of first appearance, then as the source orders them)."""

    id: str
    messages: tuple[Message, ...]
    people: tuple[Person, ...] = ()
    channels: tuple[Channel, ...] = ()

    def person(self, person_id: str) -> Person | None:
        """The person with this id, or None."""
        return next((person for person in self.people if person.id == person_id), None)

    def hidden_channels(self, asker: str | None) -> frozenset[str]:
        """Ids of the channels that `asker` may not read."""
        return frozenset(channel.id for channel in self.channels if not channel.readable_by(asker))


class Question(Record, frozen=True, kw_only=True):
    """A question with its gold. A memory system and the reader see `text`, `asker` and `asked_at`, and nothing else.

    `evidence` are the ids of the messages that prove the answer; empty for an abstention question, and for one whose
    source names none (then retrieval is not measured on it). `twin` is the id of the question with the same words and
    another asker. `known_bad` is the reason why its gold is known to be wrong.
    """

    id: str
    text: str
    answer: str | None = None
    category: str = "all"
    asker: str | None = None
    asked_at: datetime | None = None
    evidence: tuple[str, ...] = ()
    twin: str | None = None
    known_bad: str | None = None
    extra: Mapping[str, Any] = {}


class Passage(Record, frozen=True, kw_only=True):
    """What a memory returns: a text and the ids of the messages that it came from.

    `score` orders passages of one recall and means nothing across systems. `notes` are short annotations for the reader
    (resolved dates, "superseded by ..."), printed beside the text and never counted as source text.
    """

    text: str
    source_ids: tuple[str, ...] = ()
    score: float | None = None
    author: str | None = None
    role: str | None = None
    channel: str | None = None
    phase: str | None = None
    topic: str | None = None
    sent_at: datetime | None = None
    reply_to: str | None = None
    notes: Mapping[str, str] = {}


class Recall(Record, frozen=True, kw_only=True):
    """The passages for one question, best first. `support` in [0, 1] says how well they answer it; None: not known."""

    passages: tuple[Passage, ...] = ()
    support: float | None = None


class Usage(Record, frozen=True, kw_only=True):
    """What calls consumed. None means that the provider did not say: unknown is never counted as zero."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cached_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=_plus(self.input_tokens, other.input_tokens),
            output_tokens=_plus(self.output_tokens, other.output_tokens),
            cached_tokens=_plus(self.cached_tokens, other.cached_tokens),
            reasoning_tokens=_plus(self.reasoning_tokens, other.reasoning_tokens),
            cost_usd=None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd,
        )


class Answer(Record, frozen=True, kw_only=True):
    """What a reader (or a system that answers by itself) said. `text` is the final answer alone."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    usage: Usage = Usage()


class Verdict(Record, frozen=True, kw_only=True):
    """What the judge found. `reason` is set exactly when the outcome is "unscored"; `reply` is the judge's raw text."""

    outcome: Outcome
    reason: UnscoredReason | None = None
    reply: str = ""
    usage: Usage = Usage()


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def passage_ids(passages: Sequence[Passage]) -> list[str]:
    """Source ids in rank order, each once: a passage with m source ids takes m ranks (DESIGN, "Ranks are ids")."""
    return list(dict.fromkeys(source for passage in passages for source in passage.source_ids))
