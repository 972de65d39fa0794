"""The searches for one question, and the candidates that they and their surroundings give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.weights import Parts, Weights
from groupmem.memory.store.base import NO_ROW, Outline, Ranking, Rows, Scores, View

Values = NDArray[np.float64]


class Shares:
    """A ranking in shares of its best message: 1 for that, 0 for one that does not match.

    `rows` are the best messages, `best` is the score of the first as the ranking gives it.
    """

    def __init__(self, ranking: Ranking, limit: int) -> None:
        self._ranking = ranking
        self.rows, scores = ranking.top(limit)
        self.best = float(scores[0]) if len(scores) else 0.0

    def at(self, rows: Rows) -> Values:
        if not self.best:
            return np.zeros(len(rows))
        scores: Scores = self._ranking.at(rows)
        return scores.astype(np.float64) / self.best


@dataclass(frozen=True, slots=True)
class Searches:
    """What was found by own words, by words in context and by meaning; None where a part is left out."""

    content: Shares
    context: Shares | None
    meaning: Shares | None

    def rows(self) -> Iterator[Rows]:
        for search in (self.content, self.context, self.meaning):
            if search is not None:
                yield search.rows

    def relevance(self, rows: Rows, weights: Weights) -> dict[str, Values]:
        """How well each of `rows` matches the question, by component."""
        lexical = weights.words if self.meaning else 1.0
        context = weights.context if self.context else 0.0
        found = {"words": lexical * (1 - context) * self.content.at(rows)}
        if self.context:
            found["context"] = lexical * context * self.context.at(rows)
        if self.meaning:
            found["meaning"] = (1 - lexical) * self.meaning.at(rows)
        return found


def search(view: View, asked: Asked, vector: NDArray[np.float32] | None, weights: Weights, parts: Parts) -> Searches:
    """Asks the view. `vector` None: without vectors, words decide alone."""
    return Searches(
        content=Shares(view.lexical("content", asked.terms), weights.candidates),
        context=Shares(view.lexical("context", asked.terms), weights.candidates) if parts.context else None,
        meaning=Shares(view.nearest(vector), weights.candidates) if vector is not None else None,
    )


def gather(view: View, searches: Searches, weights: Weights, parts: Parts) -> Outline:
    """The candidates: what the searches found, and around the best of it answers, neighbours, topics and threads."""
    rows = union(searches.rows())
    scores = total(searches.relevance(rows, weights), len(rows))
    seeds = view.outline(rows[np.argsort(-scores, kind="stable")[: weights.seeds]])
    found = [rows]
    if parts.threads:
        found += [seeds.parent, seeds.previous, seeds.next, *seeds.children]
    if parts.topics:
        found += _groups(view, seeds, weights)
    return view.outline(union(found))


def _groups(view: View, seeds: Outline, weights: Weights) -> Iterator[Rows]:
    """The topics of the best candidates, best first, and the threads of those that have no topic."""
    keys = dict.fromkeys(
        ("topic", int(topic)) if topic != NO_ROW else ("thread", int(thread))
        for topic, thread in zip(seeds.topic, seeds.thread, strict=True)
    )
    for by, index in list(keys)[: weights.groups]:
        members = view.members("topic" if by == "topic" else "thread", index)
        if len(members) <= weights.group_most:
            yield members


def union(several: Iterable[Rows]) -> Rows:
    """All rows of several arrays, ascending and each once."""
    parts = list(several)
    found = np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)
    known: Rows = found[found != NO_ROW].astype(np.int64)
    return known


def total(components: Mapping[str, Values], count: int) -> Values:
    """The sum of all components."""
    return sum(components.values(), np.zeros(count))


def spread(values: Values, places: NDArray[np.intp], count: int) -> Values:
    """`values` at `places` of an array of `count`, 0 at all others."""
    found = np.zeros(count)
    found[places] = values
    return found
