"""A view over messages in memory: the contract of `groupmem.memory.store.base` without a store, for tests of recall."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import content_terms
from groupmem.memory.index.chunks import chunks
from groupmem.memory.notes import Directory, Notes, note
from groupmem.memory.notes.claims import spoken_of
from groupmem.memory.notes.dates import day_term
from groupmem.memory.notes.statements import KINDS
from groupmem.memory.store.base import (
    NO_ROW,
    Field,
    Grouping,
    Link,
    Linker,
    Lists,
    Named,
    Noted,
    Outline,
    Rows,
    Scores,
    StoredMessage,
)
from groupmem.models.base import EmbeddingModel
from groupmem.types import Channel, Message, Person
from support.plain_vocabulary import PlainVocabulary, Spoken

_SHORT = 40
_THREADED = 0.2


class MemoryRanking:
    """Scores of all rows, kept as one array."""

    def __init__(self, scores: Scores, full: float = 1.0) -> None:
        self._scores = scores
        self.full = full

    def top(self, limit: int) -> tuple[Rows, Scores]:
        order = np.argsort(-self._scores, kind="stable")[:limit]
        order = order[self._scores[order] > 0]
        return order.astype(np.int64), self._scores[order]

    def at(self, rows: Rows) -> Scores:
        return self._scores[rows]


@dataclass(frozen=True)
class PlainOutline:
    """An outline with all its columns."""

    rows: Rows
    author: NDArray[np.int32]
    role: NDArray[np.int32]
    channel: NDArray[np.int32]
    phase: NDArray[np.int32]
    topic: NDArray[np.int32]
    spoken_of: NDArray[np.int32]
    sent_at: NDArray[np.float64]
    words: NDArray[np.int32]
    is_bot: NDArray[np.bool_]
    threaded: NDArray[np.bool_]
    thread: Rows
    parent: Rows
    previous: Rows
    next: Rows
    children: Lists
    statements: NDArray[np.float32]


class MemoryView:
    """All messages that `asker` may see, numbered in the order in which they are given; nothing is ever replaced."""

    def __init__(
        self,
        messages: Iterable[Message],
        *,
        people: Sequence[Person] = (),
        channels: Sequence[Channel] = (),
        embedding: EmbeddingModel | None = None,
        asker: str | None = None,
        until: datetime | None = None,
        linker: Linker | None = None,
    ) -> None:
        rooms = {channel.id: channel for channel in channels}
        self._messages = [
            message
            for message in messages
            if rooms.get(message.channel, Channel(id=message.channel)).readable_by(asker)
            and (until is None or message.sent_at is None or message.sent_at <= until)
        ]
        written = dict.fromkeys(message.channel for message in self._messages)
        visible = [channel for channel in channels if channel.readable_by(asker)]
        self.channels = [*visible, *(Channel(id=name) for name in written if name not in rooms)]
        self.directory = Directory(people, self.channels)
        self.people: Mapping[str, Person] = {person.id: person for person in people}
        self.asker = asker
        self.version: Hashable = id(self)
        self._embedding = embedding
        self._linker = linker
        self._place()

    # -- structure ---------------------------------------------------------------------------------------------------

    def _place(self) -> None:
        messages, count = self._messages, len(self._messages)
        self._rows = {(message.channel, message.id): row for row, message in enumerate(messages)}
        self._order = sorted(range(count), key=lambda row: (_time(messages[row]), messages[row].position))
        self._parent, self._previous, self._next = (np.full(count, NO_ROW, dtype=np.int64) for _ in range(3))
        self._children: list[list[int]] = [[] for _ in messages]
        last: dict[str, int] = {}
        for row in self._order:
            message = messages[row]
            parent = self.row(message.channel, message.reply_to) if message.reply_to else None
            if parent is not None:
                self._parent[row] = parent
                self._children[parent].append(row)
            before = last.get(message.channel, NO_ROW)
            self._previous[row] = before
            if before != NO_ROW:
                self._next[before] = row
            last[message.channel] = row
        self._thread = np.array([self._root(row) for row in range(count)], dtype=np.int64)
        replies = Counter(message.channel for row, message in enumerate(messages) if self._parent[row] != NO_ROW)
        sizes = Counter(message.channel for message in messages)
        self._threaded = np.array([replies[m.channel] > _THREADED * sizes[m.channel] for m in messages], dtype=bool)

    def _root(self, row: int) -> int:
        seen = {row}
        while (parent := int(self._parent[row])) != NO_ROW and parent not in seen:
            row = parent
            seen.add(row)
        return row

    def _role(self, message: Message) -> str | None:
        person = self.people.get(message.author)
        return message.role or (person.role if person else None)

    # -- labels ------------------------------------------------------------------------------------------------------

    @cached_property
    def authors(self) -> Mapping[str, int]:
        return _labels(message.author for message in self._messages)

    @cached_property
    def roles(self) -> Mapping[str, int]:
        return _labels(map(self._role, self._messages))

    @cached_property
    def phases(self) -> Mapping[str, int]:
        return _labels(message.phase for message in self._messages)

    @cached_property
    def topics(self) -> Mapping[str, int]:
        return _labels(message.topic for message in self._messages)

    @cached_property
    def spoken_of(self) -> Mapping[str, int]:
        return _labels(map(spoken_of, self._notes))

    @property
    def count(self) -> int:
        return len(self._messages)

    # -- search ------------------------------------------------------------------------------------------------------

    @cached_property
    def _documents(self) -> dict[Field, list[Counter[str]]]:
        own = [content_terms(message.text) for message in self._messages]
        several = len(self.channels) > 1
        context = []
        for row, message in enumerate(self._messages):
            labels = (message.phase, message.topic, message.channel if several else None, self._role(message))
            days = list(dict.fromkeys(map(day_term, self._notes[row].dates)))
            context.append(content_terms(" ".join(filter(None, labels))) + own[row] + self._borrowed(row, own) + days)
        return {"content": [Counter(terms) for terms in own], "context": [Counter(terms) for terms in context]}

    def _borrowed(self, row: int, own: list[list[str]]) -> list[str]:
        parent, before = int(self._parent[row]), int(self._previous[row])
        if parent != NO_ROW:
            return own[parent]
        short = all(len(self._messages[each].text.split()) < _SHORT for each in (row, before))
        return own[before] if before != NO_ROW and short and not self._threaded[row] else []

    @cached_property
    def _postings(self) -> dict[Field, dict[str, list[int]]]:
        found: dict[Field, dict[str, list[int]]] = {}
        for field, documents in self._documents.items():
            held: dict[str, list[int]] = defaultdict(list)
            for row, terms in enumerate(documents):
                for term in terms:
                    held[term].append(row)
            found[field] = held
        return found

    def frequencies(self, field: Field, terms: Sequence[str]) -> NDArray[np.int64]:
        return np.array([len(self._postings[field].get(term, ())) for term in terms], dtype=np.int64)

    def occurrences(self, field: Field, term: str) -> Rows:
        return np.array(self._postings[field].get(term, ()), dtype=np.int64)

    def lexical(self, field: Field, terms: Mapping[str, float]) -> MemoryRanking:
        documents, scores = self._documents[field], np.zeros(self.count, dtype=np.float32)
        average, full = sum(map(Counter.total, documents)) / max(self.count, 1) or 1.0, 0.0
        for term, weight in terms.items():
            held = self._postings[field].get(term, ())
            rarity = log(1 + (self.count - len(held) + 0.5) / (len(held) + 0.5))
            full += weight * rarity / 2.2
            for row in held:
                count = documents[row][term]
                norm = 1.2 * (1 - 0.75 + 0.75 * documents[row].total() / average)
                scores[row] += weight * rarity * count / (count + norm)
        return MemoryRanking(scores, full)

    def counterparts(self, text: str, role: str) -> list[Named]:
        talk = [
            Spoken(each.text, self._role(each), (each.channel, each.phase or each.topic)) for each in self._messages
        ]
        return PlainVocabulary(talk, role).named(text)

    @property
    def has_vectors(self) -> bool:
        return self._embedding is not None and self.count > 0

    @cached_property
    def _vectors(self) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        assert self._embedding is not None
        pieces = [chunks(message.text) for message in self._messages]
        starts = np.cumsum([0, *map(len, pieces)])[:-1]
        return self._embedding.embed([piece for each in pieces for piece in each], kind="passage"), starts

    def nearest(self, query: NDArray[np.float32]) -> MemoryRanking:
        vectors, starts = self._vectors
        cosines = np.maximum.reduceat(vectors @ query, starts) / np.linalg.norm(query)
        return MemoryRanking(np.clip(cosines, 0, None).astype(np.float32))

    # -- messages ----------------------------------------------------------------------------------------------------

    @cached_property
    def _notes(self) -> list[Notes]:
        notes: dict[int, Notes] = {}
        for row in self._order:
            parent = notes.get(int(self._parent[row]))
            notes[row] = note(self._messages[row], directory=self.directory, parent=parent)
        return [notes[row] for row in range(self.count)]

    @cached_property
    def _statements(self) -> NDArray[np.float32]:
        table = np.zeros((self.count, len(KINDS)), dtype=np.float32)
        for row, notes in enumerate(self._notes):
            for statement in notes.statements:
                column = KINDS.index(statement.kind)
                table[row, column] = max(table[row, column], statement.confidence)
        return table

    @cached_property
    def _columns(self) -> dict[str, NDArray[np.int32]]:
        places = {"channel": {channel.id: place for place, channel in enumerate(self.channels)}}
        for name, labels in (("author", self.authors), ("role", self.roles), ("phase", self.phases)):
            places[name] = {label: place for place, label in enumerate(labels)}
        places["topic"] = {label: place for place, label in enumerate(self.topics)}
        places["spoken_of"] = {person: place for place, person in enumerate(self.spoken_of)}
        values = [
            {"channel": m.channel, "author": m.author, "role": self._role(m), "phase": m.phase, "topic": m.topic}
            | {"spoken_of": spoken_of(notes)}
            for m, notes in zip(self._messages, self._notes, strict=True)
        ]
        return {
            name: np.array([known.get(value[name] or "", NO_ROW) for value in values], dtype=np.int32)
            for name, known in places.items()
        }

    @cached_property
    def _facts(self) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
        times = [message.sent_at.timestamp() if message.sent_at else np.nan for message in self._messages]
        words = [len(message.text.split()) for message in self._messages]
        bots = [message.is_bot for message in self._messages]
        return np.array(times), np.array(words, dtype=np.int32), np.array(bots, dtype=bool)

    def outline(self, rows: Rows) -> Outline:
        times, words, bots = self._facts
        return PlainOutline(
            rows=rows,
            **{name: column[rows] for name, column in self._columns.items()},
            sent_at=times[rows],
            words=words[rows],
            is_bot=bots[rows],
            threaded=self._threaded[rows],
            thread=self._thread[rows],
            parent=self._parent[rows],
            previous=self._previous[rows],
            next=self._next[rows],
            children=Lists(
                np.array([child for row in rows for child in self._children[row]], dtype=np.int64),
                np.array([len(self._children[row]) for row in rows], dtype=np.intp),
            ),
            statements=self._statements[rows],
        )

    def members(self, by: Grouping, index: int) -> Rows:
        column = self._thread if by == "thread" else self._columns[by]
        return np.flatnonzero(column == index).astype(np.int64)

    def later(self, row: int) -> Rows:
        behind = self._order[self._order.index(row) + 1 :]
        return np.array([each for each in behind if self._thread[each] == self._thread[row]], dtype=np.int64)

    def messages(self, rows: Rows) -> list[StoredMessage]:
        return [
            StoredMessage(
                row=row,
                thread=int(self._thread[row]),
                message=self._messages[row],
                notes=self._notes[row],
                parent=_row(self._parent[row]),
                previous=_row(self._previous[row]),
                next=_row(self._next[row]),
                children=tuple(self._children[row]),
                replaced_texts=(),
            )
            for row in map(int, rows)
        ]

    @cached_property
    def _links(self) -> list[Link]:
        if self._linker is None:
            return []
        found: list[Link] = []
        earlier: dict[tuple[str, str, object], list[Noted]] = defaultdict(list)
        for row in self._order:
            message = self._messages[row]
            thread = int(self._thread[row])
            noted = Noted(row=row, thread=thread, message=message, notes=self._notes[row])
            keys = [("thread", thread), ("phase", message.phase), ("topic", message.topic)]
            groups = [(message.channel, kind, value) for kind, value in keys if value is not None]
            before = {each.row: each for group in groups for each in earlier[group]}
            found.extend(self._linker(noted, [before[each] for each in self._order if each in before], len(before)))
            for group in groups:
                if noted.notes.subjects or group[1] == "thread":
                    earlier[group].append(noted)
        return found

    def links(self, rows: Rows) -> list[Link]:
        wanted = set(rows.tolist())
        return [link for link in self._links if link.new in wanted or link.old in wanted]

    def row(self, channel: str, message: str) -> int | None:
        return self._rows.get((channel, message))


def _time(message: Message) -> float:
    return message.sent_at.timestamp() if message.sent_at else 0.0


def _row(row: np.int64) -> int | None:
    return None if row == NO_ROW else int(row)


def _labels(values: Iterable[str | None]) -> Mapping[str, int]:
    return dict(Counter(value for value in values if value).most_common())
