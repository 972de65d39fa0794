"""What a strategy is: it knows one type of question, and gives ladders of wordings, the plainest first."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from groupmem.lab.questions import clauses
from groupmem.lab.questions.evidence import Evidence
from groupmem.lab.questions.facts import Fact, Truth
from groupmem.lab.questions.records import Category, Draft, Need, Wording
from groupmem.lab.questions.referents import Referent, Referents
from groupmem.lab.questions.vocabulary import Vocabulary
from groupmem.types import Record


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
    referents: Referents

    @classmethod
    def of(cls, truth: Truth) -> Library:
        evidence, words = Evidence(truth), Vocabulary(truth)
        return cls(truth, evidence, words, Referents(truth, evidence, words))

    def asker(self, fact: Fact, needs: Sequence[Need], rng: random.Random) -> str | None:
        """Somebody of the channel who may read all that the answer rests on and did not write the answer."""
        messages = [need.message for need in needs]
        author = self.truth.messages[messages[-1]].author if messages else None
        fitting = [
            person
            for person in self.truth.askers_of.get(fact.channel, ())
            if person != author and self.truth.may_read(person, messages)
        ]
        return rng.choice(fitting[:6]) if fitting else None

    def draft(self, category: Category, fact: Fact, asker: str, referent: Referent, question: str) -> Draft:
        """The question about the fact whose subject the referent stands for."""
        need = self.evidence.need(fact)
        if need is None:
            raise ValueError(f"{fact.id} is not told by a single message, so there is nothing to ask")
        return Draft(
            category=category,
            text=clauses.compose(referent.lead, question),
            answer=fact.value_text,
            asker=asker,
            gold=need.value,
            needs=(*referent.links, need),
            moves=referent.moves,
            hops=len(referent.links) + 1,
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
