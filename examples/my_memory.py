"""A memory of one's own: the messages that share most words with the question, the latest first among equals."""

from collections.abc import Sequence
from datetime import datetime

from groupmem.lab.systems.base import passage_of
from groupmem.text import words
from groupmem.types import Message, Recall


class MyMemory:
    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}

    def ingest(self, messages: Sequence[Message]) -> None:
        self.messages |= {message.id: message for message in messages}

    def settle(self) -> None:
        pass  # everything can be found as soon as it is ingested

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        asked = set(words(question))
        latest_first = reversed(self.messages.values())
        overlaps = [(len(asked.intersection(words(f"{m.author} {m.text}"))), m) for m in latest_first]
        best = sorted((found for found in overlaps if found[0]), key=lambda found: -found[0])[:limit]
        return Recall(passages=tuple(passage_of(message, overlap) for overlap, message in best))
