"""Abstention: something plausible about a thing that the conversation knows, which nobody ever said.

Either somebody asked and was never told, or other things are told of the subject and this is not. Every thing, person
and place in the question occurs in the corpus. That the value does not is checked in the ground truth and again in the
text: no sentence that names the subject, and no reply to one that asks, offers a value of the kind.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import cycle

from groupmem.lab.measures.values import GoldValue, sentences_of
from groupmem.lab.questions import clauses
from groupmem.lab.questions.evidence import VALUE_KINDS
from groupmem.lab.questions.facts import Fact, Unanswered
from groupmem.lab.questions.records import NO_ANSWER, Category, Draft
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn
from groupmem.types import Message, Record

UNTOLD_KINDS = ("deadline", "owner", "approval", "status")
"""What is asked of a piece of work of which other things are told; blockers and other texts could stand there in any
words."""


class Gap(Record, frozen=True, kw_only=True):
    """What is not told: a kind of fact about a subject. `known` is a fact about the subject that is; `names` are the
    words in which people spoke of the subject, the plain ones first."""

    kind: str
    subject: str
    phase: str
    channel: str
    names: tuple[str, ...]
    known: Fact | None = None
    asked_in: tuple[str, ...] = ()


class Abstention:
    """See the module."""

    category: Category = "abstention"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        self._replies: dict[str, list[Message]] = defaultdict(list)
        for message in library.truth.conversation.messages:
            if message.reply_to is not None:
                self._replies[message.reply_to].append(message)
        asked = rng.sample(library.truth.unanswered, len(library.truth.unanswered))
        yield from in_turn(
            (
                (self._ladder(library, _gap_of(line), rng) for line in asked),
                (self._ladder(library, gap, rng) for gap in self._untold(library, rng)),
            )
        )

    def _untold(self, library: Library, rng: random.Random) -> Iterator[Gap]:
        subjects = rng.sample(list(library.truth.by_subject.values()), len(library.truth.by_subject))
        for facts, kind in zip(subjects, cycle(UNTOLD_KINDS), strict=False):
            first = facts[0]
            known = first.kind in clauses.WORK_KINDS and library.things.alone(first)
            if known and not library.things.is_told(kind, first.subject):
                names = dict.fromkeys([first.subject, *(one.subject for fact in facts for one in fact.mentions)])
                yield Gap(
                    kind=kind,
                    subject=first.subject,
                    phase=first.phase,
                    channel=first.channel,
                    names=tuple(names),
                    known=first,
                )

    def _ladder(self, library: Library, gap: Gap, rng: random.Random) -> Ladder | None:
        probe = self._probe(library, gap)
        if library.things.is_told(gap.kind, gap.subject) or not self._occurs(library, gap):
            return None
        if self._offered(library, gap, probe):
            return None
        askers = library.truth.askers_of.get(gap.channel, ())
        if not askers:
            return None
        asker = rng.choice(askers[:6])
        referents: list[Referent | None] = [
            Referent(x=clauses.the(gap.subject), lead=clauses.in_phase(gap.phase)),
            Referent(x=clauses.the(gap.subject), moves=("no phase",)),
        ]
        if gap.known is not None:
            referents.append(library.referents.named(gap.known, library.truth.role(asker)))
            referents.append(library.referents.by_facts(gap.known, 1, rng))
        pattern = rng.choice(clauses.ASK[gap.kind])
        rungs = [
            (self._draft(referent, pattern, asker, probe),)
            for referent in referents
            if referent is not None and library.suits(asker, referent)
        ]
        return Ladder(anchor=f"{gap.kind} of {gap.subject}", category=self.category, rungs=distinct(rungs))

    def _draft(self, referent: Referent, pattern: str, asker: str, probe: GoldValue) -> Draft:
        return Draft(
            category=self.category,
            text=clauses.compose(referent.lead, pattern.format(x=referent.x)),
            answer=NO_ANSWER,
            asker=asker,
            gold=None,
            probe=probe,
            moves=referent.moves,
            hops=0,
        )

    def _probe(self, library: Library, gap: Gap) -> GoldValue:
        """Values of the kind; of kinds without a grammar, all that the corpus gives to things of the sort."""
        kind = VALUE_KINDS[gap.kind]
        values = library.evidence.values_like(gap.kind, gap.subject) if kind not in ("date", "person", "number") else ()
        return GoldValue(kind=kind, values=values)

    def _occurs(self, library: Library, gap: Gap) -> bool:
        """Whether anybody used the name that the question uses."""
        return next(self._naming(library, gap.subject), None) is not None

    def _offered(self, library: Library, gap: Gap, probe: GoldValue) -> bool:
        """Whether any text could be read as the answer."""
        finder = library.evidence.finder
        for name in gap.names:
            head = _head(name)
            for message in self._naming(library, name):
                parts = (part for part in sentences_of(message) if head in part.text.casefold())
                if any(finder.offered(part, probe) for part in parts):
                    return True
        return any(finder.offered(reply, probe) for asked in gap.asked_in for reply in self._replies.get(asked, ()))

    def _naming(self, library: Library, name: str) -> Iterator[Message]:
        """Messages that name a subject, its parts near each other or not."""
        head = _head(name)
        tail = name.casefold().removeprefix(head).removeprefix(" for ")
        return (message for message in library.evidence.naming(head) if tail in message.text.casefold())


def _head(name: str) -> str:
    return (name.rpartition(" for ")[0] or name).casefold()


def _gap_of(line: Unanswered) -> Gap:
    return Gap(
        kind=line.kind,
        subject=line.subject,
        phase=line.phase,
        channel=line.channel,
        names=(line.subject,),
        asked_in=tuple(line.asked_in),
    )
