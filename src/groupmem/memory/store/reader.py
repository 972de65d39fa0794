"""Reads what views show from the database. Nothing here knows who asks: the view checks every row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.vectors import Block
from groupmem.memory.store.base import NO_ROW, Link, Noted, Rows
from groupmem.memory.store.database import restored, stored
from groupmem.memory.store.generations import Generations
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.rows import numbers_json, read_noted, readable
from groupmem.memory.store.state import State
from groupmem.models.base import EmbeddingModel
from groupmem.types import Person

_MOST_NOTED = 2048


class Reader:
    """Reads messages, links and labels by their numbers."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        labels: Labels,
        generations: Generations,
        embedding: EmbeddingModel | None,
    ) -> None:
        self._connection = connection
        self._labels = labels
        self._generations = generations
        self._embedding = embedding
        self._noted: dict[int, Noted] = {}
        self._noted_of: State | None = None
        self._people: Mapping[str, Person] = {}
        self._roles: NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def noted(self, state: State, rows: Rows) -> dict[int, Noted]:
        """Messages by row, without those that were deleted meanwhile; the last ones read are kept for this state."""
        if state is not self._noted_of:
            self._noted, self._noted_of = {}, state
        wanted = rows.tolist()
        missing = [row for row in wanted if row not in self._noted]
        if missing:
            self._noted.update((noted.row, noted) for noted in read_noted(self._connection, self._labels, missing))
        found = {row: self._noted[row] for row in wanted if row in self._noted}
        for row in list(islice(self._noted, max(0, len(self._noted) - _MOST_NOTED))):
            del self._noted[row]
        return found

    def texts(self, rows: Rows) -> dict[int, str]:
        """The texts alone of messages, without those that were deleted meanwhile."""
        query = "SELECT row, text FROM texts WHERE row IN (SELECT value FROM json_each(?))"
        return {
            row: readable(restored(text))
            for row, text in self._connection.execute(query, (numbers_json(rows.tolist()),))
        }

    def former_texts(self, rows: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """What messages said before they were edited, oldest first."""
        found: dict[int, tuple[str, ...]] = {}
        query = "SELECT row, text FROM edits WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, number"
        for row, text in self._connection.execute(query, (numbers_json(rows),)):
            found[row] = (*found.get(row, ()), restored(text))
        return found

    def links(self, rows: Rows) -> list[Link]:
        """The links that have one of these rows at either end."""
        query = (
            "SELECT new, old, new_start, new_end, old_start, old_end, score, names_old FROM links "
            "WHERE new IN (SELECT value FROM json_each(?1)) OR old IN (SELECT value FROM json_each(?1)) "
            "ORDER BY new, old, new_start, old_start"
        )
        return [
            Link(new=new, old=old, new_span=(a, b), old_span=(c, d), score=score, names_old=bool(names_old))
            for new, old, a, b, c, d, score, names_old in self._connection.execute(query, (numbers_json(rows),))
        ]

    def row(self, channel: int, message: str) -> int | None:
        """The row of a message by the number of its channel and its id."""
        query = "SELECT row FROM messages WHERE channel = ? AND id = ?"
        found = self._connection.execute(query, (channel, stored(message))).fetchone()
        return None if found is None else int(found[0])

    def label(self, number: int) -> str:
        """The text of a label."""
        return self._labels.text(number) or ""

    def spoken_roles(
        self, roles: NDArray[np.int32], authors: NDArray[np.int32], people: Mapping[str, Person]
    ) -> NDArray[np.int32]:
        """The labels of roles: that of the message, or where it has none that of its author in the setting."""
        if people is not self._people:
            self._roles = self._roles_by_author(people)
            self._people = people
        known = np.minimum(authors, len(self._roles) - 1)  # the last one is that of NO_ROW and of who is not listed
        return np.where(roles >= 0, roles, self._roles[known])

    def blocks(self, state: State) -> list[Block]:
        """The vectors of a state, those of its tail made now."""
        if state.generation is None or self._embedding is None:
            return []
        if not state.awaiting:
            return state.blocks
        return [*state.blocks, *self._generations.tail(state.generation, self._embedding, state.columns)]

    def _roles_by_author(self, people: Mapping[str, Person]) -> NDArray[np.int32]:
        pairs = [
            (self._labels.find(person.id), self._labels.find(person.role)) for person in people.values() if person.role
        ]
        known = [(author, role) for author, role in pairs if author is not None and role is not None]
        roles = np.full(max((author for author, _ in known), default=0) + 2, NO_ROW, dtype=np.int32)
        for author, role in known:
            roles[author] = role
        return roles
