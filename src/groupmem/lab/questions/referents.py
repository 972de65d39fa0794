"""How a question can name a thing without its name, and still mean exactly one.

A thing is told apart by facts about it: "the task for the Lisbon site that Mira looks after". A description is used
only where no other thing of the whole corpus fits it, whoever may read of it, so that a question is unambiguous for
anybody.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

from groupmem.lab.questions import clauses
from groupmem.lab.questions.evidence import Evidence
from groupmem.lab.questions.facts import Fact, Truth
from groupmem.lab.questions.records import Need
from groupmem.lab.questions.things import Neighbours, Things
from groupmem.lab.questions.vocabulary import Vocabulary
from groupmem.types import Record

MOST_DESCRIBING = 8
"""Facts about one thing that are tried for its description; more would only make the search long."""


class Referent(Record, frozen=True, kw_only=True):
    """A noun phrase for a thing or a person, with the messages that one must find to know what it means. `lead` is what
    goes before the question, `people` are those whom the words name: none of them would ask like this."""

    x: str
    links: tuple[Need, ...] = ()
    lead: str = ""
    people: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()


class Referents:
    """Names and descriptions for the things in one corpus."""

    def __init__(self, truth: Truth, evidence: Evidence, words: Vocabulary, things: Things) -> None:
        self._truth = truth
        self._evidence = evidence
        self._words = words
        self._things = things
        self._neighbours = Neighbours(truth, things)

    def in_phase(self, fact: Fact) -> Referent:
        """By its full name and place: the plainest wording."""
        return Referent(x=clauses.the(fact.subject), lead=clauses.in_phase(fact.phase))

    def named(self, fact: Fact, role: str | None) -> Referent | None:
        """By its full name, in the words of a role; None where another thing has the same name."""
        if not self._things.alone(fact):
            return None
        subject = self._words.reword(fact.subject, fact, role)
        moves = ("no phase",) if subject == fact.subject else ("no phase", "role word")
        return Referent(x=clauses.the(subject), moves=moves)

    def by_head(self, fact: Fact, role: str | None) -> Referent | None:
        """Without what it is for, where nothing else of its project is called so."""
        if not fact.tail or not self._things.head_alone(fact):
            return None
        head = self._words.reword(fact.head, fact, role)
        return Referent(x=f"{clauses.the(head)} in {fact.project}", moves=("no phase", "shortened"))

    def by_facts(self, target: Fact, count: int, rng: random.Random) -> Referent | None:
        """By `count` other facts about it, told elsewhere than the target and without giving its value away."""
        usable = [fact for fact in self._truth.of_subject(target) if self.can_lead(fact, target)]
        rng.shuffle(usable)
        for chosen in combinations(usable[:MOST_DESCRIBING], count):
            if len({fact.kind for fact in chosen}) == count:
                referent = self._described(chosen, rng)
                if referent is not None:
                    return referent
        return None

    def by_neighbour(self, target: Fact, role: str | None, rng: random.Random) -> Referent | None:
        """Through another thing for the same customer or group, itself singled out by a fact: "Mira looks after the
        runbook. When must the pilot report for the same recipient be done?"."""
        if not target.tail or not self._things.alone(target):
            return None
        neighbours = [fact for fact in self._neighbours.beside(target) if self.can_lead(fact, target)]
        rng.shuffle(neighbours)
        for pivot in neighbours[:MOST_DESCRIBING]:
            link = self._evidence.link(pivot)
            if link is not None and self._things.tails_fitting(pivot) == {target.tail}:
                head = self._words.reword(target.head, target, role)
                says = rng.choice(clauses.SAYS[pivot.kind]).format(x=clauses.the(pivot.head), v=self._shown(pivot))
                return Referent(
                    x=f"{clauses.the(head)} {clauses.same_tail(target.tail)}",
                    links=(link,),
                    lead=f"{says}. ",
                    people=_named((pivot,)),
                    moves=("no phase", "through a neighbour"),
                )
        return None

    def person(self, person: str, avoid: Iterable[str], rng: random.Random) -> Referent | None:
        """Somebody through one thing that they look after or approved, and nobody else."""
        avoided = set(avoid)
        known = self._neighbours.naming(person)
        for fact in rng.sample(known, min(len(known), MOST_DESCRIBING)):
            link = self._evidence.link(fact)
            if link is not None and link.message not in avoided:
                who = rng.choice(clauses.WHO[fact.kind]).format(x=clauses.the(fact.subject))
                return Referent(x=who, links=(link,), moves=("through a person",))
        return None

    def through_view(self, targets: Sequence[Fact], rng: random.Random) -> Referent | None:
        """What held facts are about, through what somebody else, who holds none of them, said on it. The referent
        is the whole question."""
        target, askers = targets[0], [fact.holder for fact in targets]
        values = [fact.value for fact in targets]
        others = [
            fact
            for fact in self._truth.held
            if (fact.matter, fact.kind) == (target.matter, target.kind)
            and fact.holder not in askers
            and clauses.is_noun_phrase(fact.value_text)
        ]
        rng.shuffle(others)
        for other in others[:MOST_DESCRIBING]:
            link = self._evidence.link(other)
            if link is not None and self._things.one_matter(other) and other.value not in values:
                pattern = rng.choice(clauses.MINE_AND_ANOTHERS[other.kind])
                name, noun = self._truth.name(other.holder or ""), clauses.bare(other.subject)
                return Referent(
                    x=pattern.format(n=name, v=other.value_text, h=noun),
                    links=(link,),
                    moves=("no phase", "through another's view"),
                )
        return None

    def can_lead(self, fact: Fact, target: Fact) -> bool:
        """Whether a fact can be the pivot to the target: another fact, told by somebody else, in a message that does
        not give the target's value."""
        link, need = self._evidence.link(fact), self._evidence.need(target)
        if link is None or need is None or not self.can_describe(fact, target) or link.message in need.any_of:
            return False
        messages = self._truth.messages
        return messages[link.message].author != messages[need.message].author

    def can_describe(self, fact: Fact, target: Fact) -> bool:
        """Whether a fact can stand in a question about the target: another kind of fact, that one message tells, which
        is that of the target or does not give the target's value."""
        if fact.kind not in clauses.THAT or fact.kind == target.kind:
            return False
        link, need = self._evidence.link(fact), self._evidence.need(target)
        if link is None or need is None or need.value is None:
            return False
        message = self._truth.messages[link.message]
        return link.message in need.any_of or not self._evidence.finder.holds(message, need.value)

    def clause(self, fact: Fact, rng: random.Random) -> str:
        """The relative clause that a fact makes of its value."""
        return rng.choice(clauses.THAT[fact.kind]).format(v=self._shown(fact))

    def _described(self, chosen: Sequence[Fact], rng: random.Random) -> Referent | None:
        scope = self._things.least_scope(chosen)
        links = [link for fact in chosen if (link := self._evidence.link(fact)) is not None]
        if scope is None or len({link.message for link in links}) < len(chosen):
            return None
        clause = " and ".join(self.clause(fact, rng) for fact in chosen)
        return Referent(
            x=f"{rng.choice(clauses.NOUNS)}{scope.words} {clause}",
            links=tuple(links),
            people=_named(chosen),
            moves=("no phase", *("described" for _ in chosen)),
        )

    def _shown(self, fact: Fact) -> str:
        return clauses.shown(fact, self._first_name(fact.value) if fact.kind in clauses.WHO else None)

    def _first_name(self, person: str) -> str:
        known = self._truth.people.get(person)
        return known.aliases[0] if known is not None and known.aliases else self._truth.name(person)


def _named(facts: Iterable[Fact]) -> tuple[str, ...]:
    return tuple(fact.value for fact in facts if fact.kind in clauses.WHO)
