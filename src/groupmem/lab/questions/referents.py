"""How a question can name a thing without its name, and still mean exactly one.

A thing is told apart by facts about it: "the task for the Lisbon site that Mira looks after". A description is used
only where no other thing of the whole corpus fits it, whoever may read of it, so that a question is unambiguous for
anybody.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from groupmem.lab.questions import clauses
from groupmem.lab.questions.evidence import Evidence
from groupmem.lab.questions.facts import Fact, Truth
from groupmem.lab.questions.records import Need
from groupmem.lab.questions.vocabulary import Vocabulary
from groupmem.types import Record

Subject = tuple[str, str, str]
"""Project, phase and subject."""
Scope = tuple[str, str]
"""Project and what a thing is for; an empty part says nothing."""
MOST_DESCRIBING = 8
"""Facts about one thing that are tried for its description; more would only make the search long."""


class Referent(Record, frozen=True, kw_only=True):
    """A noun phrase for a thing or a person, with the messages that one must find to know what it means. `lead` is what
    goes before the question."""

    x: str
    links: tuple[Need, ...] = ()
    lead: str = ""
    moves: tuple[str, ...] = ()


class Referents:
    """Names and descriptions for the things in one corpus."""

    def __init__(self, truth: Truth, evidence: Evidence, words: Vocabulary) -> None:
        self._truth = truth
        self._evidence = evidence
        self._words = words
        self._told: dict[tuple[str, str], set[Subject]] = defaultdict(set)
        self._heads: dict[tuple[str, str, str], set[Subject]] = defaultdict(set)
        self._names: dict[tuple[str, str], set[Subject]] = defaultdict(set)
        self._held: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._works: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._concepts: dict[tuple[str, str], set[Subject]] = defaultdict(set)
        self._named_by: dict[str, set[Subject]] = defaultdict(set)
        self._owned: dict[tuple[str, str], set[Subject]] = defaultdict(set)
        for fact in truth.facts:
            if words.in_subject(fact):
                subject = (fact.project, fact.phase, fact.subject)
                self._concepts[fact.concepts[0], fact.kind].add(subject)
                self._named_by[fact.concepts[0]].add(subject)
                if fact.kind == "owner":
                    self._owned[fact.value, fact.concepts[0]].add(subject)
            if fact.kind == "owner":
                self._works[fact.value, fact.project, fact.tail].add(fact.subject)
            key = (fact.project, fact.phase, fact.subject)
            self._names[fact.kind, fact.subject.casefold()].add(key)
            self._told[fact.kind, fact.value.casefold()].add(key)
            self._heads[fact.kind, fact.project, fact.head].add(key)
            if fact.holder:
                self._held[fact.holder, fact.value_text.casefold()].add(fact.subject)
        self._views: dict[tuple[str, str], set[str]] = defaultdict(set)
        for fact in truth.held:
            self._views[fact.holder or "", fact.subject.casefold()].add(fact.value)
        self._by_tail: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        self._by_person: dict[str, list[Fact]] = defaultdict(list)
        for fact in truth.settled:
            self._by_tail[fact.project, fact.tail].append(fact)
            if fact.kind in clauses.WHO and self.alone(fact):
                self._by_person[fact.value].append(fact)

    def in_phase(self, fact: Fact) -> Referent:
        """By its full name and place: the plainest wording."""
        return Referent(x=clauses.the(fact.subject), lead=clauses.in_phase("", fact.phase))

    def named(self, fact: Fact, role: str | None) -> Referent | None:
        """By its full name, in the words of a role; None where another thing has the same name."""
        if not self.alone(fact):
            return None
        subject = self._words.reword(fact.subject, fact, role)
        moves = ("no phase",) if subject == fact.subject else ("no phase", "role word")
        return Referent(x=clauses.the(subject), moves=moves)

    def by_head(self, fact: Fact, role: str | None) -> Referent | None:
        """Without what it is for, where nothing else of its project is called so."""
        if not fact.tail or len(self._heads[fact.kind, fact.project, fact.head]) > 1:
            return None
        head = self._words.reword(fact.head, fact, role)
        return Referent(x=f"{clauses.the(head)} in {fact.project}", moves=("no phase", "shortened"))

    def by_facts(self, target: Fact, count: int, rng: random.Random) -> Referent | None:
        """By `count` other facts about it, told elsewhere than the target and without giving its value away."""
        usable = [fact for fact in self._truth.of_subject(target) if self.can_lead(fact, target)]
        rng.shuffle(usable)
        for chosen in combinations(usable[:MOST_DESCRIBING], count):
            if len({fact.kind for fact in chosen}) == count:
                referent = self._described(target, chosen, rng)
                if referent is not None:
                    return referent
        return None

    def by_neighbour(self, target: Fact, role: str | None, rng: random.Random) -> Referent | None:
        """Through another thing for the same customer or group, itself singled out by a fact: "Take the runbook that
        Mira looks after. For the same customer, ..."."""
        if not target.tail or not self.alone(target):
            return None
        neighbours = [fact for fact in self._neighbours(target) if self.can_lead(fact, target)]
        rng.shuffle(neighbours)
        for pivot in neighbours[:MOST_DESCRIBING]:
            lead = f"{clauses.the(pivot.head)} {self.clause(pivot, rng)}"
            link = self._evidence.link(pivot)
            if link is not None and self._tails_fitting(pivot) == {target.tail}:
                area = "customer" if target.tail[:1].isupper() else "area"
                head = self._words.reword(target.head, target, role)
                opening = rng.choice(("Take", "Think of", "You know"))
                return Referent(
                    x=clauses.the(head),
                    links=(link,),
                    lead=f"{opening} {lead}. For the same {area}, ",
                    moves=("no phase", "through a neighbour"),
                )
        return None

    def person(self, person: str, avoid: Iterable[str], rng: random.Random) -> Referent | None:
        """Somebody through one thing that they look after or gave the go-ahead for, and nobody else."""
        avoided = set(avoid)
        known = self._by_person[person]
        for fact in rng.sample(known, min(len(known), MOST_DESCRIBING)):
            link = self._evidence.link(fact)
            if link is not None and link.message not in avoided:
                who = rng.choice(clauses.WHO[fact.kind]).format(x=clauses.the(fact.subject))
                return Referent(x=who, links=(link,), moves=("through a person",))
        return None

    def through_wish(self, targets: Sequence[Fact], rng: random.Random) -> Referent | None:
        """What held facts are about, through what somebody else, who holds none of them, said on it."""
        target, askers = targets[0], [fact.holder for fact in targets]
        values = [fact.value for fact in targets]
        others = [fact for fact in self._truth.held if fact.matter == target.matter and fact.holder not in askers]
        rng.shuffle(others)
        for other in others[:MOST_DESCRIBING]:
            link = self._evidence.link(other)
            alone = self._held[other.holder or "", other.value_text.casefold()] == {other.subject}
            if link is not None and alone and other.value not in values:
                name = self._truth.name(other.holder or "")
                verb = "wants" if other.kind == "preference" else "says"
                return Referent(
                    x=f'{name} {verb} "{other.value_text}"',
                    links=(link,),
                    moves=("no phase", "through another's view"),
                )
        return None

    def only_work(self, owned: Fact) -> bool:
        """Whether its owner looks after nothing else for the same customer or group in the project."""
        return len(self._works[owned.value, owned.project, owned.tail]) == 1

    def alone(self, fact: Fact) -> bool:
        """Whether nothing else of the corpus with a fact of this kind has the same name."""
        return len(self._names[fact.kind, fact.subject.casefold()]) == 1

    def is_told(self, kind: str, subject: str) -> bool:
        """Whether the corpus tells anything of the kind about a subject of this name."""
        return (kind, subject.casefold()) in self._names

    def count_of_concept(self, fact: Fact, scope: Scope) -> int:
        """Things whose name holds the fact's concept, with a fact of its kind."""
        return _count(self._concepts[fact.concepts[0], fact.kind], scope)

    def count_told(self, fact: Fact, scope: Scope) -> int:
        """Things whose name holds the fact's concept, with a fact of its kind and its value."""
        return _count(self._told[fact.kind, fact.value.casefold()] & self._named_by[fact.concepts[0]], scope)

    def count_owned(self, owned: Fact, scope: Scope) -> int:
        """Things whose name holds the fact's concept and which its owner looks after."""
        return _count(self._owned[owned.value, owned.concepts[0]], scope)

    def one_view(self, fact: Fact) -> bool:
        """Whether its holder holds one thing only under the name of the fact's subject."""
        return len(self._views[fact.holder or "", fact.subject.casefold()]) == 1

    def _described(self, target: Fact, chosen: Sequence[Fact], rng: random.Random) -> Referent | None:
        scope = self._least_scope(chosen)
        links = [self._evidence.link(fact) for fact in chosen]
        if scope is None or len({link.message for link in links if link}) < len(chosen):
            return None
        clause = " and ".join(self.clause(fact, rng) for fact in chosen)
        return Referent(
            x=f"{rng.choice(clauses.NOUNS)}{scope} {clause}",
            links=tuple(link for link in links if link is not None),
            moves=("no phase", *("described" for _ in chosen)),
        )

    def _least_scope(self, chosen: Sequence[Fact]) -> str | None:
        """The shortest addition under which exactly one thing fits all of the facts; None where none is enough."""
        fitting = set.intersection(*(self._told[fact.kind, fact.value.casefold()] for fact in chosen))
        first = chosen[0]
        for tail, project in ((False, False), (False, True), (True, False), (True, True)):
            left = [
                subject
                for subject in fitting
                if (not project or subject[0] == first.project)
                and (not tail or subject[2].rpartition(" for ")[2] == first.tail)
            ]
            if len(left) == 1 and (first.tail or not tail):
                return (f" for {first.tail}" if tail else "") + (f" in {first.project}" if project else "")
        return None

    def _tails_fitting(self, pivot: Fact) -> set[str]:
        return {
            subject[2].rpartition(" for ")[2]
            for subject in self._told[pivot.kind, pivot.value.casefold()]
            if subject[2].rpartition(" for ")[0] == pivot.head
        }

    def _neighbours(self, target: Fact) -> Iterator[Fact]:
        for fact in self._by_tail[target.project, target.tail]:
            if fact.subject != target.subject and fact.kind in clauses.THAT:
                yield fact

    def can_lead(self, fact: Fact, target: Fact) -> bool:
        """Whether a fact can stand for its subject in a question about the target: another fact, in a message that
        neither is the target's nor gives its value."""
        if fact.kind not in clauses.THAT or fact.kind == target.kind or fact.id == target.id:
            return False
        link, need = self._evidence.link(fact), self._evidence.need(target)
        if link is None or need is None or need.value is None or link.message in need.any_of:
            return False
        messages = self._truth.messages
        if self._evidence.finder.holds(messages[link.message], need.value):
            return False
        return messages[link.message].author != messages[need.message].author

    def clause(self, fact: Fact, rng: random.Random) -> str:
        """The relative clause that a fact makes of its value."""
        name = self._first_name(fact.value) if fact.kind in clauses.WHO else None
        return rng.choice(clauses.THAT[fact.kind]).format(v=clauses.shown(fact, name))

    def _first_name(self, person: str) -> str:
        known = self._truth.people.get(person)
        return known.aliases[0] if known is not None and known.aliases else self._truth.name(person)


def _count(subjects: Iterable[Subject], scope: Scope) -> int:
    project, tail = scope
    return sum(
        (not project or subject[0] == project) and (not tail or subject[2].rpartition(" for ")[2] == tail)
        for subject in subjects
    )
