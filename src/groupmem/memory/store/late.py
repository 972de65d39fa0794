"""New messages are written together: one at a time each insert waits for what the notes have driven out of the caches.

They are written in front of the first statement that could miss them, and by the end of each batch. So nobody who asks
through `LateRows` can see that they were late.
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
_ROW = "SELECT row FROM messages WHERE channel = ? AND id = ?"
_THREAD = "SELECT row, thread, deleted FROM messages WHERE channel = ? AND id = ?"
_MOST_REMEMBERED = 8192

Key = tuple[int, Stored]
"""A message by the number of its channel and its stored id."""

_Values = Sequence[Any] | Mapping[str, Any]


class LateRows:
    """A connection that knows of new messages before they are written. Part of the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._facts: list[tuple[Any, ...]] = []
        self._texts: list[tuple[Any, ...]] = []
        self._rows: dict[Key, int | None] = {}
        self._threads: dict[Key, tuple[int, int]] = {}

    def add(self, facts: Mapping[str, Any], text: Mapping[str, Any]) -> None:
        """Takes a new message, by the names of `FACTS` and `TEXTS`."""
        self._facts.append(_facts(facts))
        self._texts.append(_texts(text))
        key = facts["channel"], facts["id"]
        self._rows[key] = facts["row"]
        self._threads[key] = facts["row"], facts["thread"]

    def expect(self, keys: Iterable[Key]) -> None:
        """Looks up the rows of messages that are about to come, which is faster in a row; until `done`."""
        for key in keys:
            found = self._connection.execute(_ROW, key).fetchone()
            self._rows[key] = None if found is None else found[0]

    def done(self) -> None:
        """Writes what is waiting, and forgets what was looked up."""
        self.write()
        self._rows.clear()

    def row(self, key: Key) -> int | None:
        """The row of a message, be it written or still waiting; None where there is none."""
        if key in self._rows:
            return self._rows[key]
        found = self._connection.execute(_ROW, key).fetchone()
        return None if found is None else int(found[0])

    def thread(self, key: Key) -> tuple[int, int, bool] | None:
        """Row and thread of a message, be it written or still waiting, and whether it is deleted."""
        late = self._threads.get(key)
        if late is not None:
            return *late, False
        found: tuple[int, int, bool] | None = self._connection.execute(_THREAD, key).fetchone()
        return found

    def moved(self) -> None:
        """Threads have changed, or messages go: those of the latest are not remembered any more."""
        self.write()
        self._threads.clear()

    def write(self) -> None:
        """Writes what is waiting."""
        if self._facts:
            self._connection.executemany(_ADD_FACTS, self._facts)
            self._connection.executemany(_ADD_TEXT, self._texts)
            self._facts.clear()
            self._texts.clear()
            if len(self._threads) > _MOST_REMEMBERED:
                self._threads.clear()

    def forget(self) -> None:
        """Drops what is waiting and what is remembered: others have written, or the transaction failed."""
        self._facts.clear()
        self._texts.clear()
        self._rows.clear()
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
