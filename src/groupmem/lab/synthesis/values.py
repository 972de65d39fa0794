"""Values of facts: a first one, the next one when it changes, and a wrong one for a mistake."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from groupmem.lab.synthesis.base import FactKind
from groupmem.lab.synthesis.items import Item, ItemPool
from groupmem.lab.synthesis.packs import Choice, Metric, Requirement
from groupmem.lab.synthesis.planned import PlannedFact
from groupmem.lab.synthesis.scaffold import Phase, Scaffold
from groupmem.lab.synthesis.slots import Slot

LATEST_DEADLINE_DAYS = 21


class Values:
    """Makes facts about the items of one phase."""

    def __init__(self, scaffold: Scaffold, phase_index: int, pool: ItemPool, rng: random.Random) -> None:
        self._scaffold = scaffold
        self._index = phase_index
        self._phase: Phase = scaffold.phases[phase_index]
        self._pool = pool
        self._rng = rng

    def first(self, item: Item, kind: FactKind, slot: Slot, person: int | None = None) -> PlannedFact:
        """A fact of this kind about the item; `person` is who it is about where the caller knows."""
        fact = self._blank(item, kind)
        self._set(fact, item, slot, person, used=())
        item.facts[kind] = fact
        return fact

    def other(self, item: Item, fact: PlannedFact, slot: Slot, used: Sequence[PlannedFact] = ()) -> PlannedFact:
        """A fact about the same with another value than this one's (and, if it can be, than those of `used`)."""
        made = self._blank(item, fact.kind)
        for _ in range(12):
            self._set(made, item, slot, None, used=(fact, *used))
            if not any(made.same_value(before) for before in (fact, *used)):
                return made
        self._set(made, item, slot, None, used=(fact,))
        return made

    def wrong(self, item: Item, fact: PlannedFact, slot: Slot) -> PlannedFact:
        """A fact with a value that is not so, for a mistake."""
        if fact.kind != "status":
            return self.other(item, fact, slot)
        made = self._blank(item, "status")
        statuses = self._phase.statuses if item.sort == "phase" else self._scaffold.pack.statuses
        said = fact.raw_value.casefold()
        made.raw_value = self._rng.choice([status.casefold() for status in statuses if status.casefold() != said])
        return made

    def copy(self, fact: PlannedFact) -> PlannedFact:
        """A fact with the same value, for a decision that goes back to what it was."""
        return PlannedFact(
            kind=fact.kind,
            matter=fact.matter,
            phase=fact.phase,
            subject=fact.subject,
            plural=fact.plural,
            raw_value=fact.raw_value,
            day=fact.day,
            person=fact.person,
            number=fact.number,
            unit=fact.unit,
        )

    def _blank(self, item: Item, kind: FactKind) -> PlannedFact:
        return PlannedFact(
            kind=kind,
            matter=f"{self._phase.id}/{kind}/{item.subject}",
            phase=self._index,
            subject=item.subject,
            plural=item.plural,
        )

    def _set(self, fact: PlannedFact, item: Item, slot: Slot, person: int | None, used: Sequence[PlannedFact]) -> None:
        source = item.source
        match fact.kind:
            case "deadline":
                fact.day = self._workday(item, slot)
            case "owner" | "approval":
                fact.person = self._person(item, fact.kind, person, used)
            case "status":
                fact.raw_value = self._status(item, slot, used)
            case "blocker":
                fact.raw_value = self._pool.phrase("blockers", item.scope)
            case "decision" if isinstance(source, Choice):
                fact.raw_value = self._option(source, item, used)
            case "number" if isinstance(source, Metric):
                steps = round((source.high - source.low) / source.step)
                fact.number = source.low + source.step * self._rng.randint(0, steps)
                fact.unit = source.form
                fact.raw_value = source.form.replace("{}", number_text(fact.number))
            case "requirement" if isinstance(source, Requirement):
                fact.raw_value = self._pool.fill(source.must, item.scope)
            case _:
                raise ValueError(f"a {item.sort} has no {fact.kind}")

    def _option(self, source: Choice, item: Item, used: Sequence[PlannedFact]) -> str:
        said = {fact.raw_value for fact in used}
        options = [self._pool.fill(option, item.scope) for option in source.options]
        return self._rng.choice([option for option in options if option not in said] or options)

    def _person(self, item: Item, kind: FactKind, person: int | None, used: Sequence[PlannedFact]) -> int:
        if person is not None:
            return person
        if item.sort == "phase" and kind == "owner" and not used:
            return self._phase.owner
        taken = {fact.person for fact in used}
        team = self._scaffold.projects[self._phase.project].members
        return self._rng.choice([member for member in team if member not in taken] or list(team))

    def _status(self, item: Item, slot: Slot, used: Sequence[PlannedFact]) -> str:
        """The next step of what a deliverable can be; for the phase itself its status at this time."""
        if item.sort == "phase":
            return self._phase.status(slot.progress).casefold()
        statuses = self._scaffold.pack.statuses
        before = [statuses.index(fact.raw_value) for fact in used if fact.raw_value in statuses]
        if before:
            return statuses[min(max(before) + 1, len(statuses) - 1)]
        return statuses[self._rng.randrange(max(1, len(statuses) - 2))]

    def _workday(self, item: Item, slot: Slot) -> date:
        """A working day ahead: the end of the phase for the phase itself, else within three weeks."""
        said = slot.day
        if item.sort == "phase" and "deadline" not in item.facts:
            day = max(datetime.fromtimestamp(self._phase.end, tz=UTC).date(), said + timedelta(days=1))
        else:
            day = said + timedelta(days=1 + int(LATEST_DEADLINE_DAYS * self._rng.random() ** 1.6))
        while day.weekday() > 4:
            day += timedelta(days=1)
        return day


def number_text(number: float) -> str:
    """12, 0.5, 12,500: without an empty fraction, with separators from ten thousand on."""
    rounded = round(number, 4)
    if rounded == int(rounded):
        whole = int(rounded)
        return f"{whole:,}" if abs(whole) >= 10_000 else str(whole)
    return f"{rounded:g}"
