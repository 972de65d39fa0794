"""What is derived from messages and kept with them: notes, and links between statements.

Both depend on other messages (an answer borrows from its parent, a statement replaces earlier ones), so they are made
again when those come late, change or go.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Protocol

import msgspec

from groupmem.memory.notes.claims import spoken_of
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.records import Notes
from groupmem.memory.notes.statements import KINDS
from groupmem.memory.store.base import Linker, Noted
from groupmem.memory.store.groups import Before, Groups
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.late import LateRows
from groupmem.memory.store.rows import encode_notes, read_noted, readable
from groupmem.memory.store.setting import Setting
from groupmem.memory.store.shared_words import SharedWords
from groupmem.memory.store.threads import Place
from groupmem.types import Message

MOST_COMPARED = 12
LATEST_COMPARED = 2
"""How many earlier statements a new one is compared with, and how many of them are merely the latest."""

_REMEMBERED = 8192
_DECIDES = frozenset({"decision", "change"})
_SURE = 0.4
_PLACES = {kind: place for place, kind in enumerate(KINDS)}


class Note(Protocol):
    """`groupmem.memory.notes.note`."""

    def __call__(self, message: Message, *, directory: Directory, parent: Notes | None = None) -> Notes: ...


class Noting:
    """Notes and links of the messages of a workspace. All methods are part of the caller's transaction."""

    def __init__(self, connection: LateRows, labels: Labels, setting: Setting, note: Note, link: Linker) -> None:
        self._connection = connection
        self._labels = labels
        self._setting = setting
        self._note = note
        self._link = link
        self._groups = Groups(connection)
        self._remembered: OrderedDict[int, Noted] = OrderedDict()
        self._words = SharedWords()

    def forget(self) -> None:
        """Drops what is remembered: others have written, or a transaction failed."""
        self._remembered.clear()
        self._words.forget()
        self._groups.forget()

    def changed(self, row: int) -> None:
        """Drops what is remembered of a row that has changed."""
        self._remembered.pop(row, None)
        self._words.drop(row)
        self._groups.forget()

    def moved(self, rows: Iterable[int]) -> None:
        """Drops what is remembered of rows that stand in another thread now, and tells readers."""
        moved = list(rows)
        for row in moved:
            self.changed(row)
        self.tell(moved)

    def tell(self, rows: Iterable[int]) -> None:
        """Tells readers that have loaded these rows that they have changed."""
        self._connection.executemany("INSERT INTO changes (row) VALUES (?)", [(row,) for row in rows])

    # -- notes ---------------------------------------------------------------------------------------------------------

    def noted(self, row: int) -> Noted | None:
        """A message with its notes; None where it is deleted."""
        found = next(iter(self._many([row])), None)
        self._trim()
        return found

    def notes_of(self, message: Message, channel: int, parent: int | None) -> Notes:
        """The notes of a message whose parent is this row."""
        above = None if parent is None else self.noted(parent)
        return self._note(
            _clean(message),
            directory=self._setting.directory(frozenset((channel,))),
            parent=None if above is None else above.notes,
        )

    def renote(self, rows: Iterable[int]) -> None:
        """Notes these messages again, and the answers of those that then have other notes, and so on; links follow."""
        waiting = list(rows)
        while waiting:
            row = waiting.pop()
            noted = self.noted(row)
            if noted is None:
                continue
            query = "SELECT channel, parent FROM messages WHERE row = ?"
            notes = self.notes_of(noted.message, *self._connection.execute(query, (row,)).fetchone())
            if notes != noted.notes:
                self._replace(row, notes)
                waiting += self.answers(row)
                self.relink(row)

    def answers(self, row: int) -> list[int]:
        """The rows of the messages that answer this one."""
        found = self._connection.execute("SELECT row FROM messages WHERE parent = ? AND deleted = 0", (row,))
        return [child for (child,) in found]

    def stated(self, notes: Notes) -> dict[str, int | None]:
        """The columns of `messages` that say what a message states, and of whom."""
        return {**_stated(notes), "spoken_of": self._labels.number(spoken_of(notes))}

    # -- links ---------------------------------------------------------------------------------------------------------

    def link_newest(self, noted: Noted, place: Place, *, states: bool) -> None:
        """Makes the links of a message that has just come in and is the newest of its channel."""
        self._trim()
        self._remembered[noted.row] = noted
        if states:
            phase, topic = self._labels.number(noted.message.phase), self._labels.number(noted.message.topic)
            self._add_links(noted, self._groups.before_newest(place, phase, topic))
        self._groups.joined(place, states=states)

    def relink(self, row: int) -> None:
        """Makes the links of a message again, and those of the later messages that may replace it."""
        self._groups.forget()
        self.link_again((row, *self._groups.later(row)))

    def link_again(self, rows: Iterable[int]) -> None:
        """Makes the links of these messages again, and no others."""
        for row in rows:
            self._connection.execute("DELETE FROM links WHERE new = ?", (row,))
            noted = self.noted(row)
            if noted is not None and _states(noted.notes):
                self._add_links(noted, self._groups.before(row))

    def unlink(self, row: int) -> list[int]:
        """Removes all links of a message that is going; gives the later messages that need links of their own again."""
        later = self._groups.later(row)
        self._connection.execute("DELETE FROM links WHERE new = ? OR old = ?", (row, row))
        return later

    def _add_links(self, noted: Noted, before: Before) -> None:
        if not before.all_rows:
            return
        compared = before.talk.union(self._likeliest(noted, before.statements))
        earlier = [row for row in before.all_rows if row in compared]
        for link in self._link(noted, self._many(earlier), len(before.statements)):
            self._connection.execute(
                "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (link.new, link.old, *link.new_span, *link.old_span, link.score, link.names_old),
            )

    def _likeliest(self, noted: Noted, earlier: list[int]) -> list[int]:
        """The earlier statements that are worth a comparison: the latest, and those with most words in common."""
        if len(earlier) <= MOST_COMPARED:
            return earlier
        missing = self._words.missing([*earlier, noted.row])
        for each in self._many(missing):
            self._words.add(each.row, each.notes)
        older, latest = earlier[:-LATEST_COMPARED], earlier[-LATEST_COMPARED:]
        chosen = self._words.most_in_common(noted.row, older, MOST_COMPARED - LATEST_COMPARED)
        return [*chosen, *latest]

    # -- reading and writing -------------------------------------------------------------------------------------------

    def _replace(self, row: int, notes: Notes) -> None:
        self._connection.execute("UPDATE texts SET notes = ? WHERE row = ?", (encode_notes(notes), row))
        self._connection.execute(
            "UPDATE messages SET states = :states, kinds_1 = :kinds_1, kinds_2 = :kinds_2, spoken_of = :spoken_of "
            "WHERE row = :row",
            {"row": row, **self.stated(notes)},
        )
        self.changed(row)
        self.tell([row])

    def _many(self, rows: list[int]) -> list[Noted]:
        """Messages in the order of `rows`, without the deleted ones."""
        missing = [row for row in rows if row not in self._remembered]
        if missing:
            for noted in read_noted(self._connection, self._labels, missing):
                self._remembered[noted.row] = noted
        return [self._remembered[row] for row in rows if row in self._remembered]

    def _trim(self) -> None:
        """Drops the oldest of what is remembered; never while statements are compared by their words."""
        while len(self._remembered) > _REMEMBERED:
            self._words.drop(self._remembered.popitem(last=False)[0])


def _stated(notes: Notes) -> dict[str, int]:
    """What a message states: whether anything, and of each kind how surely.

    The confidences of up to 16 kinds, as bytes, are packed into two numbers of 64 bits.
    """
    surest = bytearray(16)
    for statement in notes.statements:
        place = _PLACES[statement.kind]
        surest[place] = max(surest[place], round(statement.confidence * 255))
    return {
        "states": _states(notes),
        "kinds_1": int.from_bytes(surest[:8], "little", signed=True),
        "kinds_2": int.from_bytes(surest[8:], "little", signed=True),
    }


def _states(notes: Notes) -> bool:
    """Whether a message decides or changes something, so that a later one can replace it."""
    return any(each.kind in _DECIDES and each.confidence >= _SURE for each in notes.statements)


def _clean(message: Message) -> Message:
    """The message as the notes can take it; the same object unless it holds half a surrogate pair."""
    text, author, name = readable(message.text), readable(message.author), readable(message.id)
    if (text, author, name) == (message.text, message.author, message.id):
        return message
    return msgspec.structs.replace(message, text=text, author=author, id=name)
