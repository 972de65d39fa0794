"""What one asker may see at one moment: the only way in which recall reads a memory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.vectors import Block
from groupmem.memory.notes.people import Directory
from groupmem.memory.store.base import NO_ROW, Field, Grouping, Link, Outline, Rows, StoredMessage
from groupmem.memory.store.columns import NO_TIME
from groupmem.memory.store.ranking import LexicalRanking, VectorRanking
from groupmem.memory.store.reader import Reader
from groupmem.memory.store.setting import Setting
from groupmem.memory.store.sight import Scope, Sight
from groupmem.memory.store.state import State
from groupmem.memory.store.tally import Tally
from groupmem.types import Channel, Person


class ScopedView:
    """A state of a memory in a scope; see `base.View`."""

    def __init__(self, state: State, scope: Scope, reader: Reader, setting: Setting) -> None:
        self._state = state
        self._scope = scope
        self._reader = reader
        self._sight = Sight(state, scope)
        self.people: Mapping[str, Person] = setting.people
        self.directory: Directory = setting.directory(frozenset(scope.rooms))

    @property
    def version(self) -> Hashable:
        scope = self._scope
        return self._state.number, frozenset(scope.rooms), scope.until, scope.has_vectors, scope.newest_vector

    @property
    def asker(self) -> str | None:
        return self._scope.asker

    @property
    def count(self) -> int:
        return len(self._sight.rows)

    @property
    def channels(self) -> Sequence[Channel]:
        return self._sight.channels

    @property
    def authors(self) -> Mapping[str, int]:
        return self._authors.counts

    @property
    def roles(self) -> Mapping[str, int]:
        return self._roles.counts

    @property
    def phases(self) -> Mapping[str, int]:
        return self._phases.counts

    @property
    def topics(self) -> Mapping[str, int]:
        return self._topics.counts

    # -- search --------------------------------------------------------------------------------------------------------

    def frequencies(self, field: Field, terms: Sequence[str]) -> NDArray[np.int64]:
        counts = [self._state.lexical.frequency(field, term, self._sight.entries) for term in terms]
        return np.array(counts, dtype=np.int64)

    def occurrences(self, field: Field, term: str) -> Rows:
        return np.sort(self._state.row_of[self._state.lexical.entries(field, term, self._sight.entries)])

    def lexical(self, field: Field, terms: Mapping[str, float]) -> LexicalRanking:
        scores = self._state.lexical.scores(field, terms, self._sight.entries, self._sight.extent(field))
        return LexicalRanking(self._state, scores)

    @property
    def has_vectors(self) -> bool:
        return self._scope.has_vectors

    def nearest(self, query: NDArray[np.float32]) -> VectorRanking:
        if not self.has_vectors:
            raise ValueError("this view has no vectors: look at `has_vectors` first")
        return VectorRanking(self._state, query, self._sight.vector_entries, self._blocks)

    # -- messages ------------------------------------------------------------------------------------------------------

    def outline(self, rows: Rows) -> Outline:
        self._sight.check(rows)
        columns, sight = self._state.columns, self._sight
        previous, following = sight.around(rows)
        sent_at, channels = columns.sent_at[rows], columns.channel[rows]
        return Outline(
            rows=rows,
            author=self._authors.places(columns.author[rows]),
            role=self._roles.places(self._spoken_roles(rows)),
            channel=sight.channel_places[channels],
            phase=self._phases.places(columns.phase[rows]),
            topic=self._topics.places(columns.topic[rows]),
            sent_at=np.where(sent_at == NO_TIME, np.nan, sent_at / 1e6),
            words=columns.words[rows],
            is_bot=columns.is_bot[rows],
            threaded=sight.threaded[channels],
            thread=sight.threads(rows),
            parent=sight.seen_or_none(columns.parent[rows]),
            previous=previous,
            next=following,
            children=self._state.answers.of(rows, sight.mask),
            statements=columns.statements(rows),
        )

    def members(self, by: Grouping, index: int) -> Rows:
        columns = self._state.columns
        if by == "thread":
            self._sight.check(np.array([index]))
            return self._sight.in_thread(index)
        if by == "role":
            rows = self._sight.rows
            return np.asarray(rows[self._spoken_roles(rows) == self._roles.number(index)])
        if by == "channel":
            return self._sight.where(columns.channel, self._sight.channel_number(index))
        if by == "author":
            return self._sight.where(columns.author, self._authors.number(index))
        if by == "phase":
            return self._sight.where(columns.phase, self._phases.number(index))
        return self._sight.where(columns.topic, self._topics.number(index))

    def messages(self, rows: Rows) -> list[StoredMessage]:
        self._sight.check(rows)
        noted, former = self._reader.noted(rows), self._reader.former_texts(rows)
        parents = self._sight.seen_or_none(self._state.columns.parent[rows])
        around = zip(parents, *self._sight.around(rows), self._state.answers.of(rows, self._sight.mask), strict=True)
        return [
            StoredMessage(
                row=row,
                thread=noted[row].thread,
                message=noted[row].message,
                notes=noted[row].notes,
                parent=_optional(parent),
                previous=_optional(before),
                next=_optional(after),
                children=tuple(children.tolist()),
                replaced_texts=former.get(row, ()),
            )
            for row, (parent, before, after, children) in zip(rows.tolist(), around, strict=True)
            if row in noted
        ]

    def links(self, rows: Rows) -> list[Link]:
        self._sight.check(rows)
        sees = self._sight.sees
        return [link for link in self._reader.links(rows) if sees(link.new) and sees(link.old)]

    def row(self, channel: str, message: str) -> int | None:
        number = next((room.number for room in self._scope.rooms.values() if room.channel.id == channel), None)
        found = None if number is None else self._reader.row(number, message)
        return found if found is not None and self._sight.sees(found) else None

    # -- labels and blocks ---------------------------------------------------------------------------------------------

    @cached_property
    def _authors(self) -> Tally:
        return Tally(self._state.columns.author[self._sight.rows], self._reader.label)

    @cached_property
    def _roles(self) -> Tally:
        return Tally(self._spoken_roles(self._sight.rows), self._reader.label)

    @cached_property
    def _phases(self) -> Tally:
        return Tally(self._state.columns.phase[self._sight.rows], self._reader.label)

    @cached_property
    def _topics(self) -> Tally:
        return Tally(self._state.columns.topic[self._sight.rows], self._reader.label)

    def _spoken_roles(self, rows: Rows) -> NDArray[np.int32]:
        columns = self._state.columns
        return self._reader.spoken_roles(columns.role[rows], columns.author[rows], self.people)

    def _blocks(self) -> list[Block]:
        return [block for block in self._reader.blocks(self._state) if block.channel in self._scope.rooms]


def _optional(row: int) -> int | None:
    return None if row == NO_ROW else int(row)
