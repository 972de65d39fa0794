"""Temporal: a date that was given relative to the day of its message, asked for as a day of the calendar; and the order
of several such dates.

Refining drops the phase, uses the asker's words, and then names the things by other facts about them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from groupmem.lab.measures.values import GoldValue
from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Fact
from groupmem.lab.questions.records import Category, Draft, Wording
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn

IN_A_ROW = 3
"""Things whose dates are put in order."""


class Temporal:
    """See the module."""

    category: Category = "temporal"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        dated = [fact for fact in library.told(library.truth.settled, rng) if self._is_relative(library, fact)]
        ordered = random.Random(rng.random())
        yield from in_turn(
            (
                (self._day(library, fact, rng) for fact in dated),
                (self._day(library, fact, rng) for fact in reversed(dated)),
                self._orders(library, dated, ordered),
            )
        )

    def _is_relative(self, library: Library, fact: Fact) -> bool:
        spoken = library.evidence.spoken(fact)
        return fact.kind == "deadline" and spoken is not None and spoken.date_form == "relative"

    def _day(self, library: Library, fact: Fact, rng: random.Random) -> Ladder | None:
        need = library.evidence.need(fact)
        asker = library.asker(fact, [need], rng) if need else None
        if asker is None:
            return None
        role = library.truth.role(asker)
        referents = (
            library.referents.in_phase(fact),
            library.referents.named(fact, role),
            library.referents.by_head(fact, role),
            library.referents.by_facts(fact, 1, rng),
            library.referents.by_neighbour(fact, role, rng),
        )
        pattern = rng.choice(clauses.ASK["deadline"])
        rungs = [
            (library.draft(self.category, fact, asker, referent, pattern.format(x=referent.x)),)
            for referent in referents
            if referent is not None and library.suits(asker, referent)
        ]
        return Ladder(anchor=fact.id, category=self.category, rungs=distinct(rungs))

    def _orders(self, library: Library, dated: Sequence[Fact], rng: random.Random) -> Iterator[Ladder | None]:
        """Things of one project whose dates differ, each date told once."""
        waiting: dict[str, list[Fact]] = {}
        for fact in dated:
            row = waiting.setdefault(fact.project, [])
            if fact.value not in {other.value for other in row} and library.things.alone(fact):
                row.append(fact)
            if len(row) == IN_A_ROW:
                yield self._order(library, waiting.pop(fact.project), rng)

    def _order(self, library: Library, facts: Sequence[Fact], rng: random.Random) -> Ladder | None:
        needs = [need for fact in facts if (need := library.evidence.need(fact)) is not None]
        asker = library.asker(facts[0], needs, rng)
        if asker is None:
            return None
        role = library.truth.role(asker)
        pattern = rng.choice(clauses.IN_ORDER)
        plainest = [Referent(x=f"{clauses.the(fact.subject)} ({fact.phase.removeprefix('Risk: ')})") for fact in facts]
        named = [library.referents.named(fact, role) or plain for fact, plain in zip(facts, plainest, strict=True)]
        shorter = [library.referents.by_head(fact, role) or name for fact, name in zip(facts, named, strict=True)]
        described = [
            library.referents.by_facts(fact, 1, rng) or short for fact, short in zip(facts, shorter, strict=True)
        ]
        rungs = [self._row(library, pattern, asker, facts, row) for row in (plainest, named, shorter, described)]
        anchor = "/".join(fact.id for fact in facts)
        return Ladder(anchor=anchor, category=self.category, rungs=distinct([rung for rung in rungs if rung]))

    def _row(
        self, library: Library, pattern: str, asker: str, facts: Sequence[Fact], referents: Sequence[Referent]
    ) -> Wording | None:
        if not all(library.suits(asker, referent) for referent in referents):
            return None
        links = [link for referent in referents for link in referent.links]
        needs = [need for fact in facts if (need := library.evidence.need(fact)) is not None]
        in_order = sorted(zip(facts, referents, strict=True), key=lambda pair: pair[0].value)
        answer = ", then ".join(f"{referent.x} ({fact.value})" for fact, referent in in_order)
        text = pattern.format(x="; ".join(referent.x for referent in referents))
        return (
            Draft(
                category=self.category,
                text=clauses.compose("", text),
                answer=answer,
                asker=asker,
                gold=GoldValue(kind="list", values=tuple(fact.value for fact, _ in in_order)),
                needs=(*links, *needs),
                moves=tuple(dict.fromkeys(move for referent in referents for move in referent.moves)),
                hops=len(links) + len(needs),
            ),
        )
