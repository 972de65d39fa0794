"""New messages are written together: one at a time each insert waits for what the notes have driven out of the caches.

They are written in front of the first statement that could miss them, and by the end of each batch. So nobody who asks
through `LateRows` can see that they were late; who looks up a message by its id may ask `find` beside the database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from groupmem.memory.store.database import Stored

FACTS = (
    "row", "channel", "id", "author", "role", "phase", "topic", "spoken_of", "sent_at", "sent_offset", "sort_at",
    "position", "is_bot", "words", "answers", "parent", "thread", "context", "entry", "vector_entry", "states",
    "kinds_1", "kinds_2",
)  # fmt: skip
"""The columns of `messages` that are written."""

TEXTS = {
    "row": "row", "text": "text", "reply_to": "reply_to", "thread": "source_thread", "edited_at": "edited_at",
    "edited_offset": "edited_offset", "extra": "extra", "notes": "notes", "days": "days",
}  # fmt: skip
"""The columns of `texts`, and what their values are called."""

_ADD_FACTS = f"INSERT INTO messages ({', '.join(FACTS)}) VALUES ({', '.join('?' * len(FACTS))})"  # noqa: S608
_ADD_TEXT = f"INSERT INTO texts ({', '.join(TEXTS)}) VALUES ({', '.join('?' * len(TEXTS))})"  # noqa: S608
_facts, _texts = itemgetter(*FACTS), itemgetter(*TEXTS.values())
_Values = Sequence[Any] | Mapping[str, Any]


class LateRows:
    """A connection that knows of new messages before they are written. Part of the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._facts: list[tuple[Any, ...]] = []
        self._texts: list[tuple[Any, ...]] = []
        self._threads: dict[tuple[int, Stored], tuple[int, int]] = {}

    def add(self, facts: Mapping[str, Any], text: Mapping[str, Any]) -> None:
        """Takes a new message, by the names of `FACTS` and `TEXTS`."""
        self._facts.append(_facts(facts))
        self._texts.append(_texts(text))
        self._threads[facts["channel"], facts["id"]] = facts["row"], facts["thread"]

    def find(self, channel: int, name: Stored) -> tuple[int, int] | None:
        """Row and thread of a message that is still to be written."""
        return self._threads.get((channel, name))

    def write(self) -> None:
        """Writes what is waiting."""
        if self._facts:
            self._connection.executemany(_ADD_FACTS, self._facts)
            self._connection.executemany(_ADD_TEXT, self._texts)
            self.forget()

    def forget(self) -> None:
        """Drops what is waiting: the transaction failed."""
        self._facts.clear()
        self._texts.clear()
        self._threads.clear()

    def execute(self, query: str, values: _Values = ()) -> sqlite3.Cursor:
        """As of a connection, behind what was waiting."""
        self.write()
        return self._connection.execute(query, values)

    def executemany(self, query: str, values: Iterable[_Values]) -> sqlite3.Cursor:
        """As of a connection, behind what was waiting."""
        self.write()
        return self._connection.executemany(query, values)

    def aside(self, query: str, values: _Values = ()) -> sqlite3.Cursor:
        """As of a connection, for a statement that may miss what is waiting."""
        return self._connection.execute(query, values)
