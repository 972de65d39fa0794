"""What a strategy is: it knows one type of question, and gives ladders of wordings, the plainest first."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from groupmem.lab.questions import clauses
from groupmem.lab.questions.evidence import Evidence
from groupmem.lab.questions.facts import Fact, Truth
from groupmem.lab.questions.records import Category, Draft, Need, Wording
from groupmem.lab.questions.referents import Referent, Referents
from groupmem.lab.questions.things import Things
from groupmem.lab.questions.vocabulary import Vocabulary
from groupmem.types import Record

MOST_ASKERS = 6
"""Askers are drawn from the most active people of a channel."""


class Ladder(Record, frozen=True, kw_only=True):
    """The wordings of one anchor, from the plainest to the hardest. The first is what is called raw."""

    anchor: str
    category: Category
    rungs: tuple[Wording, ...]


class Library(NamedTuple):
    """All that strategies look things up in."""

    truth: Truth
    evidence: Evidence
    words: Vocabulary
    things: Things
    referents: Referents

    @classmethod
    def of(cls, truth: Truth) -> Library:
        evidence, words = Evidence(truth), Vocabulary(truth)
        things = Things(truth, words)
        return cls(truth, evidence, words, things, Referents(truth, evidence, words, things))

    def asker(self, fact: Fact, needs: Sequence[Need], rng: random.Random, not_among: Sequence[str] = ()) -> str | None:
        """Somebody of the channel to whom the question would be news: who may read all that the answer rests on, wrote
        none of it, is not the answer, and is not named in the question."""
        knowing = {*not_among, *(self.truth.messages[need.message].author for need in needs)}
        for need in needs:
            knowing.update(need.value.values if need.value is not None and need.value.kind == "person" else ())
        messages = [need.message for need in needs]
        fitting = [
            person
            for person in self.truth.askers_of.get(fact.channel, ())
            if person not in knowing and self.truth.may_read(person, messages)
        ]
        return rng.choice(fitting[:MOST_ASKERS]) if fitting else None

    def suits(self, asker: str, referent: Referent) -> bool:
        """Whether the asker may read what the referent rests on, and is not named in it."""
        return asker not in referent.people and self.truth.may_read(asker, [link.message for link in referent.links])

    def plainest(self, category: Category, fact: Fact, asker: str, pattern: str) -> Draft:
        """The question with nothing hidden: the thing by its full name, in its phase. No question of a type whose
        difficulty lies in how the thing is named."""
        referent = self.referents.in_phase(fact)
        draft = self.draft(category, fact, asker, referent, pattern.format(x=referent.x))
        return msgspec.structs.replace(draft, plain=True)

    def draft(self, category: Category, fact: Fact, asker: str, referent: Referent, question: str) -> Draft:
        """The question about the fact whose subject the referent stands for."""
        need = self.evidence.need(fact)
        if need is None:
            raise ValueError(f"{fact.id} is not told by a single message, so there is nothing to ask")
        needs = (*(link for link in referent.links if link.message not in need.any_of), need)
        return Draft(
            category=category,
            text=clauses.compose(referent.lead, question),
            answer=fact.value_text,
            asker=asker,
            gold=need.value,
            needs=needs,
            moves=referent.moves,
            hops=len(needs),
        )

    def told(self, facts: Sequence[Fact], rng: random.Random) -> list[Fact]:
        """Those of the facts that a single message proves, in an order of their own."""
        return [fact for fact in rng.sample(facts, len(facts)) if self.evidence.need(fact) is not None]


class Strategy(Protocol):
    """One type of question."""

    category: Category

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        """All anchors of the corpus in an order drawn with `rng`."""
        ...


def in_turn(ways: Iterable[Iterator[Ladder | None]]) -> Iterator[Ladder]:
    """The ladders of several ways to ask, one of each in turn until all have run out; an anchor is used once."""
    left = list(ways)
    used: set[str] = set()
    while left:
        for way in tuple(left):
            found = next((one for one in way if one is not None and one.rungs and one.anchor not in used), None)
            if found is None:
                left.remove(way)
            else:
                used.add(found.anchor)
                yield found


def twins_first(ladders: Iterable[Ladder]) -> Iterator[Ladder]:
    """Two ladders of twins for one of a single asker, as long as there are both: so that most questions have a twin."""
    listed = list(ladders)
    twins = [ladder for ladder in listed if len(ladder.rungs[0]) == 2]
    singles = [ladder for ladder in listed if len(ladder.rungs[0]) == 1]
    yield from in_turn((iter(twins[::2]), iter(twins[1::2]), iter(singles)))


def distinct(rungs: Sequence[Wording | None]) -> tuple[Wording, ...]:
    """The rungs that exist, each wording once."""
    found: dict[tuple[str, ...], Wording] = {}
    for rung in rungs:
        if rung:
            found.setdefault(tuple(draft.text for draft in rung), rung)
    return tuple(found.values())
