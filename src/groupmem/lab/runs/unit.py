"""One unit while it is run: its conversation, loaded when first needed, and what the stages look up in it."""

from __future__ import annotations

from functools import cached_property

from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.measures.value_at_1 import value_at_1
from groupmem.lab.measures.values import ValueFinder
from groupmem.lab.runs.sizes import PassageSizes
from groupmem.lab.runs.timeline import Timeline
from groupmem.types import Conversation, Message, Passage, Question, passage_ids


class RunUnit:
    """A unit with the questions that were chosen for the run."""

    def __init__(self, unit: Unit, questions: tuple[Question, ...]) -> None:
        self.id = unit.id
        self.questions = questions
        self._unit = unit

    def release(self) -> None:
        """Forgets the conversation and all that was made of it; what is needed again is read again."""
        for name in ("conversation", "timeline", "sizes", "_finder", "_messages"):
            self.__dict__.pop(name, None)

    @cached_property
    def conversation(self) -> Conversation:
        return self._unit.conversation()

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.conversation)

    @cached_property
    def sizes(self) -> PassageSizes:
        return PassageSizes(self.conversation.messages)

    def hidden(self, question: Question, passages: tuple[Passage, ...]) -> tuple[str, ...]:
        """Ids among the passages that the asker may not read."""
        channels = self.conversation.hidden_channels(question.asker)
        if not channels:
            return ()
        known = (source for source in passage_ids(passages) if source in self._messages)
        return tuple(source for source in known if self._messages[source].channel in channels)

    def value_at_1(self, question: Question, passages: tuple[Passage, ...]) -> float | None:
        """The measure of this name for what was recalled, from the original messages; None where it cannot be taken."""
        gold = self._finder.gold_of(question)
        if gold is None:
            return None
        ranked = (self._messages[source] for source in passage_ids(passages) if source in self._messages)
        return value_at_1(ranked, gold, self._finder, question.evidence)

    @cached_property
    def _finder(self) -> ValueFinder:
        return ValueFinder(self.conversation.people, self.conversation.channels)

    @cached_property
    def _messages(self) -> dict[str, Message]:
        return {message.id: message for message in self.conversation.messages}
