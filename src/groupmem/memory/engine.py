"""The facade: a memory for a group of people, in one file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from groupmem.errors import InputError
from groupmem.memory.assistance import ASSISTANCE, Assistance, AssistedRecaller, Calls
from groupmem.memory.decisions import link
from groupmem.memory.recall import ALL_PARTS, Explanation, Parts, Recaller
from groupmem.memory.store.base import Added, Named, View
from groupmem.memory.store.lock import BusyError, StaleViewError
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.memory.store.status import Status
from groupmem.models.base import Account, ChatModel, EmbeddingModel
from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.types import Channel, Message, Person, Recall

SeenT = TypeVar("SeenT")
RecordT = TypeVar("RecordT", Message, Person, Channel)

_ADDED_AT_ONCE = 1000
_MOST_VIEWS = 5
_RECALL_PATIENCE = RetryPolicy(tries=2, timeout_seconds=60.0, longest_asked_wait_seconds=10.0)
"""Somebody waits for what is recalled, and it can be had without the model."""
_INGEST, _RECALL = Account(phase="ingest"), Account(phase="recall")


class UnknownMessageError(InputError):
    """There is no message with this id in this channel, or it has been deleted."""


class GroupMemory:
    """What a group has said, and who may recall it. Use it in a `with` block, or call `close`.

        with GroupMemory("team.db") as memory:
            memory.set_people([Person(id="u1", name="Mira", role="QA")])
            memory.set_channels([Channel(id="board", members=("u1",))])
            memory.add([Message(id="1", channel="board", author="u1", text="The audit is on Friday.")])
            memory.recall("when is the audit?", asker="u1").passages

    `embedding` is a model, the name of one ("minilm", "openai:text-embedding-3-large"), or None: then messages are
    found by their words alone. A file may hold several workspaces; nothing of one is seen from another. `parts` leaves
    parts of recall out, to measure what each adds.

    `model` is a chat model that helps at recall, or the name of one ("openai:gpt-5"); None: none is asked. `assistance`
    says what for, `prompts` are those that it is asked with. While it is asked, other threads that use this instance
    wait. Where it gives no usable reply, the recall is what it is without it, and `model_counts` counts that.

    A channel that `set_channels` has not named is public: name private channels before their messages come. What `add`
    has returned from is on the disk. Several processes may read a memory while one writes; one instance may be used by
    several threads.

    Raises InputError for a file that is no memory, EmbeddingMismatchError for one whose vectors another model made,
    BusyError while another process writes for long, ModelError where an embedding model fails. Of a chat model
    BudgetError and PendingError are raised, and its failures are not. InputError is also raised for
    what is no message, person or channel, and for all use after `close`.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedding: str | EmbeddingModel | None = "minilm",
        workspace: str = "default",
        parts: Parts = ALL_PARTS,
        model: str | ChatModel | None = None,
        assistance: Assistance = ASSISTANCE,
        prompts: Prompts | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._path = str(path)
        self._is_open = True
        self._models: list[Models] = []
        try:
            opened = self._open_named(embedding) if isinstance(embedding, str) else embedding
            chat = self._open_models(_RECALL_PATIENCE).chat(model, _RECALL) if isinstance(model, str) else model
            self._store = SqliteStore(Path(path), link=link, workspace=workspace, embedding=opened)
        except BaseException:
            self._close_models()
            raise
        self._parts = parts
        self._calls = Calls(chat, prompts or Prompts()) if chat is not None else None
        self._assistance = assistance
        self._recaller = self._make_recaller(opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # -- writing -------------------------------------------------------------------------------------------------------

    def add(self, messages: Iterable[Message]) -> Added:
        """Takes messages in, in any order; those that answer each other find each other.

        A message is known again by its channel and id: the same one changes nothing, one with another text is an edit,
        one that was deleted stays so. A thousand at a time are one transaction; cut off, call it again with all.
        """
        added = Added()
        with self._held():
            for some in _batches(_each(messages, Message), _ADDED_AT_ONCE):
                added += self._store.add(some)
        return added

    def edit(self, channel: str, message: str, text: str, *, edited_at: datetime | None = None) -> None:
        """Replaces the text of a message; the former one is kept as its history. Raises UnknownMessageError."""
        with self._held():
            if not self._store.edit(channel, message, text, edited_at):
                raise UnknownMessageError(
                    f"there is no message {message!r} in the channel {channel!r} to edit: add it, or look up its id"
                )

    def delete(self, channel: str, message: str) -> bool:
        """Hides a message at once and for ever, with all that was noted about it; whether it was there.

        One that comes in later stays hidden as well. What the files still hold of deleted messages is removed by
        `compact`, which comes by itself after many deletions.
        """
        with self._held():
            return self._store.delete(channel, message)

    def set_people(self, people: Iterable[Person]) -> None:
        """Adds people or replaces them by their ids; messages that come in later are noted with them in mind."""
        with self._held():
            self._store.set_people(_each(people, Person))

    def set_channels(self, channels: Iterable[Channel]) -> None:
        """Adds channels or replaces them by their ids, with their members: who may read them from now on."""
        with self._held():
            self._store.set_channels(_each(channels, Channel))

    # -- reading -------------------------------------------------------------------------------------------------------

    def recall(
        self, question: str, *, asker: str | None = None, limit: int = 10, asked_at: datetime | None = None
    ) -> Recall:
        """The messages that matter to the question, best first, of those that `asker` may see.

        `asker` None is somebody unknown, who sees public channels. With `asked_at` nothing that was said later is
        recalled, and "yesterday" is the day before it.
        """
        return self._seen(
            asker, asked_at, lambda view: self._recaller.recall(view, question, limit=limit, asked_at=asked_at)
        )

    def vocabulary(self, text: str, *, asker: str) -> tuple[Named, ...]:
        """The phrases in `text` that people of the asker's role say, with what others say for the same things.

        Learnt from the messages that the asker may see; empty for who has no role. `recall` looks for both.
        """
        with self._held():
            view = self._store.view(asker)
            person = view.people.get(asker)
            return tuple(view.counterparts(text, person.role)) if person is not None and person.role else ()

    def message(self, channel: str, message: str, *, asker: str | None = None) -> Message | None:
        """One message by the ids of its source; None where there is none that `asker` may see."""

        def look(view: View) -> Message | None:
            row = view.row(channel, message)
            return None if row is None else view.messages(np.array([row], dtype=np.int64))[0].message

        return self._seen(asker, None, look)

    def candidates(self, name: str) -> tuple[str, ...]:
        """Ids of all who can be meant: one whose id it is, else all who answer to the name."""
        with self._held():
            found = self._store.view(None).directory.candidates(name)
            return found or ((name,) if name in self._store.view(name).authors else ())

    def known_people(self) -> tuple[str, ...]:
        """Ids of the people who were set, and of those who wrote in public channels."""
        with self._held():
            view = self._store.view(None)
            return tuple(dict.fromkeys((*view.people, *view.authors)))

    def name_of(self, person: str) -> str:
        """The name of a person; the id of one who has none."""
        with self._held():
            known = self._store.view(None).people.get(person)
            return (known.name if known is not None else None) or person

    def explain(
        self, question: str, *, asker: str | None = None, limit: int = 10, asked_at: datetime | None = None
    ) -> Explanation:
        """What `recall` gives, with what was understood of the question and every component of every score."""
        return self._seen(
            asker, asked_at, lambda view: self._recaller.explain(view, question, limit=limit, asked_at=asked_at)
        )

    def model_counts(self) -> dict[str, int]:
        """Calls of the chat model and its replies that could not be used, by what it was asked for; {} without one."""
        with self._lock:
            return dict(self._calls.counts) if self._calls is not None else {}

    def status(self) -> Status:
        """How much the memory holds, how large it is, and how far its indexes are."""
        with self._held():
            return self._store.status()

    # -- upkeep --------------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Brings the indexes up to the last message. Messages are found without it; then each process reads more."""
        with self._held():
            self._store.flush()

    def compact(self) -> None:
        """Removes deleted messages for good: from tables, logs, indexes and vectors."""
        with self._held():
            self._store.compact()

    def rebuild(self) -> None:
        """Makes notes, links and indexes again from the messages: for a damaged index, or after people have changed."""
        with self._held():
            self._store.rebuild()

    def reembed(self, embedding: str | EmbeddingModel) -> None:
        """Makes the vectors again with another embedding model, and uses it from then on. Cut off, it goes on."""
        with self._held():
            model = self._open_named(embedding) if isinstance(embedding, str) else embedding
            self._store.reembed(model)
            self._recaller = self._make_recaller(model)

    def close(self) -> None:
        """Closes the files. Nothing is lost by not calling it."""
        with self._lock:
            self._is_open = False
            self._store.close()
            self._close_models()

    def _seen(self, asker: str | None, until: datetime | None, look: Callable[[View], SeenT]) -> SeenT:
        """What `look` finds in a view; in a new one where another process has meanwhile deleted what it was to see."""
        with self._held():
            for _ in range(_MOST_VIEWS):
                with suppress(StaleViewError):
                    return look(self._store.view(asker, until))
        raise BusyError("another process deletes what is recalled, again and again: ask again when it is done")

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The memory is this thread's in the block. Raises InputError where it is closed."""
        with self._lock:
            if not self._is_open:
                raise InputError(
                    f"{self._path}: this memory has been closed; open it again: GroupMemory({self._path!r})"
                )
            yield

    def _close_models(self) -> None:
        for models in self._models:
            models.close()

    def _make_recaller(self, embedding: EmbeddingModel | None) -> Recaller | AssistedRecaller:
        recaller = Recaller(embedding, parts=self._parts)
        return recaller if self._calls is None else AssistedRecaller(recaller, self._calls, self._assistance)

    def _open_named(self, name: str) -> EmbeddingModel:
        return self._open_models(RetryPolicy()).embedding(name, _INGEST)

    def _open_models(self, patience: RetryPolicy) -> Models:
        self._models.append(Models(log_path=None, cache_path=None, retry=patience))
        return self._models[-1]


def _batches(messages: Iterable[Message], size: int) -> Iterator[list[Message]]:
    remaining = iter(messages)
    while some := list(islice(remaining, size)):
        yield some


def _each(records: Iterable[RecordT], kind: type[RecordT]) -> Iterator[RecordT]:
    """The records, one by one. Raises InputError for one that is something else, a dict for example."""
    for record in records:
        if not isinstance(record, kind):
            name = kind.__name__
            raise InputError(
                f"{record!r:.80} is no {name} but {type(record).__name__}: make one of its fields, {name}(id=..., ...)"
            )
        yield record
