"""Recall: from a question and a view to the messages that matter, one configuration for every conversation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.chains import ends, follow
from groupmem.memory.recall.expansion import linked
from groupmem.memory.recall.names import Index, Indexes, Meanings
from groupmem.memory.recall.passages import passage
from groupmem.memory.recall.question import Asked, understand
from groupmem.memory.recall.reread import reread
from groupmem.memory.recall.scoring import Candidates, Knowledge, Scorer
from groupmem.memory.recall.search import Search, gather, search, spread, union
from groupmem.memory.recall.weights import ALL_PARTS, WEIGHTS, Parts, Weights
from groupmem.memory.store.base import Rows, View
from groupmem.models.base import EmbeddingModel
from groupmem.types import Recall


class Recaller:
    """Answers questions over views. Without an embedding model it finds by words alone.

    It keeps nothing but what can be computed again (names of topics as vectors, labels of views), and may be used for
    any number of views and askers.
    """

    def __init__(
        self, embedding: EmbeddingModel | None, *, weights: Weights = WEIGHTS, parts: Parts = ALL_PARTS
    ) -> None:
        self._meanings = Meanings(embedding) if embedding is not None and parts.meaning else None
        self._indexes = Indexes()
        self._weights = weights
        self._parts = parts

    def recall(self, view: View, question: str, *, limit: int = 10, asked_at: datetime | None = None) -> Recall:
        """At most `limit` messages that the view's asker may see, best first, and how well they answer."""
        ranked = self._rank(view, question, asked_at)
        best = ranked.best(limit)
        stored = view.messages(ranked.rows[best])
        return Recall(
            passages=tuple(passage(each, float(score)) for each, score in zip(stored, ranked.scores[best], strict=True))
        )

    def _rank(self, view: View, question: str, asked_at: datetime | None) -> Candidates:
        index = self._indexes.of(view)
        asked = understand(question, index.around(view.asker, asked_at))
        weights, parts = self._weights, self._parts
        searches, names = self._search(view, asked, index)
        scorer = Scorer(asked, searches, _knowledge(index, names), view.asker, weights, parts)
        found = scorer.score(gather(view, searches, _inside(view, asked, index, weights), weights, parts))
        more = linked(view, asked, searches, found, weights) if parts.expansion else None
        if more is not None:
            found = scorer.score(view.outline(union([found.rows, more.rows])), more)
        if not parts.decisions:
            return self._reread(view, asked, found)
        links = view.links(found.rows[found.best(weights.reread)])
        if len(missing := np.setdiff1d(ends(links), found.rows)):
            found = scorer.score(view.outline(union([found.rows, missing])), more)
        found = self._reread(view, asked, found)
        return found.plus({"decided": follow(asked, found.rows, found.scores, links, weights)})

    def _reread(self, view: View, asked: Asked, found: Candidates) -> Candidates:
        best = found.best(self._weights.reread)
        components = reread(asked, view.messages(found.rows[best]), found.scores[best], self._weights)
        return found.plus({name: spread(values, best, len(found.rows)) for name, values in components.items()})

    def _search(self, view: View, asked: Asked, index: Index) -> tuple[list[Search], NDArray[np.float32] | None]:
        """The searches for the whole and for each part, and how near the names of topics are."""
        clauses = [asked.whole, *asked.clauses]
        vectors: list[NDArray[np.float32] | None] = [None] * len(clauses)
        names = None
        if self._meanings is not None and view.has_vectors and asked.whole.meaning.strip():
            asking = self._meanings.questions([clause.meaning for clause in clauses])
            vectors = [self._meanings.told(vector, self._weights.question_words) for vector in asking]
            names = self._meanings.nearness(asking[0], index.topics) if self._parts.topics else None
        searches = [
            search(view, clause, vector, self._weights, self._parts)
            for clause, vector in zip(clauses, vectors, strict=True)
        ]
        return searches, names


def _inside(view: View, asked: Asked, index: Index, weights: Weights) -> Iterator[Rows]:
    """The messages of the phases that a question names, unless there are too many."""
    for phase in sorted(asked.whole.phases):
        members = view.members("phase", index.phases[phase])
        if len(members) <= weights.phase_most:
            yield members


def _knowledge(index: Index, names: NDArray[np.float32] | None) -> Knowledge:
    return Knowledge(
        authors=index.authors, roles=index.roles, channels=index.channels, phases=index.phases, topic_names=names
    )
