"""Taking messages in, changing and deleting them, together with everything that depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from groupmem.memory.store.base import Added, Noted
from groupmem.memory.store.database import Counters, stored
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.late import LateRows
from groupmem.memory.store.noting import Noting
from groupmem.memory.store.rows import text_values
from groupmem.memory.store.setting import Room, Setting
from groupmem.memory.store.threads import Place, Threads, answered_id
from groupmem.types import Channel, Message, Person

_SET_FACTS = """
    UPDATE messages SET author = :author, role = :role, phase = :phase, topic = :topic, spoken_of = :spoken_of,
        sent_at = :sent_at, sent_offset = :sent_offset, sort_at = :sort_at, position = :position,
        is_bot = :is_bot, words = :words, answers = :answers, parent = :parent, thread = :thread, context = :context,
        entry = :entry, vector_entry = :vector_entry, states = :states, kinds_1 = :kinds_1, kinds_2 = :kinds_2
    WHERE row = :row
"""
_SET_TEXT = """
    UPDATE texts SET text = :text, reply_to = :reply_to, thread = :source_thread, edited_at = :edited_at,
        edited_offset = :edited_offset, extra = :extra, notes = :notes, days = :days
    WHERE row = :row
"""
_BURY = """
    INSERT INTO messages (row, channel, id, sort_at, position, is_bot, words, thread, entry, vector_entry, states,
        kinds_1, kinds_2, deleted)
    VALUES (:row, :channel, :id, 0, 0, 0, 0, :row, :entry, :entry, 0, 0, 0, 1)
"""
_ERASE = """
    UPDATE messages SET deleted = 1, author = NULL, role = NULL, phase = NULL, topic = NULL, spoken_of = NULL,
        sent_at = NULL, sent_offset = NULL, is_bot = 0, words = 0, answers = NULL, context = NULL, states = 0,
        kinds_1 = 0, kinds_2 = 0
    WHERE row = ?
"""

# What makes a message another one. `position` counts from the start of an export, and a link preview that comes later
# changes `extra` alone.
_TELLING = ("text", "author", "role", "phase", "topic", "sent_at", "is_bot", "reply_to", "thread")


class Writer:
    """Writes the messages of one workspace. All methods are part of the caller's transaction."""

    def __init__(
        self,
        connection: LateRows,
        counters: Counters,
        labels: Labels,
        setting: Setting,
        noting: Noting,
    ) -> None:
        self._connection = connection
        self._counters = counters
        self._labels = labels
        self._setting = setting
        self._noting = noting
        self._threads = Threads(connection)

    def forget(self) -> None:
        """Drops what is remembered: others have written, or a transaction failed."""
        self._connection.forget()
        self._threads.forget()
        self._noting.forget()

    def add(self, messages: Sequence[Message]) -> Added:
        """Takes messages in; see `Store.add`."""
        numbered = [(self._setting.number(message.channel), message.id) for message in messages]
        self._connection.expect([(number, stored(name)) for number, name in numbered if number is not None])
        outcomes = [self._take(message) for message in messages]
        self._connection.done()
        return Added(
            added=outcomes.count("added"),
            edited=outcomes.count("edited"),
            unchanged=outcomes.count("unchanged"),
            deleted=outcomes.count("deleted"),
        )

    def edit(self, channel: str, name: str, text: str, edited_at: datetime | None) -> bool:
        """Replaces the text of a message; False where there is none, or it is deleted."""
        number = self._setting.number(channel)
        row = None if number is None else self._row(number, name)
        noted = None if row is None else self._noting.noted(row)
        if noted is None:
            return False
        self._take(msgspec.structs.replace(noted.message, text=text, edited_at=edited_at))
        return True

    def delete(self, channel: str, name: str) -> bool:
        """Deletes a message; see `Store.delete`. One that is not here is remembered, in case it comes late."""
        room = self._setting.open_room(channel)
        row = self._row(room.number, name)
        if row is None:
            self._bury(room, name)
            return False
        noted = self._noting.noted(row)
        if noted is None:
            return False
        self._erase(row, room.number, noted.message)
        return True

    def put_people(self, people: Iterable[Person]) -> None:
        """Adds or replaces people; messages of those with another role are indexed again under it."""
        for person in self._setting.put_people(people):
            self._labels.number(person.role)
            self._touch_all("SELECT row FROM messages WHERE author = ? AND deleted = 0", self._labels.find(person.id))

    def put_channels(self, channels: Iterable[Channel]) -> None:
        """Adds or replaces channels; messages of those with another name are indexed again under it."""
        for number in self._setting.put_channels(channels):
            self._touch_all("SELECT row FROM messages WHERE channel = ? AND deleted = 0", number)

    def renew(self, rows: Sequence[int]) -> None:
        """Finds context, notes and links of these messages again, from the messages and the setting as they are now."""
        self._settle(set(rows))
        for row in rows:
            self._noting.renote([row])
            self._noting.link_again([row])

    # -- one message ---------------------------------------------------------------------------------------------------

    def _take(self, message: Message) -> str:
        room = self._setting.open_room(message.channel)
        row = self._row(room.number, message.id)
        if row is None:
            self._insert(room, message)
            return "added"
        known = self._noting.noted(row)
        if known is None:
            return "deleted"
        if all(getattr(message, name) == getattr(known.message, name) for name in _TELLING):
            return "unchanged"
        self._change(row, room, known.message, message)
        return "edited"

    def _insert(self, room: Room, message: Message) -> None:
        row, entry = self._counters.take("next_row"), self._counters.take("next_entry")
        place = self._threads.place(row, room.number, message, is_new=True)
        notes = self._noting.notes_of(message, room.number, place.parent)
        facts = self._facts(message, place)
        facts.update(self._noting.stated(notes), entry=entry, vector_entry=entry)
        self._connection.add(facts, {"row": row, **text_values(message, notes)})
        around = {place.next, *self._threads.wait(place)}
        adopted = self._adopt(row, room, message)
        if around == {None} and not adopted:
            noted = Noted(row=row, thread=place.thread, message=message, notes=notes)
            self._noting.link_newest(noted, place, states=bool(facts["states"]))
            return
        self._settle({*around, *adopted})
        self._noting.renote(adopted)
        self._noting.relink(row)

    def _change(self, row: int, room: Room, before: Message, message: Message) -> None:
        """Replaces a message by what it says now; its former text is kept as history."""
        later = self._noting.unlink(row)
        self._threads.forget()
        around = {self._threads.next_to(row), *self._threads.readers(row)}
        says_other = message.text != before.text
        if says_other:
            self._keep_former(row, before.text)
        place = self._threads.place(row, room.number, message, is_new=False)
        notes = self._noting.notes_of(message, room.number, place.parent)
        entry = self._counters.take("next_entry")
        facts = self._facts(message, place) | self._noting.stated(notes)
        facts.update(entry=entry, vector_entry=entry if says_other else self._vector_entry(row))
        self._connection.execute(_SET_FACTS, facts)
        self._connection.execute(_SET_TEXT, {"row": row, **text_values(message, notes)})
        self._noting.changed(row)
        self._threads.leave(row)
        around.update(self._threads.wait(place))
        if answered_id(before) is not None:
            around.update(self._threads.first_reply_moved(room.number))
        self._noting.moved(self._threads.spread_thread(row))
        self._settle({place.next, *around}, touched=self._threads.readers(row))
        self._noting.renote(self._noting.answers(row))
        self._noting.relink(row)
        self._noting.link_again(later)

    def _erase(self, row: int, channel: int, message: Message) -> None:
        """Takes everything of a message but its id, and what others have of it."""
        later = self._noting.unlink(row)
        self._threads.forget()
        around = self._threads.readers(row)
        self._connection.execute(_ERASE, (row,))
        self._connection.execute("DELETE FROM texts WHERE row = ?", (row,))
        self._connection.execute("DELETE FROM edits WHERE row = ?", (row,))
        self._threads.leave(row)
        self._connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'unpurged'")
        self._noting.changed(row)
        around_reply = self._threads.first_reply_moved(channel) if answered_id(message) is not None else ()
        self._settle({*around, *around_reply}, touched={row, *around})
        self._noting.renote(self._noting.answers(row))
        self._noting.link_again(later)

    def _bury(self, room: Room, name: str) -> None:
        """Makes the grave of a message that has not come."""
        row, entry = self._counters.take("next_row"), self._counters.take("next_entry")
        self._connection.execute(_BURY, {"row": row, "entry": entry, "channel": room.number, "id": stored(name)})

    def _adopt(self, row: int, room: Room, message: Message) -> list[int]:
        adopted = self._threads.adopt(row, room.number, message.id)
        if adopted:
            self._noting.moved(self._threads.spread_thread(row))
        return adopted

    def _facts(self, message: Message, place: Place) -> dict[str, Any]:
        return {
            "row": place.row,
            "channel": place.channel,
            "id": stored(message.id),
            "author": self._labels.number(message.author),
            "role": self._labels.number(message.role),
            "phase": self._labels.number(message.phase),
            "topic": self._labels.number(message.topic),
            "sent_at": place.sent_at,
            "sent_offset": place.sent_offset,
            "sort_at": place.sort_at,
            "position": place.position,
            "is_bot": message.is_bot,
            "words": place.words,
            "answers": place.answers,
            "parent": place.parent,
            "thread": place.thread,
            "context": place.context,
        }

    # -- what depends on it --------------------------------------------------------------------------------------------

    def _settle(self, rows: set[int | None], touched: Iterable[int] = ()) -> None:
        """Finds the contexts of `rows` again; those that have another one, and `touched`, are indexed again."""
        moved = {row for row in rows if row is not None and self._threads.place_context(row)}
        self._touch(moved | set(touched))

    def _touch(self, rows: Iterable[int]) -> None:
        """Gives messages a new entry, so that they are indexed again, and tells readers."""
        touched = sorted(rows)
        for row in touched:
            entry = self._counters.take("next_entry")
            self._connection.execute("UPDATE messages SET entry = ? WHERE row = ?", (entry, row))
        self._noting.tell(touched)

    def _touch_all(self, query: str, value: int | None) -> None:
        self._touch([row for (row,) in self._connection.execute(query, (value,)).fetchall()])

    def _keep_former(self, row: int, text: str) -> None:
        self._connection.execute(
            "INSERT INTO edits SELECT ?1, count(*), ?2 FROM edits WHERE row = ?1", (row, stored(text))
        )

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _row(self, channel: int, name: str) -> int | None:
        return self._connection.row((channel, stored(name)))

    def _vector_entry(self, row: int) -> int:
        found = self._connection.execute("SELECT vector_entry FROM messages WHERE row = ?", (row,))
        return int(found.fetchone()[0])
