"""The searches for one question or a part of it, and the candidates that they and their surroundings give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.question import Clause
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
class Search:
    """What was found for a clause by own words, by words in context and by meaning; None where a part is left out."""

    clause: Clause
    content: Shares
    context: Shares | None
    meaning: Shares | None

    def rows(self) -> Iterator[Rows]:
        for shares in (self.content, self.context, self.meaning):
            if shares is not None:
                yield shares.rows

    def relevance(self, rows: Rows, weights: Weights) -> dict[str, Values]:
        """How well each of `rows` matches, by component."""
        lexical = weights.words if self.meaning else 1.0
        context = weights.context if self.context else 0.0
        found = {"words": lexical * (1 - context) * self.content.at(rows)}
        if self.context:
            found["context"] = lexical * context * self.context.at(rows)
        if self.meaning:
            found["meaning"] = (1 - lexical) * self.meaning.at(rows)
        return found


def search(view: View, clause: Clause, vector: NDArray[np.float32] | None, weights: Weights, parts: Parts) -> Search:
    """Asks the view. `vector` None: without vectors, words decide alone."""
    return Search(
        clause=clause,
        content=Shares(view.lexical("content", clause.terms), weights.candidates),
        context=Shares(view.lexical("context", clause.terms), weights.candidates) if parts.context else None,
        meaning=Shares(view.nearest(vector), weights.candidates) if vector is not None else None,
    )


def gather(view: View, searches: Iterable[Search], further: Iterable[Rows], weights: Weights, parts: Parts) -> Outline:
    """The candidates: what the searches found, `further` rows, and around the best of each search answers, neighbours,
    topics and threads."""
    several = list(searches)
    rows = union([*(found for each in several for found in each.rows()), *further])
    best = [_best(each, rows, weights, len(several)) for each in several]
    seeds = view.outline(union(best))
    found = [rows]
    if parts.threads:
        found += [seeds.parent, seeds.previous, seeds.next, *seeds.children]
    if parts.topics:
        found += _groups(view, [view.outline(each[: weights.groups]) for each in best], weights)
    return view.outline(union(found))


def _best(each: Search, rows: Rows, weights: Weights, several: int) -> Rows:
    """The rows that a search puts first; the fewer, the more searches there are."""
    scores = total(each.relevance(rows, weights), len(rows))
    chosen: Rows = rows[np.argsort(-scores, kind="stable")[: weights.seeds // several]]
    return chosen


def _groups(view: View, best: Iterable[Outline], weights: Weights) -> Iterator[Rows]:
    """The topics of the best candidates, and the threads of those that have no topic."""
    keys = dict.fromkeys(
        ("topic", int(topic)) if topic != NO_ROW else ("thread", int(thread))
        for each in best
        for topic, thread in zip(each.topic, each.thread, strict=True)
    )
    for by, index in keys:
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
