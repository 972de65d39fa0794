"""Searches that start from a message instead of the question, and what they give to a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groupmem.memory.recall.knowledge import Knowledge
from groupmem.memory.recall.search import Values, union
from groupmem.memory.store.base import Outline, Ranking, Rows


class Hop:
    """What one search found, in shares of its best message that is none of `origins`, those from which searches start.

    `share` is what its best message counts; `people` are those of whom the message speaks from which it starts.
    """

    def __init__(
        self, ranking: Ranking, limit: int, *, share: float = 1.0, origins: Rows | None = None, people: frozenset[str]
    ) -> None:
        self._ranking = ranking
        self._share = share
        self.people = people
        self.rows, scores = ranking.top(limit)
        others = scores if origins is None else scores[~np.isin(self.rows, origins)]
        self._best = float(others[0]) if len(others) else 0.0

    def at(self, rows: Rows) -> Values:
        if not self._best:
            return np.zeros(len(rows))
        shares: Values = self._share * np.minimum(1.0, self._ranking.at(rows).astype(np.float64) / self._best)
        return shares


@dataclass(frozen=True, slots=True)
class Linked:
    """All searches of the second hop. `by_others` is what a message counts that none of the people wrote, and that
    speaks of none of them."""

    hops: Sequence[Hop]
    by_others: float

    @property
    def rows(self) -> Rows:
        return union(hop.rows for hop in self.hops)

    def at(self, outline: Outline, known: Knowledge) -> Values:
        """How well each message continues one of those that the searches start from, in [0, 1]."""
        found = np.zeros(len(outline.rows))
        for hop in self.hops:
            said = hop.at(outline.rows)
            if hop.people:
                said *= self.by_others + (1.0 - self.by_others) * known.concerns(outline, hop.people)
            np.maximum(found, said, out=found)
        return found
