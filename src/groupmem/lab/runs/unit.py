"""One unit while it is run: its conversation, loaded when first needed, and what the stages look up in it."""

from __future__ import annotations

from functools import cached_property

from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.runs.sizes import PassageSizes
from groupmem.lab.runs.timeline import Timeline
from groupmem.types import Conversation, Passage, Question, passage_ids


class RunUnit:
    """A unit with the questions that were chosen for the run."""

    def __init__(self, unit: Unit, questions: tuple[Question, ...]) -> None:
        self.id = unit.id
        self.questions = questions
        self._unit = unit

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
        return tuple(source for source in passage_ids(passages) if self._channel_of.get(source) in channels)

    @cached_property
    def _channel_of(self) -> dict[str, str]:
        return {message.id: message.channel for message in self.conversation.messages}
