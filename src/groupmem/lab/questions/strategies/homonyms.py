"""Twins by a word of two meanings: the same question, and for each asker the answer about what that asker means.

The word stands for a thing whose name holds the concept, in a place, and where that is not enough with a fact about the
thing, that for each meaning fits one thing only: "the coverage work for the Lisbon site that Mira looks after".
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Draft, Wording
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn
from groupmem.lab.questions.things import Scope, all_scopes, scopes_beside_a_clause


class Meanings(NamedTuple):
    """A word that people of different roles use for different concepts."""

    word: str
    first: str
    second: str


class Place(NamedTuple):
    """A description that fits one thing of a concept: in a scope, with a fact of a kind and value ("" for none)."""

    scope: Scope
    kind: str = ""
    value: str = ""


def double_meanings(library: Library) -> list[Meanings]:
    """The words that two roles use as their own for different concepts."""
    concepts = {concept for fact in library.truth.facts for concept in fact.concepts}
    roles = {person.role for person in library.truth.people.values() if person.role}
    own: dict[str, set[str]] = defaultdict(set)
    for role, concept in product(sorted(roles), sorted(concepts)):
        for word in library.words.used(role, concept):
            if library.words.meaning(role, word) == concept:
                own[word].add(concept)
    return [Meanings(word, *pair) for word in sorted(own) for pair in combinations(sorted(own[word]), 2)]


class Side(NamedTuple):
    """One of the two things: what is asked of it, and the fact that describes it (None where its place does)."""

    fact: Fact
    lead: Fact | None = None


class Homonyms:
    """Finds pairs of facts that one wording asks for."""

    def __init__(self, category: Category, library: Library, worded: Sequence[Fact]) -> None:
        self._category = category
        self._library = library
        self._meanings = double_meanings(library)
        self._placed: dict[str, dict[Place, Fact]] = defaultdict(dict)
        self._led: dict[str, dict[Place, Fact]] = defaultdict(dict)
        for fact in worded:
            self._describe(fact, fact.concepts[0])

    def _describe(self, fact: Fact, concept: str) -> None:
        things = self._library.things
        for scope in all_scopes(fact):
            if things.worded(concept, fact.kind, scope) == 1:
                self._placed[concept][Place(scope, fact.kind)] = fact
        for scope in scopes_beside_a_clause(fact) if fact.kind in clauses.THAT else ():
            if things.worded_and_told(concept, fact, scope) == 1:
                self._led[concept][Place(scope, fact.kind, fact.value.casefold())] = fact

    def ladders(self, rng: random.Random) -> Iterator[Ladder]:
        """Words in turn, so that no word has all of the questions."""
        words = rng.sample(self._meanings, len(self._meanings))
        yield from in_turn([self._of_word(meanings, rng) for meanings in words])

    def _of_word(self, meanings: Meanings, rng: random.Random) -> Iterator[Ladder | None]:
        """A pair of things is asked for under each description that both have, the fullest first."""
        pairs: dict[tuple[str, str], list[tuple[Scope, Side, Side]]] = defaultdict(list)
        for scope, first, second in (*self._by_place(meanings), *self._by_lead(meanings)):
            pairs[first.fact.id, second.fact.id].append((scope, first, second))
        for pair in rng.sample(list(pairs), len(pairs)):
            described = sorted(pairs[pair], key=lambda one: (one[1].lead is None, one[0].fullness), reverse=True)
            yield self._ladder(meanings.word, described, rng)

    def _by_place(self, meanings: Meanings) -> Iterator[tuple[Scope, Side, Side]]:
        first, second = self._placed[meanings.first], self._placed[meanings.second]
        for place in first:
            if place in second and first[place].value != second[place].value:
                yield place.scope, Side(first[place]), Side(second[place])

    def _by_lead(self, meanings: Meanings) -> Iterator[tuple[Scope, Side, Side]]:
        first, second = self._led[meanings.first], self._led[meanings.second]
        for place in first:
            if place in second:
                for mine, theirs in self._same_kind(first[place], second[place]):
                    yield place.scope, Side(mine, first[place]), Side(theirs, second[place])

    def _same_kind(self, first: Fact, second: Fact) -> Iterator[tuple[Fact, Fact]]:
        """Facts of one kind and of two values about the two things that are led to."""
        mine, theirs = ({fact.kind: fact for fact in self._library.truth.of_subject(lead)} for lead in (first, second))
        can_describe = self._library.referents.can_describe
        for kind in clauses.WORK_KINDS:
            if kind not in mine or kind not in theirs or mine[kind].value == theirs[kind].value:
                continue
            if can_describe(first, mine[kind]) and can_describe(second, theirs[kind]):
                yield mine[kind], theirs[kind]

    def _ladder(self, word: str, described: Sequence[tuple[Scope, Side, Side]], rng: random.Random) -> Ladder | None:
        """The plain wording, each side by the name of its own thing, and those that both share."""
        facts = tuple(side.fact for side in described[0][1:])
        askers = [who_means(self._library, fact, word) for fact in facts]
        if not all(askers):
            return None
        chosen = [rng.choice(found) for found in askers]
        pattern = rng.choice(clauses.ASK[facts[0].kind])
        rungs: list[Wording | None] = [
            tuple(self._library.plainest(self._category, *pair, pattern) for pair in zip(facts, chosen, strict=True))
        ]
        rungs += [self._shared(word, scope, sides, chosen, pattern, rng) for scope, *sides in described]
        ladder = Ladder(anchor="/".join(fact.id for fact in facts), category=self._category, rungs=distinct(rungs))
        return ladder if len(ladder.rungs) > 1 else None

    def _shared(
        self, word: str, scope: Scope, sides: Sequence[Side], askers: Sequence[str], pattern: str, rng: random.Random
    ) -> Wording | None:
        """The same words for both sides; None where an asker may not read the lead, or is named in it."""
        lead = sides[0].lead
        clause = f" {self._library.referents.clause(lead, rng)}" if lead else ""
        x = f"the {clauses.about(word, rng.choice(clauses.ABOUT_WORD))}{scope.words}{clause}"
        drafts: list[Draft] = []
        for side, asker in zip(sides, askers, strict=True):
            link = self._library.evidence.link(side.lead) if side.lead else None
            referent = Referent(
                x=x,
                links=(link,) if link else (),
                lead=scope.lead,
                people=(lead.value,) if lead and lead.kind in clauses.WHO else (),
                moves=("double meaning", "described") if lead else ("double meaning",),
            )
            if not self._library.suits(asker, referent):
                return None
            drafts.append(self._library.draft(self._category, side.fact, asker, referent, pattern.format(x=x)))
        return tuple(drafts)


def who_means(library: Library, fact: Fact, word: str) -> list[str]:
    """People who mean the fact's concept by the word, and may read of it in another's words."""
    return [
        person
        for person in sorted(library.truth.people)
        if library.words.meaning(library.truth.role(person), word) == fact.concepts[0]
        and is_foreign(library, fact, word, person)
    ]


def is_foreign(library: Library, fact: Fact, word: str, asker: str) -> bool:
    """Whether the evidence is somebody else's, may be read, does not have the word, and does not answer with the
    asker."""
    need = library.evidence.need(fact)
    if need is None or fact.value == asker or not library.truth.may_read(asker, [need.message]):
        return False
    message = library.truth.messages[need.message]
    return message.author != asker and word.casefold() not in message.text.casefold()
