"""The second hop of a question that describes: pairs of messages that answer it together.

"When is the contract up for the tester who rings every Monday?" One message fits the description ("Rosslyn rings me
every Monday"), another one answers the rest and goes on from it ("Rosslyn's contract ends in May"). So the messages
that fit a description best are each tried as a bridge, and a pair counts as much as its weakest side allows: how well
the one fits, how well the other answers, and how much of what the bridge adds the other takes up again, by rare words
or by the person of whom it speaks. Both messages of a pair gain by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.dates import day_term
from groupmem.memory.recall.bridges import READ, Bridge, Words, bridge_of
from groupmem.memory.recall.candidates import STEP, Candidates
from groupmem.memory.recall.knowledge import Knowledge
from groupmem.memory.recall.question import Asked, Clause, quotes_in
from groupmem.memory.recall.search import Search, Values, total, union
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import Outline, Ranking, Rows, StoredMessage, View

_SOMEBODY = re.compile(
    r"\b(?:who(?:m|so)?ever|the (?:very |same )?(?:person|people|one|ones|colleague))\b", re.IGNORECASE
)
_PERSON, _DAY = 3.0, 5.0
"""What a person and a day of a description count beside its words, which count by their rarity (in nats)."""


@dataclass(frozen=True, slots=True)
class Start:
    """A message that fits a description, as one side of pairs.

    `fit` is how well, in shares of the best, and `sure` how much of the description it has, both in [0, 1]. `takes_up`
    ranks messages by the rare words that it adds; by these it has the score `full` itself. `rows` are the messages that
    take up most and have words of what is asked.
    """

    row: int
    fit: float
    sure: float
    people: frozenset[str]
    takes_up: Ranking | None
    full: float
    rows: Rows


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs with one of `starts`. `specific` in [0, 1] is how much what is asked says by its words.

    `by_person` says that the question is about somebody whom it describes: then a person links more than words do.
    """

    starts: Sequence[Start]
    asked: Search
    speaker: str | None
    specific: float
    by_person: bool
    weights: Weights

    @property
    def rows(self) -> Rows:
        return union(start.rows for start in self.starts)

    def at(self, outline: Outline, known: Knowledge) -> Values:
        """How good the best pair is that each message is part of, in [0, 1]."""
        answers = self._answers(outline, known)
        found, best, sure = np.zeros(len(outline.rows)), 0.0, 0.0
        for start in self.starts:
            pair = start.fit * answers * np.sqrt(self._links(start, outline, known))
            self._count_itself(start, outline, pair, answers)
            if len(pair) and pair.max() > best:
                best, sure = float(pair.max()), start.sure
            np.maximum(found, pair, out=found)
        return found * (min(1.0, sure / self.weights.pair_sure) / best) if best else found

    def answer_first(self, found: Candidates, known: Knowledge) -> Values:
        """What puts the answer above the best message, where that is only what leads to it.

        The best message often fits the description, and what is asked stands in the other one of the pair. One that
        answers as well itself stays first.
        """
        gain, best = np.zeros(len(found.rows)), found.best(self.weights.pair_answers).tolist()
        leading = [start for start in self.starts if best and start.row == found.rows[best[0]]]
        if leading:
            answers = self._answers(found.outline, known)
            links = np.max([self._links(start, found.outline, known) for start in leading], axis=0)
            pair = answers * np.sqrt(links)
            pair[best[0]] = answers[best[0]]
            answer = int(np.argmax(pair))
            if answer in best[1:]:
                gain[answer] = found.scores[best[0]] - found.scores[answer] + STEP
        return gain

    def _answers(self, outline: Outline, known: Knowledge) -> Values:
        """How well each message answers the rest of the question, in shares of the best."""
        said = total(self.asked.relevance(outline.rows, self.weights), len(outline.rows))
        answers = self.weights.pair_base + self.specific * said / (said.max(initial=0.0) or 1.0)
        if self.speaker is not None:
            answers += self.weights.pair_own * known.concerns(outline, frozenset({self.speaker}))
        shares: Values = answers / (answers.max(initial=0.0) or 1.0)
        return shares

    def _links(self, start: Start, outline: Outline, known: Knowledge) -> Values:
        """How much of what a message adds each of the others takes up, in [0, 1]."""
        links = np.zeros(len(outline.rows))
        if start.takes_up is not None and start.full > 0:
            links = np.minimum(1.0, start.takes_up.at(outline.rows).astype(np.float64) / start.full)
        if start.people:
            share = self.weights.pair_person if self.by_person else self.weights.pair_person_aside
            links = np.maximum(links, share * known.concerns(outline, start.people))
        return links

    def _count_itself(self, start: Start, outline: Outline, pair: Values, answers: Values) -> None:
        """A message that fits the description is as good as its best pair; it may also answer by itself."""
        place = int(np.searchsorted(outline.rows, start.row))
        if place < len(outline.rows) and outline.rows[place] == start.row:
            pair[place] = 0.0
            pair[place] = max(start.fit * answers[place] * self.weights.pair_itself, pair.max())


class Pairing:
    """Makes the pairs for one question whose parts are descriptions and, last, what is asked."""

    def __init__(self, view: View, asked: Asked, known: Knowledge, weights: Weights) -> None:
        self._view = view
        self._asked = asked
        self._known = known
        self._weights = weights
        self._words = Words(view, weights)
        self._me = frozenset() if asked.speaker is None else frozenset({asked.speaker})

    def pairs(self, descriptions: Sequence[Search], last: Search, outline: Outline) -> Pairs | None:
        """None where no message of `outline` fits a description."""
        starts = [start for each in descriptions for start in self._starts(each, last.clause, outline)]
        if not starts:
            return None
        rarity = sum(self._words.rarity(own_terms(last.clause)).values())
        return Pairs(
            starts=starts,
            asked=last,
            speaker=self._asked.speaker,
            specific=min(1.0, rarity / (self._weights.pair_specific * self._words.rarest)),
            by_person=bool(_SOMEBODY.search(self._asked.text)),
            weights=self._weights,
        )

    def _starts(self, described: Search, last: Clause, outline: Outline) -> list[Start]:
        """The messages that fit a description best."""
        clause, weights = described.clause, self._weights
        scores = total(described.relevance(outline.rows, weights), len(outline.rows))
        scores += weights.named * self._known.written_by(outline, self._asked.people)
        scores += self._named_in(clause, outline)
        best = np.argsort(-scores, kind="stable")[: weights.pair_from]
        if not len(best) or scores[best[0]] <= 0:
            return []
        fits = (scores[best] / scores[best[0]]).tolist()
        messages = self._view.messages(outline.rows[best])
        return [self._start(each, fit, clause, last) for each, fit in zip(messages, fits, strict=True)]

    def _named_in(self, clause: Clause, outline: Outline) -> Values:
        """What messages gain by the people, days and quotes that a description names."""
        weights, known, rows = self._weights, self._known, outline.rows
        found = np.zeros(len(rows))
        if clause.people:
            wrote = weights.pair_wrote * known.written_by(outline, clause.people)
            found += weights.pair_named * np.maximum(known.speaks_of(outline, clause.people), wrote)
        if clause.days:
            found += weights.pair_day * np.isin(
                rows, union(self._view.occurrences("context", day) for day in clause.days)
            )
        for quote in quotes_in(clause.meaning):
            found += weights.pair_quoted * np.isin(rows, self._holding(content_terms(quote)))
        return found

    def _holding(self, terms: Sequence[str]) -> Rows:
        """The messages that have all of these terms."""
        several = [self._view.occurrences("content", term) for term in terms]
        empty: Rows = np.empty(0, dtype=np.int64)
        return reduce(np.intersect1d, several) if several else empty

    def _start(self, stored: StoredMessage, fit: float, described: Clause, last: Clause) -> Start:
        bridge = bridge_of(self._words.rarity(described.terms), stored)
        adds = self._words.leading(bridge.terms - described.terms.keys())
        takes_up, full = None, 0.0
        if adds:
            rarity = self._words.rarity(adds)
            takes_up = self._view.lexical("content", {term: rarity[term] / self._words.rarest for term in adds})
            full = float(takes_up.at(np.array([stored.row], dtype=np.int64))[0])
        return Start(
            row=stored.row,
            fit=fit,
            sure=self._sure(described, stored),
            people=bridge.people,
            takes_up=takes_up,
            full=full,
            rows=self._continued(adds, bridge, last),
        )

    def _continued(self, adds: Sequence[str], bridge: Bridge, last: Clause) -> Rows:
        """The messages that have most of what a bridge adds and of what is asked."""
        left = {term: weight * self._weights.linked_left for term, weight in last.terms.items()}
        terms = self._words.names(bridge.people | self._me) | left | dict.fromkeys(adds, 1.0)
        if not terms:
            return np.empty(0, dtype=np.int64)
        return self._view.lexical("content", terms).top(self._weights.candidates // 4)[0]

    def _sure(self, described: Clause, stored: StoredMessage) -> float:
        """How much of a description a message has: of its words by their rarity, its people and its days. One that says
        next to nothing ("who filed it") makes nobody sure."""
        held = frozenset(content_terms(stored.message.text[:READ]))
        rarity = self._words.rarity(own_terms(described))
        has, all_of_it = sum(value for term, value in rarity.items() if term in held), sum(rarity.values())
        if described.people:
            all_of_it += _PERSON
            has += _PERSON * (not described.people.isdisjoint(_people_of(stored)))
        if described.days:
            all_of_it += _DAY
            has += _DAY * (not frozenset(described.days).isdisjoint(_days_of(stored)))
        return has / max(all_of_it, self._weights.pair_least * self._words.rarest)


def own_terms(clause: Clause) -> list[str]:
    """The words that stand in a clause itself, without those that others say for them."""
    return [term for term in clause.terms if term not in clause.others]


def _people_of(stored: StoredMessage) -> set[str | None]:
    """Who wrote a message, and whom it names other than to call them."""
    return {stored.message.author, *(each.person for each in stored.notes.mentions if not each.addressed)}


def _days_of(stored: StoredMessage) -> set[str]:
    """The days that a message names, and that on which it was sent."""
    days = set(map(day_term, stored.notes.dates))
    if stored.message.sent_at is not None:
        days.add(f"@{stored.message.sent_at:%Y-%m-%d}")
    return days
