"""A row of the table: whatever is asked every question, memory systems and reference rows alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from groupmem.errors import SystemFailure
from groupmem.lab.records import RecalledLine
from groupmem.lab.runs.reader import Reader
from groupmem.lab.runs.sizes import PassageSizes
from groupmem.lab.systems.base import BaseSystem, GatewayAccess, Need, Setting
from groupmem.models.base import ChatRequest
from groupmem.types import Answer, Message, Passage, Question, Recall, Record, passage_ids


class Found(Record, frozen=True, kw_only=True):
    """What a row returned for one question. `truncated` counts messages that did not fit."""

    passages: tuple[Passage, ...] = ()
    support: float | None = None
    truncated: int = 0


class Traits(Record, frozen=True, kw_only=True):
    """What sets rows apart. `reference` rows may see the gold; `ranked` ones return passages best first; one that
    `answers` needs no reader; one that is `resumable` goes on in a store that an earlier process left. `needs` is what
    one that runs in a process of its own must be given; one that is `planted` is tried with a planted message first,
    and one that `prepares` fills a database, of which each cell gets a copy; the store of one that is `restorable` may
    be copied when all is ingested; one that is `concurrent` answers several questions at a time."""

    reference: bool = False
    ranked: bool = True
    answers: bool = False
    resumable: bool = False
    needs: tuple[Need, ...] = ()
    planted: bool = False
    prepares: bool = False
    restorable: bool = False
    concurrent: bool = False


class Row(Protocol):
    """What the stages drive. `sha256` is of the file of a user's system; None for everything else."""

    name: str
    sha256: str | None

    @property
    def traits(self) -> Traits: ...

    def open(self, setting: Setting) -> None: ...

    def ingest(self, messages: Sequence[Message]) -> None: ...

    def settle(self) -> None: ...

    def recall(self, question: Question, limit: int) -> Found: ...

    def answer(self, question: Question, gateway: GatewayAccess | None = None) -> Answer:
        """The row's own answer; only called where it `answers`, and while it is open. Calls over `gateway` are booked
        on the question."""
        ...

    def request(self, reader: Reader, question: Question, line: RecalledLine) -> ChatRequest:
        """What the reader is sent; only called where the row does not answer by itself. Needs no open row."""
        ...

    def expected_tokens(self, question: Question, limit: int, sizes: PassageSizes) -> float:
        """Tokens of the passages that the reader is likely to be handed. Needs no open row."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What the record of the cell is to say of the row; only asked while it is open."""
        ...

    def figures(self) -> Mapping[str, Any]:
        """What the row counts in its store; only asked while it is open."""
        ...

    def close(self) -> None: ...


class SystemRow:
    """A memory system. It sees the words of a question, its asker and its time; what it returns is checked."""

    def __init__(self, name: str, system: BaseSystem, sha256: str | None = None) -> None:
        self.name = name
        self.sha256 = sha256
        self._system = system
        self._given: set[str] = set()
        can = system.capabilities
        self.traits = Traits(
            answers=can.answers,
            resumable=can.resumable,
            needs=system.needs,
            planted=system.planted,
            prepares=system.prepares,
            restorable=can.restorable,
            concurrent=can.concurrent,
        )

    def open(self, setting: Setting) -> None:
        self._given.clear()
        self._system.open(setting)

    def ingest(self, messages: Sequence[Message]) -> None:
        self._given.update(message.id for message in messages)
        self._system.ingest(messages)

    def settle(self) -> None:
        self._system.settle()

    def recall(self, question: Question, limit: int) -> Found:
        """Raises SystemFailure where what came back breaks the contract: it would not be comparable."""
        recall = self._system.recall(question.text, asker=question.asker, limit=limit, asked_at=question.asked_at)
        self._check(recall, question, limit)
        return Found(passages=tuple(recall.passages), support=recall.support)

    def answer(self, question: Question, gateway: GatewayAccess | None = None) -> Answer:
        answer = self._system.answer_through(gateway, question.text, asker=question.asker, asked_at=question.asked_at)
        if not isinstance(answer, Answer):
            raise SystemFailure(f"answer() must return an Answer, not {type(answer).__name__} (question {question.id})")
        return answer

    def request(self, reader: Reader, question: Question, line: RecalledLine) -> ChatRequest:
        return reader.request(question, line.passages)

    def expected_tokens(self, question: Question, limit: int, sizes: PassageSizes) -> float:
        return min(limit, sizes.messages) * sizes.mean

    def notes(self) -> tuple[str, ...]:
        return self._system.notes()

    def figures(self) -> Mapping[str, Any]:
        return self._system.figures()

    def close(self) -> None:
        """Lets go of the system too, with all that it holds in memory: the rows of a run live on to its end."""
        try:
            self._system.close()
        finally:
            del self._system

    def _check(self, recall: Recall, question: Question, limit: int) -> None:
        if not isinstance(recall, Recall):
            raise SystemFailure(f"recall() must return a Recall, not {type(recall).__name__} (question {question.id})")
        ids = passage_ids(recall.passages)
        if len(recall.passages) > limit or len(ids) > limit:
            raise SystemFailure(
                f"recall() was asked for {limit} and returned {len(recall.passages)} passages with {len(ids)} source "
                f"ids (question {question.id}); a passage with m ids takes m ranks: return fewer"
            )
        foreign = [source for source in ids if source not in self._given]
        if foreign:
            raise SystemFailure(
                f"recall() returned the source id {foreign[0]!r} (question {question.id}), which is the id of no "
                "message that it was given"
            )
