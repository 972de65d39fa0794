"""A question in other people's words as well: what the asker's role calls by its own words, others call otherwise."""

from __future__ import annotations

import math
from dataclasses import replace

from groupmem.memory.analysis import content_terms
from groupmem.memory.recall.question import Asked, Clause
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import Named, View


def in_other_words(view: View, asked: Asked, weights: Weights) -> Asked:
    """The question with the words that others have for what its asker names, below full weight."""
    person = view.people.get(view.asker) if view.asker is not None else None
    if person is None or person.role is None:
        return asked
    known = view.counterparts(asked.whole.meaning, person.role)
    if not known:
        return asked
    return replace(
        asked,
        whole=_widened(asked.whole, known, weights),
        clauses=tuple(_widened(clause, known, weights) for clause in asked.clauses),
        named=tuple(known),
    )


def renamings(asked: Asked, weights: Weights) -> list[tuple[str, str]]:
    """What the asker calls something, and what others surely call it, for all of these."""
    return [
        (named.phrase, other.phrase)
        for named in asked.named
        for other in named.counterparts[: weights.vocabulary_most]
        if other.strength >= weights.vocabulary_meant
    ]


def _widened(clause: Clause, known: list[Named], weights: Weights) -> Clause:
    """The clause with the words of all phrases that are said for one of its own; its own count less, where it is others
    who say them most: they may mean something else by them."""
    further: dict[str, float] = {}
    own = dict(clause.terms)
    for named in known:
        said = content_terms(named.phrase)
        if not clause.terms.keys() >= set(said):
            continue
        share = named.own_uses / named.uses
        for term in said:
            own[term] *= weights.vocabulary_shared + (1 - weights.vocabulary_shared) * share
        most = max(weights.vocabulary_sure, named.counterparts[0].strength)
        for other in named.counterparts:
            weight = weights.vocabulary * math.sqrt(other.strength / most)
            for term in content_terms(other.phrase):
                further[term] = max(further.get(term, 0.0), weight)
    return replace(clause, terms=further | own, others=frozenset(further.keys() - own.keys()))
