"""User-implicit: the first person stands for the asker, and another asker of the same words gets another answer.

What people prefer, believe and stand up for, and the work that is theirs. Refining drops the phase and names the matter
by what somebody else said on it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Draft, Wording
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn, twins_first

MINE_OF_VIEWS: Mapping[str, tuple[str, ...]] = {
    "preference": clauses.I_WANT,
    "belief": clauses.I_BELIEVE,
}


class UserImplicit:
    """See the module."""

    category: Category = "user_implicit"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        ways = (self._views(library, rng), self._stands(library, rng), self._own_work(library, rng))
        yield from twins_first(in_turn(ways))

    def _views(self, library: Library, rng: random.Random) -> Iterator[Ladder | None]:
        """What people want and believe, in pairs of people who differ."""
        matters: dict[str, list[Fact]] = defaultdict(list)
        for fact in library.told(library.truth.held, rng):
            if fact.kind in MINE_OF_VIEWS and library.things.one_view(fact) and clauses.is_noun_phrase(fact.subject):
                matters[fact.matter].append(fact)
        pairs = [pair for facts in matters.values() for pair in _pairs(facts)]
        rng.shuffle(pairs)
        for pair in pairs:
            pattern = rng.choice(MINE_OF_VIEWS[pair[0].kind])
            yield self._ladder(library, pair, pattern, rng)

    def _stands(self, library: Library, rng: random.Random) -> Iterator[Ladder | None]:
        """What people spoke up for in an argument."""
        for fact in library.told(library.truth.held, rng):
            if fact.kind == "decision" and library.things.one_view(fact):
                yield self._ladder(library, (fact,), rng.choice(clauses.I_STAND_FOR), rng)

    def _ladder(self, library: Library, facts: Sequence[Fact], pattern: str, rng: random.Random) -> Ladder:
        subject = clauses.the(facts[0].subject)
        named = Referent(x=subject, moves=("no phase",))
        worded = [(pattern, named)]
        if facts[0].kind != "preference":  # what people like belongs to no phase
            plainest = msgspec.structs.replace(named, lead=clauses.in_phase(facts[0].phase), moves=())
            worded.insert(0, (pattern, plainest))
        through = library.referents.through_view(facts, rng)
        if through is not None:
            worded.append(("{y}", through))
        rungs = [self._wording(library, facts, words, referent) for words, referent in worded]
        anchor = "/".join(fact.id for fact in facts)
        return Ladder(anchor=anchor, category=self.category, rungs=distinct([rung for rung in rungs if rung]))

    def _wording(self, library: Library, facts: Sequence[Fact], pattern: str, referent: Referent) -> Wording | None:
        drafts: list[Draft] = []
        for fact in facts:
            asker = fact.holder or ""
            need = library.evidence.need(fact)
            if need is None or not library.truth.may_read(asker, [need.message, *(n.message for n in referent.links)]):
                return None
            drafts.append(library.draft(self.category, fact, asker, referent, pattern.format(y=referent.x)))
        return tuple(drafts)

    def _own_work(self, library: Library, rng: random.Random) -> Iterator[Ladder | None]:
        """What is told of a piece of work, asked by the one who looks after it, as "my work for ..."."""
        groups: dict[tuple[str, str, str], list[tuple[Fact, Fact]]] = defaultdict(list)
        for owned in library.told([fact for fact in library.truth.settled if fact.kind == "owner" and fact.tail], rng):
            if library.things.only_work(owned):
                for fact in library.truth.of_subject(owned):
                    told = library.evidence.need(fact) is not None and fact.value != owned.value
                    if fact.kind in clauses.MINE and told:
                        groups[fact.kind, fact.project, fact.tail].append((owned, fact))
        for group in rng.sample(list(groups.values()), len(groups)):
            yield self._mine(library, group, rng)

    def _mine(self, library: Library, group: Sequence[tuple[Fact, Fact]], rng: random.Random) -> Ladder | None:
        chosen = _two_answers(group)
        fact = chosen[0][1]
        pattern = rng.choice(clauses.MINE[fact.kind])
        rungs: list[Wording] = []
        phases = {about.phase for _, about in chosen}
        question = pattern.format(x=f"my work for {fact.tail} in {fact.project}")
        plainest = clauses.compose(clauses.in_phase(fact.phase), question)
        for text, moves in ((plainest, ()), (question, ("no phase",)))[len(phases) - 1 :]:
            drafts = [self._own_draft(library, owned, about, text, moves) for owned, about in chosen]
            rungs.append(tuple(draft for draft in drafts if draft is not None))
        anchor = "/".join(about.id for _, about in chosen)
        full = [rung for rung in rungs if len(rung) == len(chosen)]
        return Ladder(anchor=anchor, category=self.category, rungs=distinct(full)) if full else None

    def _own_draft(
        self, library: Library, owned: Fact, fact: Fact, question: str, moves: tuple[str, ...]
    ) -> Draft | None:
        link, need = library.evidence.link(owned), library.evidence.need(fact)
        if link is None or need is None or not library.truth.may_read(owned.value, [link.message, need.message]):
            return None
        return library.draft(self.category, fact, owned.value, Referent(x="", links=(link,), moves=moves), question)


def _pairs(facts: Sequence[Fact]) -> Iterator[tuple[Fact, ...]]:
    """Facts about one matter in pairs of two holders and two values; what is left over stands alone."""
    left = list(facts)
    while left:
        first = left.pop(0)
        other = next((fact for fact in left if fact.value != first.value and fact.holder != first.holder), None)
        if other is not None:
            left.remove(other)
        yield (first,) if other is None else (first, other)


def _two_answers(group: Sequence[tuple[Fact, Fact]]) -> tuple[tuple[Fact, Fact], ...]:
    """The first of a group and one of another owner with another answer, where there is one."""
    first = group[0]
    for owned, fact in group[1:]:
        if owned.value != first[0].value and fact.value != first[1].value:
            return first, (owned, fact)
    return (first,)
