"""Where a message stands: what it answers, its thread, its place in time, and which text it is read together with.

Answers may come before what they answer, and messages late: an answer without its parent waits as an orphan until the
parent is there.

A message is read together with its parent. As long as nobody in a channel has answered anybody, a short message is read
together with the short message before it, for there it most likely goes on from that.
"""

from __future__ import annotations

from typing import NamedTuple

from groupmem.memory.store.database import Stored, stored
from groupmem.memory.store.late import LateRows
from groupmem.memory.store.rows import count_words, micros
from groupmem.types import Message

SHORT_WORDS = 40
_NEVER = (1 << 63) - 1

_NEIGHBOUR = """
    SELECT row, words FROM messages
    WHERE channel = ?1 AND (sort_at, position, row) {side} (?2, ?3, ?4) AND row <> ?4 AND deleted = 0
    ORDER BY sort_at {order}, position {order}, row {order} LIMIT 1
"""
_PREVIOUS = _NEIGHBOUR.format(side="<", order="DESC")
_NEXT = _NEIGHBOUR.format(side=">", order="ASC")


class Place(NamedTuple):
    """Where a message stands. `answers` is the stored id of its parent, be that here or not; `next` comes after it."""

    row: int
    channel: int
    sent_at: int | None
    sent_offset: int | None
    sort_at: int
    position: int
    words: int
    answers: Stored | None
    parent: int | None
    thread: int
    context: int | None
    next: int | None


class _Newest(NamedTuple):
    """The newest message of a channel: its place in time, its row and its length."""

    key: tuple[int, int, int, int]
    row: int
    words: int


class Threads:
    """Threads and neighbours of the messages of a workspace. All methods are part of the caller's transaction."""

    def __init__(self, connection: LateRows) -> None:
        self._connection = connection
        self._newest: dict[int, _Newest] = {}
        self._first_replies: dict[int, int | None] = {}
        self._has_orphans: bool | None = None

    def forget(self) -> None:
        """Drops what is remembered: others have written, a transaction failed, or messages go or change."""
        self._connection.moved()
        self._newest.clear()
        self._first_replies.clear()
        self._has_orphans = None

    def place(self, row: int, channel: int, message: Message, *, is_new: bool) -> Place:
        """The place of a message that is to become `row`, or is it already and has changed."""
        answers = answered_id(message)
        parent, thread, context = None, row, None
        found = None if answers is None else self._connection.thread((channel, answers))
        if found is not None and (is_new or row not in self._ancestors(found[0])):  # nothing stands below itself
            parent, thread = found[:2]
            context = None if found[2] else parent
        sent_at, sent_offset = (None, None) if message.sent_at is None else micros(message.sent_at)
        sort_at = self._latest_before(row, channel) if sent_at is None else sent_at
        words = count_words(message.text)
        key = channel, sort_at, message.position, row
        if answers is None:
            context = self._context_before(key, words)
        return Place(
            row=row,
            channel=channel,
            sent_at=sent_at,
            sent_offset=sent_offset,
            sort_at=sort_at,
            position=message.position,
            words=words,
            answers=answers,
            parent=parent,
            thread=thread,
            context=context,
            next=self._next(key, words),
        )

    def wait(self, place: Place) -> list[int]:
        """Remembers an answer whose parent is not here, and since when a channel has answers.

        Gives the messages that may be read together with others now, because the channel's first answer is another one.
        """
        if place.answers is None:
            return []
        if place.parent is None:
            values = place.channel, place.answers, place.row
            self._connection.execute("INSERT OR IGNORE INTO orphans VALUES (?, ?, ?)", values)
            self._has_orphans = True
        first_reply = self._first_reply(place.channel)
        return [] if first_reply is not None and first_reply <= place.sort_at else self.first_reply_moved(place.channel)

    def first_reply_moved(self, channel: int) -> list[int]:
        """Finds the first answer of a channel again; gives the messages between that and the former one."""
        before = self._first_reply(channel)
        query = "SELECT sort_at FROM messages WHERE channel = ? AND answers IS NOT NULL ORDER BY sort_at LIMIT 1"
        found = self._connection.execute(query, (channel,)).fetchone()
        now = None if found is None else found[0]
        if now == before:
            return []
        self._connection.execute("UPDATE channels SET first_reply = ? WHERE channel = ?", (now, channel))
        self._first_replies[channel] = now
        query = "SELECT row FROM messages WHERE channel = ? AND sort_at BETWEEN ? AND ? AND answers IS NULL"
        between = sorted(_NEVER if moment is None else moment for moment in (before, now))
        return [row for (row,) in self._connection.execute(query, (channel, *between))]

    def adopt(self, row: int, channel: int, name: str) -> list[int]:
        """Gives the orphans that wait for this message their parent; gives their rows."""
        if self._has_orphans is None:
            self._has_orphans = bool(self._connection.aside("SELECT EXISTS (SELECT * FROM orphans)").fetchone()[0])
        if not self._has_orphans:
            return []
        query = "SELECT row FROM orphans WHERE channel = ? AND answers = ?"
        waiting = self._connection.aside(query, (channel, stored(name))).fetchall()
        above = self._ancestors(row) if waiting else set()
        adopted = [child for (child,) in waiting if child not in above]
        for child in adopted:
            self._connection.execute("UPDATE messages SET parent = ? WHERE row = ?", (row, child))
            self.leave(child)
        return adopted

    def leave(self, row: int) -> None:
        """Forgets that a message waits for its parent."""
        self._connection.execute("DELETE FROM orphans WHERE row = ?", (row,))

    def spread_thread(self, row: int) -> list[int]:
        """Gives all that hangs below a message its thread; gives their rows."""
        below = self._connection.execute(
            "WITH RECURSIVE below (row) AS (VALUES (?) "
            "UNION SELECT m.row FROM messages m JOIN below b ON m.parent = b.row) SELECT row FROM below",
            (row,),
        ).fetchall()
        self._connection.executemany(
            "UPDATE messages SET thread = (SELECT thread FROM messages WHERE row = ?) WHERE row = ?",
            [(row, found) for (found,) in below],
        )
        self._connection.moved()
        return [found for (found,) in below]

    def place_context(self, row: int) -> bool:
        """Finds out again which text a message is read together with; whether that is another one than before."""
        channel, sort_at, position, words, answers, before, context = self._connection.execute(
            "SELECT m.channel, m.sort_at, m.position, m.words, m.answers, m.context, p.row FROM messages m "
            "LEFT JOIN messages p ON p.row = m.parent AND p.deleted = 0 WHERE m.row = ?",
            (row,),
        ).fetchone()
        if answers is None:
            context = self._context_before((channel, sort_at, position, row), words)
        if context != before:
            self._connection.execute("UPDATE messages SET context = ? WHERE row = ?", (context, row))
        return bool(context != before)

    def next_to(self, row: int) -> int | None:
        """The message after this one in its channel."""
        query = "SELECT channel, sort_at, position, row FROM messages WHERE row = ?"
        return self._neighbour(_NEXT, self._connection.execute(query, (row,)).fetchone())[0]

    def readers(self, row: int) -> list[int]:
        """The rows of the messages that are read together with this one: answers, or the message after it."""
        query = "SELECT row FROM messages WHERE (parent = ?1 OR row = ?2) AND context = ?1 AND deleted = 0"
        return [reader for (reader,) in self._connection.execute(query, (row, self.next_to(row)))]

    def _context_before(self, key: tuple[int, int, int, int], words: int) -> int | None:
        """The short message before a short one that answers nothing, where nobody had answered anybody by then."""
        if words >= SHORT_WORDS:
            return None
        first_reply = self._first_reply(key[0])
        if first_reply is not None and first_reply <= key[1]:
            return None
        newest = self._newest.get(key[0])
        found, length = newest[1:] if newest is not None and key > newest.key else self._neighbour(_PREVIOUS, key)
        return found if length < SHORT_WORDS else None

    def _first_reply(self, channel: int) -> int | None:
        """When a message of this channel first answered another; None as long as none has."""
        if channel not in self._first_replies:
            query = "SELECT first_reply FROM channels WHERE channel = ?"
            self._first_replies[channel] = self._connection.aside(query, (channel,)).fetchone()[0]
        return self._first_replies[channel]

    def _next(self, key: tuple[int, int, int, int], words: int) -> int | None:
        """The message after a place. One that comes in is mostly the newest of its channel, which is remembered."""
        newest = self._newest.get(key[0])
        found = None if newest is not None and key > newest.key else self._neighbour(_NEXT, key)[0]
        if found is None:
            self._newest[key[0]] = _Newest(key, key[3], words)
        return found

    def _neighbour(self, query: str, key: tuple[int, int, int, int]) -> tuple[int | None, int]:
        """Row and length of the message on one side of a place in a channel."""
        found: tuple[int, int] | None = self._connection.execute(query, key).fetchone()
        return found or (None, 0)

    def _ancestors(self, row: int) -> set[int]:
        """A message and all rows above it."""
        found: set[int] = set()
        above: int | None = row
        while above is not None and above not in found:
            found.add(above)
            above = self._connection.execute("SELECT parent FROM messages WHERE row = ?", (above,)).fetchone()[0]
        return found

    def _latest_before(self, row: int, channel: int) -> int:
        """The place in time of a message that has none of its own."""
        found = self._connection.execute(
            "SELECT sort_at FROM messages WHERE channel = ? AND row < ? AND deleted = 0 ORDER BY sort_at DESC LIMIT 1",
            (channel, row),
        ).fetchone()
        return 0 if found is None else int(found[0])


def answered_id(message: Message) -> Stored | None:
    """The id that a message answers: its parent, or where only a thread is named that thread's first message."""
    named = message.reply_to if message.reply_to is not None else message.thread
    return None if named is None or named == message.id else stored(named)
