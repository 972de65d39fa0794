"""How a question and messages are shown to a model: one JSON object a line, so that no text can look like two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from groupmem.memory.notes.people import Directory
from groupmem.memory.store.base import StoredMessage, View

MOST_CHARACTERS = 600
"""Of one message; a longer one is cut, and says so."""
GIST_CHARACTERS = 120
"""Of what a message replies to."""


def question_line(question: str, asker: str | None, asked_at: datetime | None, directory: Directory) -> str:
    """The question with who asks it and when."""
    who = named(asker, None, directory) if asker is not None else None
    return line({"asked by": who, "asked at": _minute(asked_at), "question": question})


def message_fields(view: View, stored: Sequence[StoredMessage]) -> list[dict[str, Any]]:
    """Messages as their authors wrote them, with who, when, where, and what each answers; without their ids."""
    parents = {each.parent for each in stored if each.parent is not None}
    answered = {each.row: each.message for each in view.messages(np.array(sorted(parents), dtype=np.int64))}
    channels = {channel.id: channel.name for channel in view.channels}
    directory = view.directory

    def fields(each: StoredMessage) -> dict[str, Any]:
        message = each.message
        parent = answered.get(each.parent) if each.parent is not None else None
        said = f"{named(parent.author, None, directory)}: {_cut(parent.text, GIST_CHARACTERS)}" if parent else None
        return {
            "author": named(message.author, message.role, directory),
            "sent": _minute(message.sent_at),
            "channel": channels.get(message.channel) or message.channel,
            "phase": message.phase,
            "topic": message.topic,
            "answers": said,
            "text": _cut(message.text, MOST_CHARACTERS),
        }

    return [fields(each) for each in stored]


def lines(objects: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(map(line, objects))


def line(fields: Mapping[str, Any]) -> str:
    """JSON on one line, without what is not there."""
    return msgspec.json.encode(_present(fields)).decode()


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _present(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
        if value is not None
    }


def named(person_id: str, role: str | None, directory: Directory) -> str:
    """The name and the role of a person; the id of one who has no name."""
    person = directory.person(person_id)
    name = (person.name if person else None) or person_id
    role = role or (person.role if person else None)
    return f"{name} ({role})" if role else name


def _minute(moment: datetime | None) -> str | None:
    return moment.strftime("%a %Y-%m-%d %H:%M") if moment else None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} [cut]"
