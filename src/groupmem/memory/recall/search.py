"""The searches for one question or a part of it, and the candidates that they and their surroundings give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.question import Clause
from groupmem.memory.recall.weights import Parts, Weights
from groupmem.memory.store.base import NO_ROW, Outline, Ranking, Rows, Scores, View

Values = NDArray[np.float64]


class Shares:
    """A ranking in shares of its best message: 1 for that, 0 for one that does not match.

    `rows` are the best messages. Where the best has less than the share `least` of a full score, this counts as 1.
    """

    def __init__(self, ranking: Ranking, limit: int, least: float = 0.0) -> None:
        self._ranking = ranking
        self.rows, scores = ranking.top(limit)
        self._one = max(float(scores[0]), least * ranking.full) if len(scores) else 0.0

    def at(self, rows: Rows) -> Values:
        if not self._one:
            return np.zeros(len(rows))
        scores: Scores = self._ranking.at(rows)
        return scores.astype(np.float64) / self._one


class Compared:
    """A ranking that is only asked about rows found otherwise, in shares of the best of these: no search is made."""

    rows: Rows = np.empty(0, dtype=np.int64)

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking

    def at(self, rows: Rows) -> Values:
        scores = self._ranking.at(rows).astype(np.float64)
        return scores / (scores.max(initial=0.0) or 1.0)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found for a clause by own words, by words in context and by meaning; None where a part is left out."""

    clause: Clause
    content: Shares
    context: Shares | None
    meaning: Shares | Compared | None

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


class Searcher:
    """Asks a view. Without vectors words decide alone."""

    def __init__(self, view: View, weights: Weights, parts: Parts) -> None:
        self._view = view
        self._weights = weights
        self._parts = parts

    def whole(self, clause: Clause, vector: NDArray[np.float32] | None) -> Search:
        """The search for a whole question."""
        meaning = Shares(self._view.nearest(vector), self._weights.candidates) if vector is not None else None
        return self._search(clause, meaning, self._weights.day)

    def part(self, clause: Clause, vector: NDArray[np.float32] | None) -> Search:
        """That for a part of it: it finds by words, and what was found is compared by meaning."""
        return self._search(clause, Compared(self._view.nearest(vector)) if vector is not None else None, 1.0)

    def _search(self, clause: Clause, meaning: Shares | Compared | None, day: float) -> Search:
        limit, least = self._weights.candidates, self._weights.words_covered if meaning is not None else 0.0
        context = clause.terms | dict.fromkeys(clause.days, day)
        return Search(
            clause=clause,
            content=Shares(self._view.lexical("content", clause.terms), limit, least),
            context=Shares(self._view.lexical("context", context), limit, least) if self._parts.context else None,
            meaning=meaning,
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
        found += [seeds.parent, seeds.previous, seeds.next, seeds.children.rows]
    if parts.topics:
        found += _groups(view, seeds, [each[: weights.groups] for each in best], weights)
    return view.outline(union(found))


def _best(each: Search, rows: Rows, weights: Weights, several: int) -> Rows:
    """The rows that a search puts first; the fewer, the more searches there are."""
    scores = total(each.relevance(rows, weights), len(rows))
    chosen: Rows = rows[np.argsort(-scores, kind="stable")[: weights.seeds // several]]
    return chosen


def _groups(view: View, seeds: Outline, best: Sequence[Rows], weights: Weights) -> Iterator[Rows]:
    """The topics of the best candidates (which are among the seeds), and the threads of those that have no topic."""
    places = np.searchsorted(seeds.rows, np.concatenate(best))
    keys = dict.fromkeys(
        ("topic", topic) if topic != NO_ROW else ("thread", thread)
        for topic, thread in zip(seeds.topic[places].tolist(), seeds.thread[places].tolist(), strict=True)
    )
    for by, index in keys:
        members = view.members("topic" if by == "topic" else "thread", index)
        if len(members) <= weights.group_most:
            yield members


def union(several: Iterable[Rows]) -> Rows:
    """All rows of several arrays, ascending and each once."""
    found = np.sort(np.concatenate([np.array([NO_ROW]), *several]))
    known: Rows = found[1:][found[1:] != found[:-1]]
    return known


def total(components: Mapping[str, Values], count: int) -> Values:
    """The sum of all components."""
    return sum(components.values(), np.zeros(count))


def spread(values: Values, places: NDArray[np.intp], count: int) -> Values:
    """`values` at `places` of an array of `count`, 0 at all others."""
    found = np.zeros(count)
    found[places] = values
    return found


def among(column: NDArray[np.int32], places: Mapping[str, int], wanted: frozenset[str] | set[str]) -> Values:
    """1 for each label of `column` that is wanted, else 0."""
    found = np.zeros(len(column), dtype=np.bool_)
    for label in wanted:
        if label in places:
            found |= column == places[label]
    return found.astype(np.float64)
