"""The second hop: what the best messages add to a question leads to further messages.

A question describes ("the customer who lost its screen", "whoever signed it off"), a message names ("Orrin"), and a
third message uses the name. Where a question says that something has to be found first, each of the best messages
gives a search of its own: for what that sentence of it adds which has most of the question's words, for the words of
the question that this sentence leaves open, and for the people of whom it speaks. Else their rare words are searched
for together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.reading import Sentence, read
from groupmem.memory.recall.hops import Hop, Linked
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.scoring import Candidates
from groupmem.memory.recall.search import Search, total
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage, View
from groupmem.types import Person

_READ = 4000  # characters of a message that are looked at
_FEWEST = 2  # messages that hold a word, below which it leads nowhere
_REFERS = frozenset({"it", "its", "they", "them", "he", "she"})
_SELF = frozenset({"i", "i'll", "i'm", "i've", "me", "mine", "my", "myself"})

Seed = tuple[StoredMessage, float]


def linked(view: View, asked: Asked, searches: Sequence[Search], found: Candidates, weights: Weights) -> Linked | None:
    """Where the best messages lead; None where they lead nowhere."""
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


@dataclass(frozen=True, slots=True)
class _Bridge:
    """What a message says that answers to the question: the words of a sentence, and the people of whom it speaks."""

    terms: frozenset[str]
    people: frozenset[str]


class _Chain:
    """Makes the searches of the second hop."""

    def __init__(self, view: View, asked: Asked, weights: Weights) -> None:
        self._view = view
        self._asked = asked
        self._weights = weights
        self._limit = weights.candidates // 4
        self._me = frozenset() if asked.speaker is None else frozenset({asked.speaker})

    def together(self, seeds: Sequence[Seed]) -> Iterator[Hop]:
        """One search for the rare words of all messages, each weighted by the scores of those that have it."""
        wanted: dict[str, float] = {}
        for stored, share in seeds:
            for term in set(content_terms(stored.message.text[:_READ])) - self._asked.whole.terms.keys():
                wanted[term] = wanted.get(term, 0.0) + share
        most = max(self._weights.linked_most, self._view.count * self._weights.linked_share)
        terms = {term: wanted[term] for term in self._held(wanted, most)} | self._names(self._me)
        if terms:
            yield Hop(self._view.lexical("content", terms), self._limit, people=frozenset())

    def apart(self, seeds: Sequence[Seed]) -> Iterator[Hop]:
        """A search from each message on that adds something to the question."""
        asked, weights = self._asked.whole.terms, self._weights
        rarity = self._rarity(list(asked))
        origins = np.array([stored.row for stored, _ in seeds], dtype=np.int64)
        for stored, share in seeds:
            bridge = _bridge(rarity, stored)
            people = bridge.people | self._me
            adds = self._held(bridge.terms - asked.keys(), self._view.count * weights.linked_common)
            names = self._names(people)
            if adds or names.keys() - asked.keys():
                left = {
                    term: weight * weights.linked_left for term, weight in asked.items() if term not in bridge.terms
                }
                ranking = self._view.lexical("content", names | left | dict.fromkeys(adds, 1.0))
                yield Hop(ranking, self._limit, share=share, origins=origins, people=people)

    def _rarity(self, terms: Sequence[str]) -> dict[str, float]:
        counts = self._view.frequencies("content", terms).tolist()
        return {term: math.log(1 + self._view.count / (1 + count)) for term, count in zip(terms, counts, strict=True)}

    def _held(self, terms: Collection[str], most: float) -> list[str]:
        """The terms that more than one message holds and no more than `most`."""
        ordered = sorted(terms)
        counts = self._view.frequencies("content", ordered)
        return [term for term, count in zip(ordered, counts, strict=True) if _FEWEST <= count <= most]

    def _names(self, people: Collection[str]) -> dict[str, float]:
        words = [word for person in sorted(people) for word in _words_of(self._view.people.get(person))]
        return dict.fromkeys(words, self._weights.linked_person)


def _bridge(rarity: Mapping[str, float], stored: StoredMessage) -> _Bridge:
    """The sentence that has most of the question's words.

    A question that it answers itself ("The screens? Two of them.") belongs to it; and who is named in a following
    sentence that refers to it.
    """
    sentences = read(stored.message.text[:_READ]).sentences
    terms = [frozenset(content_terms(_plain(sentence, stored))) for sentence in sentences]
    if not terms:
        return _Bridge(frozenset(), frozenset())
    shared = [sum(rarity.get(term, 0.0) for term in each) for each in terms]
    best = shared.index(max(shared))
    added, people = terms[best], _people(sentences[best], stored)
    if best and sentences[best - 1].question:
        added |= terms[best - 1]
    following = sentences[best + 1 : best + 2]
    if following and not following[0].question and not _REFERS.isdisjoint(following[0].words):
        people |= _people(following[0], stored)
    return _Bridge(added, people)


def _plain(sentence: Sentence, stored: StoredMessage) -> str:
    """A sentence without dates and people: they are compared as what they are, and not by their words."""
    text = sentence.text
    spans = {*(date.span for date in stored.notes.dates), *(mention.span for mention in stored.notes.mentions)}
    for start, end in sorted(filter(sentence.holds, spans), reverse=True):
        text = text[: start - sentence.start] + " " + text[end - sentence.start :]
    return text


def _people(sentence: Sentence, stored: StoredMessage) -> frozenset[str]:
    """Of whom a sentence speaks: those whom it names other than in order to call them, and who says "I"."""
    people = {
        mention.person
        for mention in stored.notes.mentions
        if mention.person is not None and not mention.addressed and sentence.holds(mention.span)
    }
    if not _SELF.isdisjoint(sentence.words):
        people.add(stored.message.author)
    return frozenset(people)


def _words_of(person: Person | None) -> list[str]:
    return content_terms((person.name if person else None) or "")
