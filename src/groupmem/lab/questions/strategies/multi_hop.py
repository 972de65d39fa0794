"""Multi-hop: the answer stands in a message that names its subject, and another message says which subject is meant.

The question describes the subject by a fact that somebody else told elsewhere (the pivot), by something that goes to
the same customer, or names a person by what they look after. It starts from the subject's plain name; refining puts the
pivot in its place, drops the phase, and adds a pivot.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import msgspec

from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Wording
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn


class MultiHop:
    """See the module."""

    category: Category = "multi_hop"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        things = library.told(library.truth.settled, rng)
        views = library.told([fact for fact in library.truth.held if _is_view(fact)], rng)
        ways = (
            (self._described(library, fact, rng) for fact in things if fact.kind in clauses.WORK_KINDS),
            (self._through_neighbour(library, fact, rng) for fact in things),
            (self._of_view(library, fact, rng) for fact in views),
        )
        yield from in_turn(ways)

    def _described(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        by_one = library.referents.by_facts(fact, 1, rng)
        if by_one is None:
            return None
        further = (library.referents.by_facts(fact, 2, rng), library.referents.by_neighbour(fact, None, rng))
        return self._ladder(library, fact, [by_one, *(referent for referent in further if referent)], rng)

    def _through_neighbour(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        referent = library.referents.by_neighbour(fact, None, rng)
        return None if referent is None else self._ladder(library, fact, [referent], rng)

    def _ladder(self, library: Library, fact: Fact, referents: Sequence[Referent], rng: random.Random) -> Ladder | None:
        need = library.evidence.need(fact)
        links = [link for referent in referents for link in referent.links]
        named = [person for referent in referents for person in referent.people]
        asker = library.asker(fact, [*links, need], rng, named) if need else None
        if asker is None:
            return None
        pattern = rng.choice(clauses.ASK[fact.kind])
        first = msgspec.structs.replace(referents[0], lead=referents[0].lead + clauses.in_phase(fact.phase))
        rungs: list[Wording] = [(library.plainest(self.category, fact, asker, pattern),)]
        rungs += [
            (library.draft(self.category, fact, asker, referent, pattern.format(x=referent.x)),)
            for referent in (first, *referents)
        ]
        return Ladder(anchor=fact.id, category=self.category, rungs=distinct(rungs))

    def _of_view(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        """What somebody thinks or prefers who is named by what they do."""
        need = library.evidence.need(fact)
        if need is None or fact.holder is None or not library.things.one_view(fact):
            return None
        person = library.referents.person(fact.holder, need.any_of, rng)
        asker = library.asker(fact, [*person.links, need], rng, (fact.holder,)) if person else None
        if person is None or asker is None:
            return None
        pattern = rng.choice(clauses.WANTS if fact.kind == "preference" else clauses.BELIEVES)
        by_name = Referent(x=library.truth.name(fact.holder))
        plain, hidden = (
            library.draft(
                self.category, fact, asker, referent, pattern.format(x=referent.x, y=clauses.the(fact.subject))
            )
            for referent in (by_name, person)
        )
        rungs: list[Wording] = [(msgspec.structs.replace(plain, plain=True),), (hidden,)]
        return Ladder(anchor=f"{fact.id}/holder", category=self.category, rungs=distinct(rungs))


def _is_view(fact: Fact) -> bool:
    return fact.kind in ("preference", "belief") and clauses.is_noun_phrase(fact.subject)
