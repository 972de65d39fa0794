"""Short conversations for tests of recall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from groupmem.memory.decisions import link
from groupmem.memory.recall import Recaller
from groupmem.types import Channel, Message, Person, Recall, passage_ids
from support.memory_view import MemoryView
from support.word_vectors import WordVectors

START = datetime(2031, 3, 3, 9, 0, tzinfo=UTC)  # a Monday
PEOPLE = (
    Person(id="u1", name="Mira Sandoval", role="Release Manager"),
    Person(id="u2", name="Tomas Ek", role="Backend Engineer"),
    Person(id="u3", name="Lena Okafor", role="QA Lead"),
)
VECTORS = WordVectors()


def said(*lines: tuple[str, str] | tuple[str, str, dict[str, Any]]) -> list[Message]:
    """Messages m1, m2, ... ten minutes apart in one room, by (author, text, further fields)."""
    messages = []
    for number, (author, text, *further) in enumerate(lines, start=1):
        fields: dict[str, Any] = {"channel": "ops", "sent_at": START + timedelta(minutes=10 * number)}
        fields |= further[0] if further else {}
        messages.append(Message(id=f"m{number}", author=author, text=text, position=number, **fields))
    return messages


def view_of(
    messages: Sequence[Message],
    *,
    people: Sequence[Person] = PEOPLE,
    channels: Sequence[Channel] = (),
    asker: str | None = None,
    until: datetime | None = None,
    vectors: bool = True,
) -> MemoryView:
    """A view of everything that `asker` may see, with links between its statements."""
    return MemoryView(
        messages,
        people=people,
        channels=channels,
        embedding=VECTORS if vectors else None,
        asker=asker,
        until=until,
        linker=link,
    )


def recalled(view: MemoryView, question: str, **options: Any) -> Recall:
    """What is recalled from a view."""
    return Recaller(VECTORS if view.has_vectors else None).recall(view, question, **options)


def ids(recall: Recall) -> list[str]:
    """The ids of what was recalled, best first."""
    return passage_ids(recall.passages)
