"""What a store is: the contract between what keeps messages and what recalls them.

A store keeps the messages of one workspace with everything that was noted about them. Recall never touches its tables
or indexes: it asks for a `View`, which is bound to an asker and a moment, and everything that a view returns, also
counts and frequencies, is computed from what that asker may see at that moment and from nothing else. Adding, changing
or removing messages of a channel that the asker may not see changes no value that a view returns.

A message is known by its `row`, a number that it keeps for ever, also through edits. Rows grow with arrival, not with
the time of sending. Where a row may be missing, arrays hold `NO_ROW`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.records import Notes
from groupmem.types import Channel, Message, Person, Record

Rows = NDArray[np.int64]
Scores = NDArray[np.float32]
Field = Literal["content", "context"]
Grouping = Literal["author", "role", "channel", "phase", "topic", "thread"]
Span = tuple[int, int]

NO_ROW = -1


class Noted(Record, frozen=True, kw_only=True, gc=False):
    """A message with what was noted about it when it came in. `thread` is the row of its thread's first message."""

    row: int
    thread: int
    message: Message
    notes: Notes


class StoredMessage(Noted, frozen=True, kw_only=True, gc=False):
    """A message in its place. All rows are visible to the view that returned it.

    `parent` is the message that it answers; `previous` and `next` are its neighbours in its channel by time; `children`
    are its answers, by time. `replaced_texts` are what it said before it was edited, oldest first.
    """

    parent: int | None
    previous: int | None
    next: int | None
    children: tuple[int, ...]
    replaced_texts: tuple[str, ...]


class Lists(Sequence[Rows]):
    """Lists of rows of different lengths: `rows` are all of them, one list after the other, `sizes` their lengths."""

    def __init__(self, rows: Rows, sizes: NDArray[np.intp]) -> None:
        self.rows = rows
        self._ends = np.cumsum(sizes)

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[Rows]:
        start = 0
        for end in self._ends.tolist():
            yield self.rows[start:end]
            start = end

    @overload
    def __getitem__(self, place: int) -> Rows: ...
    @overload
    def __getitem__(self, place: slice) -> list[Rows]: ...
    def __getitem__(self, place: int | slice) -> Rows | list[Rows]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        return self.rows[self._ends[place - 1] if place else 0 : self._ends[place]]


class Outline(Protocol):
    """What scoring needs to know of many rows, column by column and in the order of `rows`; no text is read for it.

    `author`, `role`, `channel`, `phase`, `topic` and `spoken_of` are indexes into `View.authors`, `View.roles` and so
    on, `NO_ROW` where there is none. `sent_at` is in seconds since 1970, NaN where there is no time. `words` is the
    length of the text. `threaded` says whether its channel uses replies. `thread` is the row of the first visible
    message of its thread, its own row where it answers nothing. `children` holds a list of rows for each row.
    `statements` has a column for each of `groupmem.memory.notes.statements.KINDS`: how surely the message makes a
    statement of that kind.
    """

    @property
    def rows(self) -> Rows: ...
    @property
    def author(self) -> NDArray[np.int32]: ...
    @property
    def role(self) -> NDArray[np.int32]: ...
    @property
    def channel(self) -> NDArray[np.int32]: ...
    @property
    def phase(self) -> NDArray[np.int32]: ...
    @property
    def topic(self) -> NDArray[np.int32]: ...
    @property
    def spoken_of(self) -> NDArray[np.int32]: ...
    @property
    def sent_at(self) -> NDArray[np.float64]: ...
    @property
    def words(self) -> NDArray[np.int32]: ...
    @property
    def is_bot(self) -> NDArray[np.bool_]: ...
    @property
    def threaded(self) -> NDArray[np.bool_]: ...
    @property
    def thread(self) -> Rows: ...
    @property
    def parent(self) -> Rows: ...
    @property
    def previous(self) -> Rows: ...
    @property
    def next(self) -> Rows: ...
    @property
    def children(self) -> Lists: ...
    @property
    def statements(self) -> NDArray[np.float32]: ...


class Counterpart(Record, frozen=True, kw_only=True):
    """What others say where people of a role say a phrase of their own.

    `strength` is 1 for one rare frame that both stand in. Of its `uses`, messages that have it, `own_uses` are by
    people of the role.
    """

    phrase: str
    strength: float
    uses: int
    own_uses: int


class Named(Record, frozen=True, kw_only=True):
    """A phrase as people of a role say it, and what others say for it, the likeliest first.

    Of its `uses`, messages that have it, `own_uses` are by people of the role.
    """

    phrase: str
    uses: int
    own_uses: int
    counterparts: tuple[Counterpart, ...]


class Link(Record, frozen=True, kw_only=True):
    """A statement (`new_span` of the message `new`) that replaces an earlier one (`old_span` of `old`).

    Both are in one channel. Who changed it and when are the author and the time of `new`; `score` in [0, 1] is how
    likely it is.
    """

    new: int
    old: int
    new_span: Span
    old_span: Span
    score: float
    names_old: bool = False


Linker = Callable[[Noted, Sequence[Noted], int], Iterable[Link]]
"""Finds what the first message replaces among earlier ones; called at ingest, in the transaction that stores it.

The earlier ones are ordered by time. They are of the same channel and state something, in the same topic, phase or
thread; those of the same thread are there whatever they say. The number is how many statements there are of which the
likeliest were chosen.
It must depend on its arguments alone: it is called again when an earlier message arrives late, is edited or is deleted.
"""


class Ranking(Protocol):
    """The scores of all visible messages for one query. A message that does not match has score 0, one that matches in
    everything about `full`.
    """

    @property
    def full(self) -> float: ...

    def top(self, limit: int) -> tuple[Rows, Scores]:
        """The best `limit` rows with a score above 0, best first; ties by row."""
        ...

    def at(self, rows: Rows) -> Scores:
        """The scores of these rows, in their order."""
        ...


class View(Protocol):
    """What one asker may see at one moment: messages of visible channels, not deleted, sent at `until` or before.

    A message without a time is always part of it. Two views of equal `version` return equal values.
    """

    @property
    def version(self) -> Hashable: ...
    @property
    def asker(self) -> str | None: ...
    @property
    def count(self) -> int:
        """How many messages are visible."""
        ...

    @property
    def directory(self) -> Directory:
        """People of the setting and members of visible channels, by name and role."""
        ...

    @property
    def people(self) -> Mapping[str, Person]: ...
    @property
    def channels(self) -> Sequence[Channel]:
        """The visible channels that hold a visible message or are part of the setting."""
        ...

    # Labels of visible messages, most frequent first: indexes into them are what `Outline` holds.
    @property
    def authors(self) -> Mapping[str, int]: ...
    @property
    def roles(self) -> Mapping[str, int]: ...
    @property
    def phases(self) -> Mapping[str, int]: ...
    @property
    def topics(self) -> Mapping[str, int]: ...
    @property
    def spoken_of(self) -> Mapping[str, int]:
        """People of whom messages speak, or whose words they pass on."""
        ...

    def frequencies(self, field: Field, terms: Sequence[str]) -> NDArray[np.int64]:
        """How many visible messages hold each term."""
        ...

    def occurrences(self, field: Field, term: str) -> Rows:
        """The visible messages that hold a term, ascending."""
        ...

    def lexical(self, field: Field, terms: Mapping[str, float]) -> Ranking:
        """BM25 (k1 1.2, b .75) of weighted terms, as `groupmem.memory.analysis` cuts them.

        Document frequencies and lengths are those of the visible messages.
        """
        ...

    @property
    def has_vectors(self) -> bool:
        """Whether `nearest` can be asked: the store has an embedding model, and all visible messages have vectors."""
        ...

    def nearest(self, query: NDArray[np.float32]) -> Ranking:
        """Cosine with the query; of a long message, that of its best chunk. Below 0 counts as 0."""
        ...

    def counterparts(self, text: str, role: str) -> list[Named]:
        """The phrases of `text` that people of `role` say, of which others are known to call the same by other words.

        Learnt from visible messages alone, see `groupmem.memory.vocabulary`.
        """
        ...

    def outline(self, rows: Rows) -> Outline: ...

    def members(self, by: Grouping, index: int) -> Rows:
        """The visible messages of one author, role, channel, phase, topic (`index` as in `Outline`) or thread (the row
        that `Outline.thread` holds), ascending."""
        ...

    def later(self, row: int) -> Rows:
        """The visible messages of the thread of this one that were said after it, by time."""
        ...

    def messages(self, rows: Rows) -> list[StoredMessage]:
        """The messages with all that was noted, in the order of `rows`.

        Raises StaleViewError where one was deleted since the view was made.
        """
        ...

    def links(self, rows: Rows) -> list[Link]:
        """Links that have one of these rows at either end; both ends are visible."""
        ...

    def row(self, channel: str, message: str) -> int | None:
        """The row of a message by the ids of its source; None where it is not visible."""
        ...


class Added(Record, frozen=True, kw_only=True):
    """What became of the messages handed to `add`.

    New ones, changed ones, ones that were there as they are, and ones that had been deleted and stay so.
    """

    added: int = 0
    edited: int = 0
    unchanged: int = 0
    deleted: int = 0

    def __add__(self, other: Added) -> Added:
        return Added(
            added=self.added + other.added,
            edited=self.edited + other.edited,
            unchanged=self.unchanged + other.unchanged,
            deleted=self.deleted + other.deleted,
        )


class Store(Protocol):
    """Keeps the messages of a workspace. Small enough for a server to follow: a view needs the most of it."""

    def add(self, messages: Sequence[Message]) -> Added:
        """All of them in one transaction; a message is known again by its channel and id."""
        ...

    def delete(self, channel: str, message: str) -> bool:
        """Hides a message at once and for ever; False where there is none. `compact` removes its text."""
        ...

    def set_people(self, people: Iterable[Person]) -> None: ...
    def set_channels(self, channels: Iterable[Channel]) -> None: ...

    def view(self, asker: str | None, until: datetime | None = None) -> View:
        """The newest state of the store, as `asker` (None: somebody unknown, who sees public channels) may see it."""
        ...

    def flush(self) -> None:
        """Brings the indexes up to the last message."""
        ...

    def compact(self) -> None:
        """Removes what was deleted or replaced for good, from tables, files and indexes."""
        ...

    def close(self) -> None: ...
