"""What a message adds to a question: where a search that starts from it begins."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.reading import Sentence, read
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage, View
from groupmem.types import Person

READ = 4000
"""Characters of a message that are looked at."""

_FEWEST = 2  # messages that hold a word, below which it leads nowhere
_REFERS = frozenset({"it", "its", "they", "them", "he", "she"})
_SELF = frozenset({"i", "i'll", "i'm", "i've", "me", "mine", "my", "myself"})


@dataclass(frozen=True, slots=True)
class Bridge:
    """What a message says that answers to the question: the words of a sentence, and the people of whom it speaks."""

    terms: frozenset[str]
    people: frozenset[str]


class Words:
    """Words by how rare they are in a view."""

    def __init__(self, view: View, weights: Weights) -> None:
        self._view = view
        self._weights = weights
        self.rarest = math.log(1 + view.count) or 1.0
        """The rarity of a word that no message has, in nats."""

    def rarity(self, terms: Iterable[str]) -> dict[str, float]:
        """How rare each term is, in nats."""
        wanted = list(terms)
        counts = self._view.frequencies("content", wanted).tolist()
        return {term: math.log(1 + self._view.count / (1 + count)) for term, count in zip(wanted, counts, strict=True)}

    def leading(self, terms: Collection[str]) -> list[str]:
        """The terms that lead from one message to others: not too many have them."""
        return self.held(terms, self._view.count * self._weights.linked_common)

    def held(self, terms: Collection[str], most: float) -> list[str]:
        """The terms that more than one message holds and no more than `most`."""
        ordered = sorted(terms)
        counts = self._view.frequencies("content", ordered)
        return [term for term, count in zip(ordered, counts, strict=True) if _FEWEST <= count <= most]

    def names(self, people: Collection[str]) -> dict[str, float]:
        """The words of the names of people, below full weight."""
        words = [word for person in sorted(people) for word in _words_of(self._view.people.get(person))]
        return dict.fromkeys(words, self._weights.linked_person)


def bridge_of(rarity: Mapping[str, float], stored: StoredMessage) -> Bridge:
    """The sentence that has most of the question's words, of which this is the rarity.

    A question that it answers itself ("The screens? Two of them.") belongs to it; and who is named in a following
    sentence that refers to it.
    """
    sentences = read(stored.message.text[:READ]).sentences
    terms = [frozenset(content_terms(_plain(sentence, stored))) for sentence in sentences]
    if not terms:
        return Bridge(frozenset(), frozenset())
    shared = [sum(value for term, value in rarity.items() if term in each) for each in terms]  # always in one order
    best = shared.index(max(shared))
    added, people = terms[best], _people(sentences[best], stored)
    if best and sentences[best - 1].question:
        added |= terms[best - 1]
    following = sentences[best + 1 : best + 2]
    if following and not following[0].question and not _REFERS.isdisjoint(following[0].words):
        people |= _people(following[0], stored)
    return Bridge(added, people)


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
