"""Preflight: before the questions of a cell, a planted message must come back from an instance of the system's own."""

from __future__ import annotations

import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from groupmem.errors import SystemFailure
from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.types import Channel, Message, Person, Recall

_AUTHOR = Person(id="preflight-1", name="Tamsin", role="Dispatcher")
_OTHER = Person(id="preflight-2", name="Orrin", role="Driver")
_CHANNEL = Channel(id="preflight", name="depot")
_SAID = (
    "Good morning, the depot is open.",
    "The spare key of the blue trailer hangs behind the clock.",
    "Thanks, noted.",
)
_PLANTED = 1
_QUESTION = "Where does the spare key of the blue trailer hang?"
_WORD = "clock"
_LIMIT = 5


def preflight(system: BaseSystem, setting: Setting) -> None:
    """Raises SystemFailure where the planted message does not come back, and whatever the system raises.

    `system` is fresh, and is closed at the end. Of `setting` the models, services and options are used.
    """
    with tempfile.TemporaryDirectory(prefix="groupmem-preflight-") as folder, closing(system):
        system.open(
            msgspec.structs.replace(setting, people=(_AUTHOR, _OTHER), channels=(_CHANNEL,), store_dir=Path(folder))
        )
        messages = _messages()
        system.ingest(messages)
        system.settle()
        recall = system.recall(_QUESTION, asker=_OTHER.id, limit=_LIMIT, asked_at=None)
    if not _came_back(recall, messages[_PLANTED].id):
        raise SystemFailure(
            f"preflight: a planted message did not come back ({messages[_PLANTED].text!r}, asked: {_QUESTION!r}; "
            f"{len(recall.passages)} passages came). Its answers to the questions would mean nothing"
        )


def _messages() -> list[Message]:
    return [
        Message(
            id=f"preflight-m{number}",
            channel=_CHANNEL.id,
            author=author.id,
            role=author.role,
            text=text,
            position=number,
            sent_at=datetime(2031, 3, 3, 8, number, tzinfo=UTC),
        )
        for number, (author, text) in enumerate(zip((_AUTHOR, _AUTHOR, _OTHER), _SAID, strict=True))
    ]


def _came_back(recall: Recall, planted: str) -> bool:
    """By its id, or where a package keeps none, by the word that answers the question."""
    return any(planted in passage.source_ids or _WORD in passage.text.lower() for passage in recall.passages)
