"""Messages as the lexical index takes them: the terms of the text, and of the text in its surroundings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from groupmem.memory.analysis import content_terms, running_terms
from groupmem.memory.known import known_if_short
from groupmem.memory.store.database import Stored, restored
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.rows import numbers_json, readable
from groupmem.types import Channel, Person

_READ = """
    SELECT m.entry, t.text, c.text, t.days, m.phase, m.topic, m.channel, m.role, m.author
    FROM messages m JOIN texts t ON t.row = m.row LEFT JOIN texts c ON c.row = m.context
    WHERE m.row IN (SELECT value FROM json_each(?)) AND m.deleted = 0 ORDER BY m.entry
"""
_REMEMBERED_TEXTS = 1 << 12
_LONGEST_REMEMBERED = 1 << 12
_REMEMBERED_HEADERS = 1 << 12


class Document(NamedTuple):
    """One entry of the lexical index, its terms by field; function words are left out.

    `context` holds phase, topic, channel and role, the text that the message is read together with (its parent, or in a
    channel without replies the short message before it), its own text, and the days that it names. `marks` has a byte
    for each term of `content`.
    """

    entry: int
    content: Sequence[str]
    context: Sequence[str]
    marks: bytes


class Documents:
    """Reads the newest state of messages, of all workspaces."""

    def __init__(self, connection: sqlite3.Connection, labels: Labels) -> None:
        self._connection = connection
        self._labels = labels
        self._terms = known_if_short(_REMEMBERED_TEXTS, longest=_LONGEST_REMEMBERED)(_terms)
        self._header = lru_cache(maxsize=_REMEMBERED_HEADERS)(self._header_terms)
        self._rooms: dict[int, tuple[str, str]] = {}
        self._roles: dict[tuple[str, str], str | None] = {}
        self._setting = -1

    def of(self, rows: Iterable[int]) -> list[Document]:
        """The newest states of these messages, as far as they are not deleted, by their entries."""
        self._read_setting()
        found = self._connection.execute(_READ, (numbers_json(rows),)).fetchall()
        return [self._document(*values) for values in found]

    def _document(self, entry: int, text: Stored, around: Stored | None, days: str | None, *facts: Any) -> Document:
        content, marks = self._terms(text)
        before = () if around is None else self._terms(around)[0]
        named = days.split() if days else ()
        context = (*self._header(*facts), *before, *content, *named)
        return Document(entry=entry, content=content, context=context, marks=marks)

    def _header_terms(
        self, phase: int | None, topic: int | None, channel: int, role: int | None, author: int | None
    ) -> tuple[str, ...]:
        workspace, name = self._rooms[channel]
        spoken = self._labels.text(role) or self._roles.get((workspace, self._labels.text(author) or ""))
        parts = (self._labels.text(phase), self._labels.text(topic), name, spoken)
        return tuple(term for part in parts if part for term in content_terms(readable(part)))

    def _read_setting(self) -> None:
        """Names of channels and roles of people, where they have changed since the last time."""
        setting = self._connection.execute("SELECT value FROM meta WHERE key = 'setting'").fetchone()[0]
        if setting == self._setting:
            return
        self._header.cache_clear()
        rooms = self._connection.execute("SELECT channel, workspace, id, record FROM channels")
        self._rooms = {number: (workspace, _name(restored(name), record)) for number, workspace, name, record in rooms}
        people = self._connection.execute("SELECT workspace, record FROM people").fetchall()
        decoded = [(workspace, msgspec.json.decode(record, type=Person)) for workspace, record in people]
        self._roles = {(workspace, person.id): person.role for workspace, person in decoded}
        self._setting = setting


def _terms(text: Stored) -> tuple[tuple[str, ...], bytes]:
    found, marks = running_terms(readable(restored(text)))
    return tuple(found), marks


def _name(name: str, record: bytes | None) -> str:
    return name if record is None else msgspec.json.decode(record, type=Channel).name or name
