"""Authors, roles, phases, topics and people who are spoken of: each text is stored once and known by a number."""

from __future__ import annotations

import sqlite3

from groupmem.memory.store.database import restored, stored


class Labels:
    """The numbers of a database's labels. A number is never used for another text."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._texts: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def number(self, text: str | None) -> int | None:
        """The number of a text, which is written down if it is new; None for None."""
        if text is None:
            return None
        number = self._numbers.get(text)
        if number is None:
            query = "INSERT INTO labels (text) VALUES (?) ON CONFLICT DO UPDATE SET text = text RETURNING label"
            number = self._numbers[text] = int(self._connection.execute(query, (stored(text),)).fetchone()[0])
        return number

    def find(self, text: str) -> int | None:
        """The number of a text; None where it has none."""
        found = self._connection.execute("SELECT label FROM labels WHERE text = ?", (stored(text),)).fetchone()
        return None if found is None else int(found[0])

    def text(self, number: int | None) -> str | None:
        """The text of a number; None for None."""
        if number is None:
            return None
        text = self._texts.get(number)
        if text is None:
            found = self._connection.execute("SELECT text FROM labels WHERE label = ?", (number,)).fetchone()
            text = self._texts[number] = restored(found[0])
        return text

    def forget(self) -> None:
        """Drops what was remembered: after a transaction that failed, or when labels were removed."""
        self._texts.clear()
        self._numbers.clear()
