"""Systems that rank whole messages: they differ in their ranker and in nothing else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from groupmem.lab.systems.base import BaseSystem, Setting, passage_of
from groupmem.lab.systems.options import resolve_options
from groupmem.types import Message, Recall

Positions = NDArray[np.intp]
Scores = NDArray[np.float64]


class Ranking(NamedTuple):
    """Messages by their position in the order of arrival, best first, each with its score."""

    positions: Positions
    scores: Scores


class Ranker(Protocol):
    """An index over messages, numbered from 0 in the order in which they were added."""

    def add(self, messages: Sequence[Message]) -> None:
        """Takes further messages in."""
        ...

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        """At most `limit` of the messages added so far. A question without a single word is no error."""
        ...


class RankedSystem(BaseSystem):
    """Gives the messages that its ranker puts first. A subclass says which ranker.

    Indexing is done by `settle`, or by the first `recall` after it is due; messages may follow at any time. A message
    whose id is already known is the same message, and is not taken in again. Channels and the time of asking play no
    part: these are the published baselines, which look at all that they were given.
    """

    def open(self, setting: Setting) -> None:
        options = resolve_options(setting.options, self.options, owner=type(self).__name__)
        self._ranker = self.make_ranker(setting, options)
        self._messages: list[Message] = []
        self._known: set[str] = set()
        self._indexed = 0

    @abstractmethod
    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        """The ranker of one cell. Raises InputError for a setting that it cannot work in."""

    def ingest(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.id not in self._known:
                self._known.add(message.id)
                self._messages.append(message)

    def settle(self) -> None:
        waiting = self._messages[self._indexed :]
        if waiting:
            self._ranker.add(waiting)
            self._indexed = len(self._messages)

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        self.settle()
        if not self._messages or limit < 1:
            return Recall()
        ranking = self._ranker.rank(question, asker, limit)
        found = zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=True)
        return Recall(passages=tuple(passage_of(self._messages[position], score) for position, score in found))


def best_first(scores: Scores, limit: int) -> Positions:
    """Positions of the `limit` highest scores, best first, ties by position; without sorting them all."""
    if limit >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")[:limit]]
