"""Knowledge update: a documented change of a decision, a date, an owner or a figure, and what holds now, what held
before, what set the change off, or why it was made (or was not).

Refining drops the phase, uses the asker's words, leaves out what the matter is for, and at last names the matter only
by who reopened and who settled it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from groupmem.lab.measures.values import GoldValue
from groupmem.lab.questions import clauses
from groupmem.lab.questions.facts import Decision, Fact
from groupmem.lab.questions.records import Category, Draft, Need
from groupmem.lab.questions.referents import Referent
from groupmem.lab.questions.strategies.base import Ladder, Library, distinct, in_turn
from groupmem.types import Record

Asked = Literal["now", "before", "trigger", "reason"]


class Target(Record, frozen=True, kw_only=True):
    """What is asked of a change: patterns, the answer and the messages that prove it."""

    patterns: tuple[str, ...]
    answer: str
    needs: tuple[Need, ...]
    gold: GoldValue


class KnowledgeUpdate:
    """See the module."""

    category: Category = "knowledge_update"

    def ladders(self, library: Library, rng: random.Random) -> Iterator[Ladder]:
        last = {decision.matter: decision for decision in library.truth.decisions}
        self._settlements = Counter(self._who(decision) for decision in library.truth.decisions)
        decisions = list(last.values())
        asked: tuple[Asked, ...] = ("now", "before", "trigger", "reason")
        yield from in_turn([self._all(library, decisions, what, rng) for what in asked])

    def _all(
        self, library: Library, decisions: Sequence[Decision], asked: Asked, rng: random.Random
    ) -> Iterator[Ladder | None]:
        for decision in rng.sample(decisions, len(decisions)):
            yield self._ladder(library, decision, asked, rng)

    def _ladder(self, library: Library, decision: Decision, asked: Asked, rng: random.Random) -> Ladder | None:
        fact = library.truth.by_id.get(decision.before_fact)
        target = self._target(library, decision, asked)
        if fact is None or target is None:
            return None
        asker = library.asker(fact, target.needs, rng)
        if asker is None:
            return None
        role = library.truth.role(asker)
        named = library.referents.named(fact, role)
        if named is None:
            return None
        shorter = (library.referents.by_head(fact, role), self._by_people(library, decision))
        referents = [library.referents.in_phase(fact), named, *shorter]
        pattern = rng.choice(target.patterns)
        rungs = [
            (self._draft(target, pattern, asker, referent),)
            for referent in referents
            if referent is not None and library.suits(asker, referent)
        ]
        return Ladder(anchor=f"{decision.id}/{asked}", category=self.category, rungs=distinct(rungs))

    def _draft(self, target: Target, pattern: str, asker: str, referent: Referent) -> Draft:
        told = {need.message for need in target.needs}
        needs = (*(link for link in referent.links if link.message not in told), *target.needs)
        return Draft(
            category=self.category,
            text=clauses.compose(referent.lead, pattern.format(x=referent.x)),
            answer=target.answer,
            asker=asker,
            gold=target.gold,
            needs=needs,
            moves=referent.moves,
            hops=len(needs),
        )

    def _target(self, library: Library, decision: Decision, asked: Asked) -> Target | None:
        changed = decision.outcome == "changed"
        if asked in ("trigger", "reason"):
            return self._why(library, decision, asked)
        if asked == "before" and not changed:
            return None
        wanted = decision.after_fact if changed and asked == "now" else decision.before_fact
        fact = library.truth.by_id.get(wanted or "")
        if fact is None:
            return None
        other = decision.before if fact.id == decision.after_fact else decision.after
        told = self._told(
            library, fact, decision, first=decision.settled_in if asked == "now" else decision.committed_in
        )
        if told is None or told.value is None:
            return None
        gold = GoldValue(
            kind=told.value.kind, values=told.value.values, stale=self._stale(library, fact, decision, other)
        )
        patterns = clauses.HOLDS_NOW if asked == "now" else clauses.HELD_BEFORE
        settled = Need(message=decision.settled_in)
        needs = self._with_subject(library, decision, (told,) if asked == "now" else (told, settled))
        if needs is None:
            return None
        return Target(patterns=patterns[decision.kind], answer=fact.value_text, needs=needs, gold=gold)

    def _told(self, library: Library, fact: Fact, decision: Decision, first: str | None) -> Need | None:
        """Where the value is told: in the message that settled it (or that committed to it), else where it came up."""
        gold = library.evidence.gold(fact)
        messages = library.truth.messages
        telling = [first] if first else []
        telling += [
            spoken.message
            for spoken in fact.telling
            if spoken.how in ("state", "confirm", "report", "reverse", "keep")
            and library.evidence.names_subject(spoken)
        ]
        holding = [name for name in dict.fromkeys(telling) if library.evidence.finder.holds(messages[name], gold)]
        if not holding or (first == decision.settled_in and holding[0] != first):
            return None
        later = holding[1:]
        if first == decision.settled_in:
            later = [name for name in later if library.truth.follows(name, first)]
        return Need(message=holding[0], alternatives=tuple(later), value=gold)

    def _with_subject(self, library: Library, decision: Decision, needs: tuple[Need, ...]) -> tuple[Need, ...] | None:
        """With a message that names the whole matter, where the others only say "it" or leave out what it is for; None
        where nobody named it in the argument or when it was first told."""
        facts = [library.truth.by_id[name] for name in (decision.before_fact, decision.after_fact) if name]
        spoken = {one.message for fact in facts for one in fact.mentions if library.evidence.names_subject(one)}
        steps = [step.message for step in decision.steps]
        naming = [name for name in steps if name in spoken or library.evidence.is_named(decision.subject, name)]
        naming += [name for fact in facts for name in fact.stated_in if name in spoken]
        if any(need.message in naming for need in needs):
            return needs
        return (Need(message=naming[0]), *needs) if naming else None

    def _why(self, library: Library, decision: Decision, asked: Asked) -> Target | None:
        of_trigger = asked == "trigger"
        text = decision.trigger if of_trigger else decision.reason
        where = decision.trigger_in if of_trigger else decision.reason_in
        if of_trigger and decision.outcome == "kept":
            return None
        gold = GoldValue(kind="text", values=(text,))
        holding = [name for name in where if library.evidence.finder.holds(library.truth.messages[name], gold)]
        if not holding:
            return None
        told = Need(message=holding[0], alternatives=tuple(holding[1:]), value=gold)
        settled = Need(message=decision.settled_in)
        needs = self._with_subject(library, decision, (told,) if told.message == settled.message else (told, settled))
        if needs is None:
            return None
        of_reason = clauses.REASONS if decision.outcome == "changed" else clauses.KEPT_REASONS
        patterns: tuple[str, ...] = clauses.TRIGGERS if of_trigger else of_reason
        return Target(patterns=patterns, answer=text, needs=needs, gold=gold)

    def _stale(self, library: Library, fact: Fact, decision: Decision, other: str) -> tuple[str, ...]:
        if decision.kind in ("deadline", "owner"):
            found = library.truth.by_id.get(
                decision.before_fact if fact.id != decision.before_fact else decision.after_fact or ""
            )
            return (found.value,) if found else ()
        return (other,)

    def _by_people(self, library: Library, decision: Decision) -> Referent | None:
        """By who reopened and who settled the matter, where that pair did it once only in its project."""
        if self._settlements[self._who(decision)] > 1 or decision.proposed_by == decision.settled_by:
            return None
        proposer, settler = library.truth.name(decision.proposed_by), library.truth.name(decision.settled_by)
        return Referent(
            x=f"the {decision.project} matter that {proposer} reopened and {settler} settled",
            links=(Need(message=decision.steps[0].message),),
            people=(decision.proposed_by, decision.settled_by),
            moves=("no phase", "by its people"),
        )

    @staticmethod
    def _who(decision: Decision) -> tuple[str, str, str]:
        return decision.project, decision.proposed_by, decision.settled_by
