"""What a memory system is: three methods. Everything a contributor must know is on this screen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import msgspec

from groupmem.lab.systems.options import Option, resolve_options
from groupmem.models.base import ChatModel, EmbeddingModel
from groupmem.prompts import Prompts
from groupmem.types import Answer, Channel, Message, Passage, Person, Recall, Record

if TYPE_CHECKING:
    from groupmem.lab.systems.isolated.idle import IdleWorkers

Need = Literal["chat", "embedding", "postgres", "falkordb"]
"""What a system that runs in a process of its own must be given: models over the gateway, an empty database."""


class Capabilities(Record, frozen=True, kw_only=True):
    """What a system can do beyond the three methods.

    `answers`: it writes its own answers. `resumable`: an ingest that was cut off may go on in the same `store_dir`;
    it is handed all messages again, and leaves out those it holds.
    `visibility`: it keeps an asker from passages of channels that the asker may not read.
    `restorable`: what it made of all messages may be copied, its `store_dir` and its databases, and be opened by
    another process (`Setting.restored`), so that an ingest is paid for once (docs/runs.md, "Kept ingests").
    `concurrent`: `answer` may be called from several threads at a time.
    """

    answers: bool = False
    resumable: bool = False
    visibility: bool = False
    restorable: bool = False
    concurrent: bool = False


class GatewayAccess(Record, frozen=True, kw_only=True):
    """How a process that is not this one reaches the models of its cell: an OpenAI API on loopback.

    `chat_model` and `embedding_model` are the names to send; the calls go to the models that the user named.
    """

    base_url: str
    api_key: str
    chat_model: str
    embedding_model: str
    dimensions: int


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of one cell: what a system is given before the first message.

    `people` and `channels` come from the data, never from who happened to write; a channel's `members` None means that
    it is public. `store_dir` is an empty folder of the system's own, whose size is measured. `options` are the user's
    (`dense:embedding=e5` gives {"embedding": "e5"}); a system refuses an option that it does not know. `gateway` and
    `services` (URLs of databases) are what it `needs`. `log_path` is for what a process of the system says on its way,
    `workers` are such processes between two cells, `prompts` are those of a system that has some in the library, the
    user's own laid over ours. `restored`: `store_dir` and databases hold what a `restorable` system made of the
    messages of this cell before; they are handed to it again, for it to know them, and nothing is to be made of them
    anew. `question_timeout_s` is how long an answer may take: one that comes later counts as none.
    """

    people: tuple[Person, ...] = ()
    channels: tuple[Channel, ...] = ()
    store_dir: Path | None = None
    embedding: EmbeddingModel | None = None
    chat: ChatModel | None = None
    options: Mapping[str, str] = {}
    seed: int = 0
    gateway: GatewayAccess | None = None
    services: Mapping[Need, str] = {}
    log_path: Path | None = None
    workers: IdleWorkers | None = None
    prompts: Prompts = msgspec.field(default_factory=Prompts)
    restored: bool = False
    question_timeout_s: float | None = None


@runtime_checkable
class MemorySystem(Protocol):
    """The protocol that the lab drives; see `BaseSystem` for a base class that gives all the rest."""

    def ingest(self, messages: Sequence[Message]) -> None:
        """Take messages in, in the order they were sent. May be called many times."""
        ...

    def settle(self) -> None:
        """Return when everything ingested can be found."""
        ...

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        """Passages for this asker, best first. `asked_at` None means after the last message.

        At most `limit` of them, and at most `limit` different source ids over all: a passage with m ids takes m ranks.
        """
        ...


class BaseSystem(ABC):
    """Leaves only `ingest` and `recall` to write. Everything here is what the lab asks of a system beyond them.

    `options` declares what may follow the name on the command line; the values, defaults filled in, are in
    `setting.options`. For one that is named `embedding` or `chat` the lab opens the model and hands it over in
    `setting.embedding` or `setting.chat`. `needs` are for systems in processes of their own, which the lab gives access
    to models and databases instead; one that `prepares` fills an empty database, of which each cell gets a copy.
    `prompt_names` are those of the library that it uses. `sha256` (hex) is of the files outside of the package that the
    system is made of. `planted` asks the lab to try the system with a planted message before the questions of a cell.
    """

    capabilities: Capabilities = Capabilities()
    options: tuple[Option, ...] = ()
    needs: tuple[Need, ...] = ()
    prompt_names: tuple[str, ...] = ()
    sha256: str | None = None
    planted: bool = False
    prepares: bool = False

    def prepare(self, setting: Setting) -> None:
        """Makes in an empty database what no conversation has a part in: its tables. Only called where it `prepares`,
        in place of `open`, and before any cell is opened."""
        raise NotImplementedError(f"{type(self).__name__} prepares nothing")

    def open(self, setting: Setting) -> None:
        """Called once before the first message. Raises InputError for an option that the system does not know."""
        resolve_options(setting.options, self.options, owner=type(self).__name__)

    @abstractmethod
    def ingest(self, messages: Sequence[Message]) -> None:
        """See `MemorySystem.ingest`."""

    def settle(self) -> None:  # noqa: B027  (a hook, empty unless a system needs it)
        """Nothing to wait for, unless a system says otherwise."""

    @abstractmethod
    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        """See `MemorySystem.recall`."""

    def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
        """The system's own answer; only called when `capabilities.answers` is set.

        One that comes to nothing is empty, and its `finish_reason` says why: "timeout", "recursion_limit".
        """
        raise NotImplementedError(f"{type(self).__name__} does not answer by itself")

    def answer_through(
        self, gateway: GatewayAccess | None, question: str, *, asker: str | None, asked_at: datetime | None
    ) -> Answer:
        """As `answer`, by way of a `gateway` whose calls are booked on this question, where a system can change it."""
        return self.answer(question, asker=asker, asked_at=asked_at)

    def notes(self) -> tuple[str, ...]:
        """What the record of the cell is to say of this system; asked while it is open."""
        return ()

    def figures(self) -> Mapping[str, Any]:
        """What the system counts in its store, as JSON values by name; asked while it is open, after the last question.

        Reports know `chunks` and `empty_extractions` (numbers), `entities` and `relations` (numbers by label or type).
        """
        return {}

    def close(self) -> None:  # noqa: B027  (a hook, empty unless a system needs it)
        """Release files and processes. Called once, also after a failure."""


def passage_of(message: Message, score: float | None = None) -> Passage:
    """The passage that is one whole message, its text unchanged."""
    return Passage(
        text=message.text,
        source_ids=(message.id,),
        score=score,
        author=message.author,
        role=message.role,
        channel=message.channel,
        phase=message.phase,
        topic=message.topic,
        sent_at=message.sent_at,
        reply_to=message.reply_to,
    )
