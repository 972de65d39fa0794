"""The second hop: rare words that the best messages have and the question has not.

A question describes ("the customer who lost its screen"), a message names ("Orrin"), and a third message uses the name.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import content_terms
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.scoring import Candidates
from groupmem.memory.recall.search import Search, Shares, total
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage, View
from groupmem.types import Person

_READ = 4000  # characters of a message that are looked at for names
_FEWEST = 2  # messages that hold a word, below which it leads nowhere


def linked(view: View, asked: Asked, searches: Sequence[Search], found: Candidates, weights: Weights) -> Shares | None:
    """The search for the rare words of the best messages, each weighted by the scores of those that have it."""
    best = _seeds(searches, found, weights)
    scores = found.scores[best]
    if not len(best) or scores.max() <= 0:
        return None
    wanted: dict[str, float] = {}
    people: dict[str, float] = {}
    for stored, score in zip(view.messages(found.rows[best]), scores / scores.max(), strict=True):
        for term in dict.fromkeys(content_terms(stored.message.text[:_READ])):  # in an order that every process has
            if term not in asked.whole.terms:
                wanted[term] = wanted.get(term, 0.0) + float(score)
        if asked.hops:
            for term in sorted(_names(view, stored) - asked.whole.terms.keys()):
                people[term] = max(people.get(term, 0.0), float(score) * weights.linked_person)
    if asked.speaker is not None:
        people |= dict.fromkeys(_words_of(view.people.get(asked.speaker)), weights.linked_person)
    rare = _rare(view, wanted, weights) | people
    return Shares(view.lexical("content", rare), weights.candidates // 4) if rare else None


def _seeds(searches: Sequence[Search], found: Candidates, weights: Weights) -> NDArray[np.intp]:
    """Places of the best messages, and of the best one of each part of the question."""
    if len(searches) == 1:
        return found.best(weights.linked_from)
    best: list[int] = []
    for part in searches[1:]:
        scores = total(part.relevance(found.rows, weights), len(found.rows))
        best += np.argsort(-scores, kind="stable")[: weights.linked_of_part].tolist()
    return np.array(list(dict.fromkeys(best)), dtype=np.intp)


def _rare(view: View, wanted: dict[str, float], weights: Weights) -> dict[str, float]:
    terms = list(wanted)
    counts = view.frequencies("content", terms)
    most = max(weights.linked_most, view.count * weights.linked_share)
    return {term: wanted[term] for term, count in zip(terms, counts, strict=True) if _FEWEST <= count <= most}


def _names(view: View, stored: StoredMessage) -> set[str]:
    """The words of the names of people of whom a message speaks."""
    named = {mention.person for mention in stored.notes.mentions if not mention.addressed}
    return {term for person in named if person is not None for term in _words_of(view.people.get(person))}


def _words_of(person: Person | None) -> list[str]:
    return content_terms((person.name if person else None) or "")
