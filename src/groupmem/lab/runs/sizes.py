"""How many tokens the messages of a unit take as passages: what a plan reckons with before anything is recalled."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.lab.runs.reader import passage_block
from groupmem.lab.systems.base import passage_of
from groupmem.text import count_tokens
from groupmem.types import Message

MEASURED = 1000
"""Messages that are counted, spread evenly over the conversation; the others are taken to be like them."""


def passage_tokens(message: Message) -> int:
    """o200k tokens of one message as a passage, with a number in front and a blank line behind."""
    return count_tokens(passage_block([passage_of(message)]) + "\n\n")


class PassageSizes:
    """Tokens of single messages, exactly, and of all of them, from an even sample."""

    def __init__(self, messages: Sequence[Message]) -> None:
        measured = messages[:: max(1, len(messages) // MEASURED)]
        self.mean = sum(map(passage_tokens, measured)) / len(measured) if measured else 0.0
        self.mean_text = sum(count_tokens(message.text) for message in measured) / len(measured) if measured else 0.0
        self.messages = len(messages)
        self._by_id = {message.id: message for message in messages}

    @property
    def total(self) -> float:
        return self.mean * self.messages

    def of(self, message_ids: Sequence[str]) -> int:
        """Tokens of these messages; an id that is no message has none."""
        return sum(passage_tokens(self._by_id[key]) for key in message_ids if key in self._by_id)
