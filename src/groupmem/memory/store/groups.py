"""Which statements can replace which: those of one channel that share a phase, a topic or a thread, by time.

Of a thread all messages are looked up, also those that state nothing: what replaces what is said between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from groupmem.memory.store.late import LateRows
from groupmem.memory.store.threads import Place

MOST_EARLIER = 64
"""Statements of each group that a new one may replace: the latest before it."""

_MOST_GROUPS = 4096
_SIDE = """
    SELECT sort_at, position, row FROM (
        SELECT sort_at, position, row FROM messages
        WHERE {group} AND states AND (sort_at, position, row) {side} (:sort_at, :position, :row)
        ORDER BY sort_at {order}, position {order}, row {order} LIMIT {most})
"""
_BY_PHASE = "channel = :channel AND phase IS :phase"
_BY_TOPIC = "channel = :channel AND topic = :topic"
_BY_THREAD = "(row = :thread OR (thread = :thread AND thread <> row))"


def _statement(side: str, order: str) -> str:
    groups = (_BY_PHASE, _BY_TOPIC, _BY_THREAD)
    parts = [_SIDE.format(group=group, side=side, order=order, most=MOST_EARLIER) for group in groups]
    return " UNION ".join(parts) + " ORDER BY sort_at, position, row"


_TALK = """
    SELECT sort_at, position, row FROM messages
    WHERE (row = :thread OR (thread = :thread AND thread <> row)) AND row <> :row AND deleted = 0 {before}
    ORDER BY sort_at DESC, position DESC, row DESC LIMIT {most}
"""
_TALK_BEFORE = _TALK.format(before="AND (sort_at, position, row) < (:sort_at, :position, :row)", most=MOST_EARLIER)
_EARLIER = _statement("<", "DESC")
_LATER = _statement(">", "ASC")
_LATEST = {
    kind: f"SELECT sort_at, position, row FROM messages WHERE {group} AND states AND row <> :row "  # noqa: S608
    f"ORDER BY sort_at DESC, position DESC, row DESC LIMIT {MOST_EARLIER}"
    for kind, group in (("phase", _BY_PHASE), ("topic", _BY_TOPIC), ("thread", _BY_THREAD))
} | {"talk": _TALK.format(before="", most=MOST_EARLIER)}

Key = tuple[int, int, int]
"""Where a message is in time: sort_at, position, row."""


class Before(NamedTuple):
    """What was said before a message, as rows: the statements that it may replace, what was said in its thread, and
    `all_rows` of both by time.
    """

    statements: list[int]
    talk: frozenset[int]
    all_rows: list[int]


class Groups:
    """Looks up the statements around one. All methods are part of the caller's transaction."""

    def __init__(self, connection: LateRows) -> None:
        self._connection = connection
        self._latest: dict[tuple[str, int, int | None], deque[Key]] = {}
        self._begun: dict[int, tuple[Key, bool]] = {}

    def forget(self) -> None:
        """Drops what is remembered: statements have changed otherwise than by new ones at the end of a channel."""
        self._latest.clear()
        self._begun.clear()

    def before_newest(self, place: Place, phase: int | None, topic: int | None) -> Before:
        """What was said before one that states something, has just come in and is the newest of its channel."""
        groups = [self._group("phase", place.channel, phase, place.row)]
        if topic is not None:
            groups.append(self._group("topic", place.channel, topic, place.row))
        talk: Sequence[Key] = ()
        if place.thread != place.row:
            groups.append(self._group("thread", place.thread, None, place.row))
            talk = self._group("talk", place.thread, None, place.row)
        before = _before(groups, talk)
        for group in groups:
            group.append((place.sort_at, place.position, place.row))
        return before

    def joined(self, place: Place, *, states: bool) -> None:
        """Keeps up the thread of a message that has just come in and is the newest of its channel."""
        key = place.sort_at, place.position, place.row
        if place.thread == place.row:
            self._begun[place.row] = key, states
            if len(self._begun) > _MOST_GROUPS:
                del self._begun[next(iter(self._begun))]
            return
        talk = self._latest.get(("talk", place.thread, None))
        if talk is None and place.thread in self._begun:
            talk = self._group("talk", place.thread, None, place.row)
        if talk is not None:
            talk.append(key)

    def before(self, row: int) -> Before:
        """What was said before a message."""
        place = self._place(row)
        talk = self._connection.execute(_TALK_BEFORE, place).fetchall()
        return _before([self._connection.execute(_EARLIER, place).fetchall()], talk[::-1])

    def later(self, row: int) -> list[int]:
        """The statements after a message that may replace it, by time."""
        return [found for _, _, found in self._connection.execute(_LATER, self._place(row))]

    def _place(self, row: int) -> dict[str, int]:
        columns = ("channel", "phase", "topic", "thread", "sort_at", "position", "row")
        query = "SELECT channel, phase, topic, thread, sort_at, position, row FROM messages WHERE row = ?"
        return dict(zip(columns, self._connection.execute(query, (row,)).fetchone(), strict=True))

    def _group(self, kind: str, first: int, second: int | None, row: int) -> deque[Key]:
        """The latest statements of a group without this one, read once and then kept up."""
        key = kind, first, second
        if key not in self._latest:
            if len(self._latest) >= _MOST_GROUPS:
                self.forget()
            self._latest[key] = deque(self._read(kind, first, second, row), maxlen=MOST_EARLIER)
        return self._latest[key]

    def _read(self, kind: str, first: int, second: int | None, row: int) -> list[Key]:
        if kind in ("thread", "talk") and first in self._begun:  # nothing but its first message, or it would be known
            start, states = self._begun[first]
            return [start] if states or kind == "talk" else []
        names = ("thread", "") if kind in ("thread", "talk") else ("channel", kind)
        values = {**dict(zip(names, (first, second), strict=True)), "row": row}
        return self._connection.execute(_LATEST[kind], values).fetchall()[::-1]


def _before(statements: Sequence[Sequence[Key]], talk: Sequence[Key]) -> Before:
    """From what is in the order of time already, which is sorted much faster than what is not."""
    stating = list(chain.from_iterable(statements))
    everything = list(dict.fromkeys([key[2] for key in sorted([*stating, *talk])]))
    if not talk:
        return Before(statements=everything, talk=frozenset(), all_rows=everything)
    stated = {key[2] for key in stating}
    return Before(
        statements=[row for row in everything if row in stated],
        talk=frozenset([key[2] for key in talk]),
        all_rows=everything,
    )
