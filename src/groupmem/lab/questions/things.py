"""Which things of a corpus a description fits: counted over all facts, whoever may read of them.

A thing is a subject in a phase of a project. Strategies describe it only where the count is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact, Truth
from groupmem.lab.questions.vocabulary import Vocabulary


class Thing(NamedTuple):
    """What facts are about."""

    project: str
    phase: str
    subject: str

    @property
    def head(self) -> str:
        return self.subject.rpartition(" for ")[0] or self.subject

    @property
    def tail(self) -> str:
        return self.subject.rpartition(" for ")[2] if " for " in self.subject else ""


class Scope(NamedTuple):
    """What narrows a description: a project, what the thing is for, a phase; an empty part says nothing."""

    project: str = ""
    tail: str = ""
    phase: str = ""

    def holds(self, thing: Thing) -> bool:
        wanted = ((self.project, thing.project), (self.tail, thing.tail), (self.phase, thing.phase))
        return all(not part or part == of_thing for part, of_thing in wanted)

    @property
    def words(self) -> str:
        """What is put behind a noun."""
        return (f" for {self.tail}" if self.tail else "") + (f" in {self.project}" if self.project else "")

    @property
    def fullness(self) -> int:
        """How much it tells."""
        return sum(map(bool, self))

    @property
    def lead(self) -> str:
        """What is put before the question."""
        return clauses.in_phase(self.phase) if self.phase else ""


def scopes(fact: Fact) -> tuple[Scope, ...]:
    """The scopes without a phase that a fact's thing lies in, the shortest description first."""
    found = (Scope(), Scope(project=fact.project), Scope(tail=fact.tail), Scope(project=fact.project, tail=fact.tail))
    return tuple(dict.fromkeys(found))


def all_scopes(fact: Fact) -> tuple[Scope, ...]:
    """Those with a phase too."""
    found = (*scopes(fact), Scope(phase=fact.phase), Scope(tail=fact.tail, phase=fact.phase))
    return tuple(dict.fromkeys(found))


def scopes_beside_a_clause(fact: Fact) -> tuple[Scope, ...]:
    """Those that leave room for a relative clause: "the work for A in B that C approved" is one addition too many."""
    return tuple(scope for scope in all_scopes(fact) if not (scope.tail and scope.project))


def thing_of(fact: Fact) -> Thing:
    return Thing(fact.project, fact.phase, fact.subject)


class Things:
    """Lookups over the things of one corpus."""

    def __init__(self, truth: Truth, words: Vocabulary) -> None:
        self._told: dict[tuple[str, str], set[Thing]] = defaultdict(set)
        self._heads: dict[tuple[str, str, str], set[Thing]] = defaultdict(set)
        self._names: dict[tuple[str, str], set[Thing]] = defaultdict(set)
        self._works: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        self._concepts: dict[tuple[str, str], set[Thing]] = defaultdict(set)
        self._named_by: dict[str, set[Thing]] = defaultdict(set)
        self._owned: dict[str, set[Thing]] = defaultdict(set)
        self._views: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._held: dict[tuple[str, str], set[str]] = defaultdict(set)
        for fact in truth.facts:
            self._learn(fact, in_subject=words.in_subject(fact))

    def _learn(self, fact: Fact, *, in_subject: bool) -> None:
        thing = thing_of(fact)
        self._told[fact.kind, fact.value.casefold()].add(thing)
        self._heads[fact.kind, fact.project, fact.head].add(thing)
        self._names[fact.kind, fact.subject.casefold()].add(thing)
        if fact.kind == "owner":
            self._works[fact.value, fact.project, fact.tail].add(fact.subject)
            self._owned[fact.value].add(thing)
        if in_subject:
            self._concepts[fact.concepts[0], fact.kind].add(thing)
            self._named_by[fact.concepts[0]].add(thing)
        if fact.holder:
            self._views[fact.holder, fact.subject.casefold()].add(fact.value)
            self._held[fact.holder, fact.value_text.casefold()].add(fact.subject)

    def is_told(self, kind: str, subject: str) -> bool:
        """Whether the corpus tells anything of the kind about a thing of this name."""
        return (kind, subject.casefold()) in self._names

    def alone(self, fact: Fact) -> bool:
        """Whether nothing else of the corpus with a fact of this kind has the same name."""
        return len(self._names[fact.kind, fact.subject.casefold()]) == 1

    def head_alone(self, fact: Fact) -> bool:
        """Whether nothing else of its project with a fact of this kind is called so, whatever it is for."""
        return len(self._heads[fact.kind, fact.project, fact.head]) == 1

    def only_work(self, owned: Fact) -> bool:
        """Whether its owner looks after nothing else for the same customer or group in the project."""
        return len(self._works[owned.value, owned.project, owned.tail]) == 1

    def one_view(self, fact: Fact) -> bool:
        """Whether its holder holds one thing only under the name of the fact's subject."""
        return len(self._views[fact.holder or "", fact.subject.casefold()]) == 1

    def one_matter(self, fact: Fact) -> bool:
        """Whether its holder says the same of nothing else."""
        return self._held[fact.holder or "", fact.value_text.casefold()] == {fact.subject}

    def worded(self, concept: str, kind: str, scope: Scope) -> int:
        """Things whose name holds the concept, with a fact of the kind."""
        return _count(self._concepts[concept, kind], scope)

    def worded_and_told(self, concept: str, lead: Fact, scope: Scope) -> int:
        """Things whose name holds the concept, of which the same is told as by the lead."""
        return _count(self._named_by[concept] & self._told[lead.kind, lead.value.casefold()], scope)

    def worded_and_owned(self, concept: str, owner: str, scope: Scope, lead: Fact | None = None) -> int:
        """Things whose name holds the concept, which the owner looks after; with a lead, those of which the same is
        told."""
        fitting = self._named_by[concept] & self._owned[owner]
        if lead is not None:
            fitting &= self._told[lead.kind, lead.value.casefold()]
        return _count(fitting, scope)

    def least_scope(self, chosen: Sequence[Fact]) -> Scope | None:
        """The shortest addition under which exactly one thing fits all of the facts; None where none is enough."""
        fitting = set.intersection(*(self._told[fact.kind, fact.value.casefold()] for fact in chosen))
        return next((scope for scope in scopes(chosen[0]) if _count(fitting, scope) == 1), None)

    def tails_fitting(self, pivot: Fact) -> set[str]:
        """What the things that have the pivot's head and of which the same is told are for."""
        told = self._told[pivot.kind, pivot.value.casefold()]
        return {thing.tail for thing in told if thing.head == pivot.head}


class Neighbours:
    """Settled facts by place, and by the person that they name."""

    def __init__(self, truth: Truth, things: Things) -> None:
        self._by_tail: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        self._by_person: dict[str, list[Fact]] = defaultdict(list)
        for fact in truth.settled:
            self._by_tail[fact.project, fact.tail].append(fact)
            if fact.kind in clauses.WHO and things.alone(fact):
                self._by_person[fact.value].append(fact)

    def beside(self, target: Fact) -> Iterator[Fact]:
        """What is told of other things for the same customer or group."""
        for fact in self._by_tail[target.project, target.tail]:
            if fact.subject != target.subject and fact.kind in clauses.THAT:
                yield fact

    def naming(self, person: str) -> Sequence[Fact]:
        """Facts whose value is the person."""
        return self._by_person[person]


def _count(things: Iterable[Thing] | Set[Thing], scope: Scope) -> int:
    return sum(map(scope.holds, things))
