"""Small conversations, folders in the project's layout, and systems of a user's own, for the tests of runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from groupmem.types import Channel, Conversation, Message, Person, Question

START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def conversation(count: int = 6) -> Conversation:
    """`count` messages a minute apart, every third in a private channel that only mira may read."""
    people = (Person(id="mira"), Person(id="tomas"))
    channels = (Channel(id="open"), Channel(id="private", members=("mira",)))
    messages = tuple(
        Message(
            id=f"m{n}",
            channel="private" if n % 3 == 2 else "open",
            author=("mira", "tomas")[n % 2],
            text=f"word{n} and a common word",
            sent_at=START + timedelta(minutes=n),
        )
        for n in range(count)
    )
    return Conversation(id="small", messages=messages, people=people, channels=channels)


class HeldUnit(NamedTuple):
    """A unit that is in memory."""

    id: str
    held: Conversation
    asked: tuple[Question, ...] = ()

    def conversation(self) -> Conversation:
        return self.held

    def questions(self) -> tuple[Question, ...]:
        return self.asked


def question(key: str, **fields: object) -> Question:
    return Question(**{"id": key, "text": f"What of {key}?", "answer": "yes", "asker": "mira", **fields})
