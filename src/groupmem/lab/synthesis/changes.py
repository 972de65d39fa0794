"""Decision changes: what is decided, how it is argued about, and what becomes of it.

Each change is committed to in one message, restated, argued over in the steps of an `Argument`, and settled in the
last. Who argued for the old keeps holding it: that stands beside the group's decision as their own fact.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from groupmem.lab.synthesis.arguments import Argument, ArgumentFinder
from groupmem.lab.synthesis.base import FactKind, PostType, ReplyAct
from groupmem.lab.synthesis.items import Item, ItemPool, Sort
from groupmem.lab.synthesis.planned import Content, PlannedFact, RawPoint, Seed
from groupmem.lab.synthesis.policy import Changes
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.values import Values

SORT_OF: dict[FactKind, Sort] = {"decision": "choice", "deadline": "thing", "owner": "thing", "number": "metric"}
Outcome = Literal["changed", "kept"]
GOES_BACK = 0.5
"""How often a decision that changes twice goes back to what it was."""


class Change(msgspec.Struct, kw_only=True):
    """One argument over one decision. `number` counts the changes of the same decision from 1."""

    item: Item
    before: PlannedFact
    after: PlannedFact
    argument: Argument
    reason: str
    trigger: str
    outcome: Outcome = "changed"
    number: int = 1
    committed: Slot | None = None
    positions: dict[int, Literal["for", "against"]] = {}
    held: dict[int, PlannedFact] = {}
    """What people who did not get their way go on holding, by person."""
    id: str = ""


class Booking(msgspec.Struct, kw_only=True):
    """What a slot must say because of a change. `makes` and `ends` are facts that begin and end with it."""

    seed: Seed
    item: Item
    change: int | None = None
    act: ReplyAct | None = None
    points: list[RawPoint] = []
    makes: PlannedFact | None = None
    ends: PlannedFact | None = None


class Tools(NamedTuple):
    """What a phase has at hand to make facts from."""

    pool: ItemPool
    values: Values
    rng: random.Random


class ChangePlanner:
    """Plans the changes of one phase; `bookings` says which slots say what because of them."""

    def __init__(
        self, slots: Sequence[Slot], children: Mapping[int, Sequence[Slot]], tools: Tools, policy: Changes
    ) -> None:
        self._slots = slots
        self._finder = ArgumentFinder(slots, children, policy, tools.rng)
        self._pool, self._values, self._rng = tools
        self._policy = policy
        self.changes: list[Change] = []
        self.bookings: dict[int, Booking] = {}

    def plan(self, first_index: int) -> None:
        """Draws this phase's changes; they are numbered from `first_index` on in the whole corpus."""
        if not self._finder.is_possible:
            return
        self._first_index = first_index
        if self._rng.random() < self._policy.phase_rate:
            change = self._begin("changed", least_steps=1)
            if change is not None and self._rng.random() < self._policy.second_rate:
                self._again(change)
        if self._rng.random() < self._policy.kept_rate:
            self._begin("kept", least_steps=2)

    def _begin(self, outcome: Outcome, least_steps: int) -> Change | None:
        """A decision of its own and the argument over it."""
        argument = self._finder.find(least_steps=least_steps)
        if argument is None:
            return None
        committed = self._commitment(argument)
        if committed is None:
            return None
        kinds = self._policy.kinds()
        kind = self._rng.choices(list(kinds), list(kinds.values()))[0]
        item = self._pool.draw(SORT_OF[kind])
        # Made as seen from the settlement, so that a date which is argued over is not past by then.
        before = self._values.first(item, kind, argument.settled)
        after = self._values.other(item, before, argument.settled)
        self.bookings[committed.index] = Booking(seed=Seed(fact=before, how="state"), item=item, makes=before)
        change = self._change(item, before, after, argument)
        change.outcome, change.committed = outcome, committed
        return self._book(change)

    def _again(self, first: Change) -> None:
        """The same decision changes once more, back to what it was or to something third."""
        argument = self._finder.find(after=first.argument.settled.index)
        if argument is None:
            return
        if self._rng.random() < GOES_BACK:
            after = self._values.copy(first.before)
        else:
            after = self._values.other(first.item, first.after, argument.settled, used=(first.before,))
        change = self._change(first.item, first.after, after, argument)
        change.number = 2
        self._book(change)

    def _change(self, item: Item, before: PlannedFact, after: PlannedFact, argument: Argument) -> Change:
        return Change(
            item=item,
            before=before,
            after=after,
            argument=argument,
            reason=self._pool.phrase("reasons", item.scope),
            trigger=self._pool.phrase("triggers", item.scope),
        )

    def _book(self, change: Change) -> Change:
        """Books every slot of the argument."""
        index = self._first_index + len(self.changes)
        self.changes.append(change)
        if change.argument.restated is not None:
            restating = Seed(fact=change.before, how="confirm")
            self.bookings[change.argument.restated.index] = Booking(seed=restating, item=change.item, change=index)
        for place, slot in enumerate(change.argument.steps):
            booking = self._step(change, place, slot)
            booking.change = index
            self.bookings[slot.index] = booking
        return change

    def _step(self, change: Change, place: int, slot: Slot) -> Booking:
        """What one step of the argument says: it opens, takes a side, or settles."""
        if slot is change.argument.settled:
            return self._settle(change, alone=place == 0)
        opening = place == 0
        side = "for" if opening else change.positions.get(slot.author) or self._side(change, slot)
        change.positions[slot.author] = side
        wanted, other = (change.after, change.before) if side == "for" else (change.before, change.after)
        booking = Booking(seed=Seed(fact=wanted, how="propose" if opening else "argue", was=other), item=change.item)
        if slot.ultra_short:
            booking.act = "argue_for" if side == "for" else "argue_against"
            booking.seed.optional = True
            return booking
        if (side == "for") != (change.outcome == "changed"):
            booking.makes = booking.seed.fact = self._hold(change, slot.author, wanted)
        if opening:
            booking.act = "propose_change"
            booking.points = [RawPoint(material="trigger", text=change.trigger, required=True)]
        elif side == "for":
            booking.act = "argue_for"
            booking.points = [RawPoint(material="evidence", text=self._pool.phrase("evidence", change.item.scope))]
        else:
            booking.act = "argue_against"
            booking.points = [RawPoint(material="risk", text=self._pool.phrase("risks", change.item.scope))]
        return booking

    def _hold(self, change: Change, member: int, wanted: PlannedFact) -> PlannedFact:
        """What this person wants and will not get, as a fact of their own."""
        if member not in change.held:
            change.held[member] = self._values.copy(wanted)
            change.held[member].holder = member
        return change.held[member]

    def _side(self, change: Change, slot: Slot) -> Literal["for", "against"]:
        restated = change.argument.restated
        if restated is not None and slot.author == restated.author:
            return "against"
        sides = list(change.positions.values())
        return "against" if sides.count("against") < sides.count("for") else self._rng.choice(("for", "against"))

    def _settle(self, change: Change, alone: bool) -> Booking:
        reason = RawPoint(material="reason", text=change.reason, required=True)
        if change.outcome == "kept":
            seed = Seed(fact=change.before, how="keep", was=change.after)
            return Booking(seed=seed, item=change.item, act="keep", points=[reason])
        seed = Seed(fact=change.after, how="reverse", was=change.before)
        points = [reason]
        if alone:
            points.insert(0, RawPoint(material="trigger", text=change.trigger, required=True))
        booking = Booking(seed=seed, item=change.item, act="settle_change", points=points)
        booking.makes, booking.ends = change.after, change.before
        return booking

    def _commitment(self, argument: Argument) -> Slot | None:
        """An earlier message of the phase that says what will be argued over: a post if there is one."""
        limit = argument.restated or argument.steps[0]
        earlier = [
            slot
            for slot in self._slots
            if slot.index < limit.index and slot.index not in self.bookings and slot.index not in self._finder.used
        ]
        able = [slot for slot in earlier if slot.noise is None and slot.path != "cross_project_reply"]
        plain = [slot for slot in able if not slot.ultra_short]
        posts = [slot for slot in plain if slot.is_post]
        if not earlier:
            return None
        chosen = self._rng.choice(posts or plain or able or earlier)
        chosen.noise, chosen.ultra_short = None, False
        self._finder.used.add(chosen.index)
        return chosen


def content_of(booking: Booking, slot: Slot) -> Content:
    """The content of a slot that is booked. A post that states a decision is one, whatever it was to be."""
    act: PostType | ReplyAct = booking.act or "add"
    if slot.is_post and slot.post_type != "kickoff":
        act = "decision" if booking.seed.fact.kind in ("decision", "number") else "coordination"
    elif slot.is_post:
        act = "kickoff"
    return Content(act=act, seeds=[booking.seed], points=list(booking.points), change=booking.change)
