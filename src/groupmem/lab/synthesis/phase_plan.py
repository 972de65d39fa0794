"""The content pass over one phase: what is known when, and the small moves that acts are made of."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from groupmem.lab.synthesis.base import FactKind, How
from groupmem.lab.synthesis.changes import Booking
from groupmem.lab.synthesis.held import Held
from groupmem.lab.synthesis.items import Item, ItemPool, Sort, fill_slots
from groupmem.lab.synthesis.packs import Choice
from groupmem.lab.synthesis.phrases import Phrased, Phrases
from groupmem.lab.synthesis.planned import Content, PlannedFact, RawPoint, Seed
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Phase, Scaffold
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.values import Values

REMEMBERED = 60
"""How many of the last facts of a phase are at hand to be said again."""
ITEMS_IN_FOCUS = 8
PLURALS: dict[Literal["risk", "evidence", "reason"], Phrased] = {
    "risk": "risks",
    "evidence": "evidence",
    "reason": "reasons",
}
"""Where matter has each material."""
SORTS: dict[FactKind, Sort] = {
    "owner": "thing",
    "deadline": "thing",
    "status": "thing",
    "blocker": "thing",
    "approval": "thing",
    "decision": "choice",
    "number": "metric",
    "requirement": "requirement",
}


class Focus:
    """What a thread turns around: items of one scope, so that its messages are about the same affair."""

    def __init__(self, item: Item) -> None:
        self.scope = item.scope
        self.items: deque[Item] = deque([item], maxlen=ITEMS_IN_FOCUS)

    def open(self, kind: FactKind) -> Item | None:
        """The newest item of which nothing of this kind has been said."""
        return next((item for item in reversed(self.items) if kind in item.open_kinds()), None)

    def waiting(self) -> tuple[Item, FactKind] | None:
        """Something about the items that was asked for and not told."""
        return next(
            ((item, kind) for item in self.items for kind, fact in item.facts.items() if not fact.is_known), None
        )

    def known(self) -> list[PlannedFact]:
        """The group's facts about the items, newest item last."""
        return [fact for item in self.items for fact in item.facts.values() if fact.is_known]


class Shared(NamedTuple):
    """What all phases of a corpus share."""

    scaffold: Scaffold
    policy: Policy
    held: Held
    phrases: Phrases


class PhasePlan:
    """What is known in one phase at the slot that is being planned, and the moves that change it."""

    def __init__(self, shared: Shared, index: int, taken: set[str], seed: int) -> None:
        self.scaffold, self.policy, self.held, self._phrases = shared
        scaffold = shared.scaffold
        self.index = index
        self.phase: Phase = scaffold.phases[index]
        self.rng = random.Random(f"{seed}/content/{self.phase.id}")
        self.pool = ItemPool(scaffold, index, shared.phrases, taken, self.rng)
        self.values = Values(scaffold, index, self.pool, self.rng)
        self.whole = Item(sort="phase", subject=_phase_subject(self.phase), plural=False, scope="")
        self.recent: deque[PlannedFact] = deque(maxlen=REMEMBERED)
        self.stale: deque[PlannedFact] = deque(maxlen=REMEMBERED)
        self.asked: deque[tuple[PlannedFact, Item]] = deque(maxlen=REMEMBERED)
        self.facts: list[PlannedFact] = []
        self.contents: dict[int, Content] = {}
        self.focuses: dict[int, Focus] = {}
        self.items_of: dict[str, Item] = {}
        self._questions: dict[str, PlannedFact] = {}

    # -- moves: each gives the seed of a mention and books what it changes ----------------------------------------

    def tell(self, slot: Slot, item: Item, kind: FactKind, person: int | None = None) -> Seed:
        """States something about the item for the first time; answers it where it was asked for."""
        known = item.current(kind)
        if known is not None:
            return Seed(fact=known, how="confirm")
        fact = item.facts.get(kind) or self.values.first(item, kind, slot, person)
        self.learn(slot, item, fact)
        return Seed(fact=fact, how="state")

    def move_on(self, slot: Slot, item: Item) -> Seed:
        """States the next status of an item, replacing the one before."""
        before = item.current("status")
        if before is None:
            return self.tell(slot, item, "status")
        after = self.values.other(item, before, slot)
        if after.same_value(before):
            return Seed(fact=before, how="confirm")
        self.replace(slot, before, after)
        self.learn(slot, item, after)
        return Seed(fact=after, how="state")

    def ask(self, slot: Slot, item: Item, kind: FactKind) -> Seed:
        """Asks for something about the item."""
        fact = item.facts.get(kind) or self.values.first(item, kind, slot)
        self.asked.append((fact, item))
        self._questions[fact.matter] = fact
        self.items_of[fact.matter] = item
        return Seed(fact=fact, how="ask")

    def waiting(self) -> tuple[Item, FactKind] | None:
        """The oldest remembered question that nobody has answered."""
        return next(((item, fact.kind) for fact, item in self.asked if not fact.is_known), None)

    def unanswered(self) -> list[PlannedFact]:
        """What was asked for and not told."""
        return [fact for fact in self._questions.values() if not fact.is_known]

    def learn(self, slot: Slot, item: Item, fact: PlannedFact) -> None:
        """From this slot on the group knows the fact."""
        if not fact.is_known:
            fact.valid_from = slot.index
            self.facts.append(fact)
        item.facts[fact.kind] = fact
        self.items_of[fact.matter] = item
        self.recent.append(fact)

    def replace(self, slot: Slot, before: PlannedFact, after: PlannedFact) -> None:
        """From this slot on `after` stands in the place of `before`."""
        before.valid_until = slot.index
        before.superseded_by, after.supersedes = after, before
        self.stale.append(before)

    def hold(self, slot: Slot, fact: PlannedFact, how: How) -> Seed:
        """States what a person holds; the earliest statement anywhere is when it begins."""
        if fact.valid_from is None or slot.index < fact.valid_from:
            fact.valid_from, fact.phase = slot.index, self.index
        return Seed(fact=fact, how=how)

    # -- looking up ------------------------------------------------------------------------------------------------

    def focus(self, slot: Slot, make: Callable[[], Item]) -> Focus:
        """What the slot's thread turns around; begun with the item that `make` gives."""
        root = slot.root if slot.root is not None else slot.index
        if root not in self.focuses:
            self.focuses[root] = Focus(make())
        return self.focuses[root]

    def draw(self, kind: FactKind, focus: Focus | None = None) -> Item:
        """An item of which this can be said: of the focus if it has one, else a fresh one of the same scope."""
        if focus is None:
            return self.pool.draw(SORTS[kind])
        item = focus.open(kind)
        if item is None:
            item = self.pool.draw(SORTS[kind], focus.scope)
            focus.items.append(item)
        return item

    def standing(self, slot: Slot, kinds: Sequence[FactKind] = ()) -> PlannedFact | None:
        """One of the facts of the phase that stand at this slot."""
        holding = [fact for fact in self.recent if fact.stands_at(slot) and (not kinds or fact.kind in kinds)]
        return self.rng.choice(holding) if holding else None

    def has_moved(self, slot: Slot) -> bool:
        """Whether the phase's own status is another one than was last said, or none was."""
        said = self.whole.current("status")
        return said is None or said.raw_value != self.phase.status(slot.progress).casefold()

    def belief_of(self, member: int, choice: Choice | None = None) -> PlannedFact:
        """What the person believes about a matter of this phase."""
        return self.held.belief(self.index, choice or self.rng.choice(self.phase.matter.beliefs), member)

    def preference_of(self, member: int, choice: Choice | None = None) -> PlannedFact:
        """What the person prefers in one matter."""
        return self.held.preference(self.index, choice or self.rng.choice(self.scaffold.pack.preferences), member)

    def point(self, material: Literal["risk", "evidence", "reason"], scope: str | None = None) -> RawPoint:
        """A piece of matter of this material, slots filled."""
        return RawPoint(material=material, text=self.pool.phrase(PLURALS[material], scope))

    def experience(self, source: int) -> RawPoint:
        """What somebody went through in the phase that they come from."""
        project = self.scaffold.pack.projects[self.scaffold.phases[source].project]
        text = fill_slots(self._phrases.draw(source, "experiences", self.rng), project, self.rng)
        return RawPoint(material="experience", text=text)

    # -- bookings of decision changes ------------------------------------------------------------------------------

    def follow(self, slot: Slot, booking: Booking) -> None:
        """Books what a decision change does at this slot."""
        if booking.ends is not None and booking.makes is not None:
            self.replace(slot, booking.ends, booking.makes)
        if booking.makes is not None and booking.makes.holder is None:
            self.learn(slot, booking.item, booking.makes)
        elif booking.makes is not None and not booking.makes.is_known:
            booking.makes.valid_from = slot.index
            self.facts.append(booking.makes)
        elif booking.seed.fact.holds_at(slot.index) and booking.seed.fact.holder is None:
            self.recent.append(booking.seed.fact)


def _phase_subject(phase: Phase) -> str:
    """A noun phrase for the phase: "Late Permits risk", "Pilot Shop milestone", "All Shops work"."""
    name = phase.name.split(":", 1)[-1].strip()
    noun = {"Risks": "risk", "Milestone": "milestone", "Work Items": "work"}[phase.category]
    return name if name.casefold().endswith(noun) else f"{name} {noun}"
