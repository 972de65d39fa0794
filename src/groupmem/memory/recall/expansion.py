"""The second hop: what the best messages add to a question leads to further messages.

A question describes ("the customer who lost its screen", "whoever signed it off"), a message names ("Orrin"), and a
third message uses the name. Where the description can be looked up by itself, pairs of messages are formed (`pairs`).
Else, where a question says that something has to be found first, each of the best messages gives a search of its own:
for what that sentence of it adds which has most of the question's words, for the words of the question that this
sentence leaves open, and for the people of whom it speaks. Else their rare words are searched for together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import content_terms
from groupmem.memory.recall.bridges import READ, Words, bridge_of
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.hops import Hop, Linked
from groupmem.memory.recall.knowledge import Knowledge
from groupmem.memory.recall.pairs import Pairing, Pairs
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import Search, total
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage, View

Seed = tuple[StoredMessage, float]


def linked(
    view: View, asked: Asked, searches: Sequence[Search], found: Candidates, known: Knowledge, weights: Weights
) -> Linked | Pairs | None:
    """Where the best messages lead; None where they lead nowhere. The first of `searches` is that for the whole."""
    if asked.hops and len(searches) > 1:
        return Pairing(view, asked, known, weights).pairs(searches[1:-1], searches[-1], found.outline)
    best = _seeds(searches, found, weights)
    scores = found.scores[best]
    if not len(best) or scores.max() <= 0:
        return None
    shares = (scores / scores.max()).tolist()
    seeds = list(zip(view.messages(found.rows[best]), shares, strict=True))
    chain = _Chain(view, asked, weights)
    hops = list(chain.apart(seeds)) if asked.hops else list(chain.together(seeds))
    return Linked(hops, weights.linked_by_others) if hops else None


def _seeds(searches: Sequence[Search], found: Candidates, weights: Weights) -> NDArray[np.intp]:
    """Places of the best messages; where a question has parts, of the best of each, by whom it names."""
    if len(searches) == 1:
        return found.best(weights.linked_from)
    count = len(found.rows)
    named = total({name: found.components[name] for name in ("named", "role") if name in found.components}, count)
    best: dict[int, None] = {}
    for part in searches[1:]:
        scores = total(part.relevance(found.rows, weights), count) + named
        best |= dict.fromkeys(np.argsort(-scores, kind="stable")[: weights.linked_of_part].tolist())
    return np.array(list(best), dtype=np.intp)


class _Chain:
    """Makes the searches of the second hop."""

    def __init__(self, view: View, asked: Asked, weights: Weights) -> None:
        self._view = view
        self._asked = asked
        self._weights = weights
        self._words = Words(view, weights)
        self._limit = weights.candidates // 4
        self._me = frozenset() if asked.speaker is None else frozenset({asked.speaker})

    def together(self, seeds: Sequence[Seed]) -> Iterator[Hop]:
        """One search for the rare words of all messages, each weighted by the scores of those that have it."""
        wanted: dict[str, float] = {}
        for stored, share in seeds:
            for term in set(content_terms(stored.message.text[:READ])) - self._asked.whole.terms.keys():
                wanted[term] = wanted.get(term, 0.0) + share
        most = max(self._weights.linked_most, self._view.count * self._weights.linked_share)
        terms = {term: wanted[term] for term in self._words.held(wanted, most)} | self._words.names(self._me)
        if terms:
            yield Hop(self._view.lexical("content", terms), self._limit, people=frozenset())

    def apart(self, seeds: Sequence[Seed]) -> Iterator[Hop]:
        """A search from each message on that adds something to the question."""
        asked, weights = self._asked.whole.terms, self._weights
        rarity = self._words.rarity(asked)
        origins = np.array([stored.row for stored, _ in seeds], dtype=np.int64)
        for stored, share in seeds:
            bridge = bridge_of(rarity, stored)
            people = bridge.people | self._me
            adds = self._words.leading(bridge.terms - asked.keys())
            names = self._words.names(people)
            if adds or names.keys() - asked.keys():
                left = {
                    term: weight * weights.linked_left for term, weight in asked.items() if term not in bridge.terms
                }
                ranking = self._view.lexical("content", names | left | dict.fromkeys(adds, 1.0))
                yield Hop(ranking, self._limit, share=share, origins=origins, people=people)
