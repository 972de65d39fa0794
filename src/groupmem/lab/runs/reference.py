"""The reference rows that every table needs: what is won without a memory, and what a perfect one would win.

They belong to runs and are no memory systems: the oracle is given what no system sees.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from groupmem.lab.records import RecalledLine
from groupmem.lab.runs.reader import Reader
from groupmem.lab.runs.rows import Found, Traits
from groupmem.lab.runs.sizes import PassageSizes, passage_tokens
from groupmem.lab.runs.unit import RunUnit
from groupmem.lab.systems.base import GatewayAccess, Setting, passage_of
from groupmem.lab.systems.options import Option, resolve_options
from groupmem.models.base import ChatRequest
from groupmem.types import Answer, Message, Passage, Question

NO_INFORMATION = "The conversation holds no information on this."
WINDOW = Option(
    name="tokens",
    default="100000",
    bounds=(1, 100_000_000),
    summary="o200k tokens of messages that the reader is given",
)


class ReferenceRow:
    """Takes messages in, finds nothing."""

    traits: ClassVar[Traits] = Traits(reference=True, ranked=False)
    sha256: str | None = None
    options: ClassVar[tuple[Option, ...]] = ()

    def __init__(self, name: str, options: Mapping[str, str], unit: RunUnit) -> None:
        """Raises InputError for an option that the row does not know."""
        self.name = name
        self._options = resolve_options(options, self.options, owner=name.partition(":")[0])
        self._unit = unit
        self._messages: list[Message] = []

    def open(self, setting: Setting) -> None:
        self._messages = []

    def ingest(self, messages: Sequence[Message]) -> None:
        self._messages.extend(messages)

    def settle(self) -> None:
        """Nothing is indexed."""

    def recall(self, question: Question, limit: int) -> Found:
        return Found()

    def answer(self, question: Question, gateway: GatewayAccess | None = None) -> Answer:
        raise NotImplementedError(f"{self.name} does not answer by itself")

    def request(self, reader: Reader, question: Question, line: RecalledLine) -> ChatRequest:
        return reader.request(question, line.passages)

    def expected_tokens(self, question: Question, limit: int, sizes: PassageSizes) -> float:
        return 0.0

    def notes(self) -> tuple[str, ...]:
        return ()

    def figures(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        self._messages = []


class Abstain(ReferenceRow):
    """Answers "no information" to everything, without a call: what abstaining alone wins."""

    traits: ClassVar[Traits] = Traits(reference=True, ranked=False, answers=True)

    def answer(self, question: Question, gateway: GatewayAccess | None = None) -> Answer:
        return Answer(text=NO_INFORMATION)


class NoMemory(ReferenceRow):
    """The reader alone with the question: what can be guessed."""

    def request(self, reader: Reader, question: Question, line: RecalledLine) -> ChatRequest:
        return reader.request_alone(question)


class Oracle(ReferenceRow):
    """The gold evidence, all of it and in the order it was said: what a perfect retrieval wins."""

    traits: ClassVar[Traits] = Traits(reference=True)

    def recall(self, question: Question, limit: int) -> Found:
        gold = frozenset(question.evidence)
        return Found(passages=tuple(passage_of(message) for message in self._messages if message.id in gold))

    def expected_tokens(self, question: Question, limit: int, sizes: PassageSizes) -> float:
        return sizes.of(question.evidence)


class FullContext(ReferenceRow):
    """Everything that was said and fits a window of tokens, the newest kept, in the order it was said.

    It knows no private channels: what it shows an asker who may not read it is counted as for any other row.
    """

    options: ClassVar[tuple[Option, ...]] = (WINDOW,)

    def __init__(self, name: str, options: Mapping[str, str], unit: RunUnit) -> None:
        super().__init__(name, options, unit)
        self._window = int(float(self._options[WINDOW.name]))
        self._counted: dict[str, int] = {}
        self._reading = threading.Lock()

    def recall(self, question: Question, limit: int) -> Found:
        passages = self._newest(self._messages)
        return Found(passages=passages, truncated=len(self._messages) - len(passages))

    def request(self, reader: Reader, question: Question, line: RecalledLine) -> ChatRequest:
        """The line that was kept leaves the passages out; they are found again in the conversation."""
        with self._reading:  # questions are answered side by side, and one of them reads it
            timeline = self._unit.timeline
        said = timeline.messages[: timeline.said_before(question)]
        return reader.request(question, line.passages or self._newest(said))

    def expected_tokens(self, question: Question, limit: int, sizes: PassageSizes) -> float:
        return min(self._window, sizes.total)

    def _newest(self, messages: Sequence[Message]) -> tuple[Passage, ...]:
        left = self._window
        kept: list[Passage] = []
        for message in reversed(messages):
            left -= self._tokens(message)
            if left < 0:
                break
            kept.append(passage_of(message))
        return tuple(reversed(kept))

    def _tokens(self, message: Message) -> int:
        if message.id not in self._counted:
            self._counted[message.id] = passage_tokens(message)
        return self._counted[message.id]


REFERENCE_ROWS: Mapping[str, type[ReferenceRow]] = {
    "abstain": Abstain,
    "no-memory": NoMemory,
    "full-context": FullContext,
    "oracle": Oracle,
}
