"""What one asker may see at one moment: the only way in which recall reads a memory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.lexical import Lookup
from groupmem.memory.index.vectors import Block
from groupmem.memory.notes.people import Directory
from groupmem.memory.store.base import NO_ROW, Field, Grouping, Link, Named, Outline, Rows, StoredMessage
from groupmem.memory.store.lock import StaleViewError
from groupmem.memory.store.outline import SeenOutline
from groupmem.memory.store.ranking import LexicalRanking, Nearby, VectorRanking
from groupmem.memory.store.reader import Reader
from groupmem.memory.store.sight import Sight
from groupmem.memory.store.spoken import Spoken
from groupmem.types import Channel, Person


class ScopedView:
    """A state of a memory as one asker may see it; see `base.View`."""

    def __init__(self, sight: Sight, reader: Reader, asker: str | None) -> None:
        self._sight = sight
        self._state = sight.state
        self._reader = reader
        self.asker = asker

    @property
    def version(self) -> Hashable:
        return self._state.number, self._sight.scope

    @property
    def count(self) -> int:
        return len(self._sight.rows)

    @property
    def directory(self) -> Directory:
        return self._sight.directory

    @property
    def people(self) -> Mapping[str, Person]:
        return self._sight.people

    @property
    def channels(self) -> Sequence[Channel]:
        return self._sight.channels

    @property
    def authors(self) -> Mapping[str, int]:
        return self._sight.authors.counts

    @property
    def roles(self) -> Mapping[str, int]:
        return self._sight.roles.counts

    @property
    def phases(self) -> Mapping[str, int]:
        return self._sight.phases.counts

    @property
    def topics(self) -> Mapping[str, int]:
        return self._sight.topics.counts

    @property
    def spoken_of(self) -> Mapping[str, int]:
        return self._sight.spoken_of.counts

    # -- search --------------------------------------------------------------------------------------------------------

    def frequencies(self, field: Field, terms: Sequence[str]) -> NDArray[np.int64]:
        return self._lookup.frequencies(field, terms)

    def occurrences(self, field: Field, term: str) -> Rows:
        return np.sort(self._state.row_of[self._state.lexical.entries(field, term, self._sight.entries)])

    def lexical(self, field: Field, terms: Mapping[str, float]) -> LexicalRanking:
        scores, full = self._lookup.scores(field, terms), self._lookup.full_score(field, terms)
        return LexicalRanking(self._state, scores, full)

    @property
    def has_vectors(self) -> bool:
        return self._sight.scope.has_vectors

    def nearest(self, query: NDArray[np.float32]) -> VectorRanking:
        if not self.has_vectors:
            raise ValueError("this view has no vectors: look at `has_vectors` first")
        return VectorRanking(self._nearby, query)

    @cached_property
    def _lookup(self) -> Lookup:
        return self._state.lexical.under(self._sight.entries, self._sight.extent)

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(self._state, self._sight.vector_entries, self._blocks)

    @cached_property
    def _spoken(self) -> Spoken:
        return Spoken(self._sight, self._reader)

    def counterparts(self, text: str, role: str) -> list[Named]:
        return self._spoken.named(text, role)

    # -- messages ------------------------------------------------------------------------------------------------------

    def outline(self, rows: Rows) -> Outline:
        self._sight.check(rows)
        return SeenOutline(self._sight, rows)

    def members(self, by: Grouping, index: int) -> Rows:
        columns = self._state.columns
        if by == "thread":
            self._sight.check(np.array([index]))
            return self._sight.in_thread(index)
        if by == "role":
            rows = self._sight.rows
            return np.asarray(rows[self._sight.spoken_roles(rows) == self._sight.roles.number(index)])
        if by == "channel":
            return self._sight.where(columns.channel, self._sight.channel_number(index))
        if by == "author":
            return self._sight.where(columns.author, self._sight.authors.number(index))
        if by == "phase":
            return self._sight.where(columns.phase, self._sight.phases.number(index))
        return self._sight.where(columns.topic, self._sight.topics.number(index))

    def later(self, row: int) -> Rows:
        own = np.array([row])
        self._sight.check(own)
        thread, order = self._sight.in_thread(row), self._state.by_time(int(self._state.columns.channel[row]))
        ranks = order.rank(thread)
        by_time = np.argsort(ranks)
        return np.asarray(thread[by_time][ranks[by_time] > order.rank(own)])

    def messages(self, rows: Rows) -> list[StoredMessage]:
        self._sight.check(rows)
        noted, former = self._reader.noted(self._state, rows), self._reader.former_texts(rows)
        if gone := set(rows.tolist()) - noted.keys():
            raise StaleViewError(f"{len(gone)} messages were deleted since the view was made: take a new one")
        parents = self._sight.seen_or_none(self._state.columns.parent[rows])
        before, after = self._sight.around(rows)
        answers = self._state.answers.of(rows, self._sight.mask)
        around = zip(parents.tolist(), before.tolist(), after.tolist(), answers, strict=True)
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
        ]

    def links(self, rows: Rows) -> list[Link]:
        self._sight.check(rows)
        sees = self._sight.sees
        return [link for link in self._reader.links(rows) if sees(link.new) and sees(link.old)]

    def row(self, channel: str, message: str) -> int | None:
        number = next((room.number for room in self._sight.rooms.values() if room.channel.id == channel), None)
        found = None if number is None else self._reader.row(number, message)
        return found if found is not None and self._sight.sees(found) else None

    def _blocks(self) -> list[Block]:
        return [block for block in self._reader.blocks(self._state) if block.channel in self._sight.scope.rooms]


def _optional(row: int) -> int | None:
    return None if row == NO_ROW else row
