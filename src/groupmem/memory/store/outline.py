"""The outline of rows, of which each column is looked up when it is first asked for: few questions need them all."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.store.base import Lists, Rows
from groupmem.memory.store.columns import NO_TIME
from groupmem.memory.store.sight import Sight


class SeenOutline:
    """Visible rows; see `base.Outline`."""

    def __init__(self, sight: Sight, rows: Rows) -> None:
        self.rows = rows
        self._sight = sight
        self._columns = sight.state.columns

    @cached_property
    def author(self) -> NDArray[np.int32]:
        return self._sight.authors.places(self._columns.author[self.rows])

    @cached_property
    def role(self) -> NDArray[np.int32]:
        return self._sight.roles.places(self._sight.spoken_roles(self.rows))

    @cached_property
    def channel(self) -> NDArray[np.int32]:
        return self._sight.channel_places[self._channels]

    @cached_property
    def phase(self) -> NDArray[np.int32]:
        return self._sight.phases.places(self._columns.phase[self.rows])

    @cached_property
    def topic(self) -> NDArray[np.int32]:
        return self._sight.topics.places(self._columns.topic[self.rows])

    @cached_property
    def spoken_of(self) -> NDArray[np.int32]:
        return self._sight.spoken_of.places(self._columns.spoken_of[self.rows])

    @cached_property
    def sent_at(self) -> NDArray[np.float64]:
        sent_at = self._columns.sent_at[self.rows]
        return np.where(sent_at == NO_TIME, np.nan, sent_at / 1e6)

    @cached_property
    def words(self) -> NDArray[np.int32]:
        return self._columns.words[self.rows]

    @cached_property
    def is_bot(self) -> NDArray[np.bool_]:
        return self._columns.is_bot[self.rows]

    @cached_property
    def threaded(self) -> NDArray[np.bool_]:
        return self._sight.threaded[self._channels]

    @cached_property
    def thread(self) -> Rows:
        return self._sight.threads(self.rows)

    @cached_property
    def parent(self) -> Rows:
        return self._sight.seen_or_none(self._columns.parent[self.rows])

    @property
    def previous(self) -> Rows:
        return self._around[0]

    @property
    def next(self) -> Rows:
        return self._around[1]

    @cached_property
    def children(self) -> Lists:
        return self._sight.state.answers.of(self.rows, self._sight.mask)

    @cached_property
    def statements(self) -> NDArray[np.float32]:
        return self._columns.statements(self.rows)

    @cached_property
    def _channels(self) -> NDArray[np.int32]:
        return self._columns.channel[self.rows]

    @cached_property
    def _around(self) -> tuple[Rows, Rows]:
        return self._sight.around(self.rows)
