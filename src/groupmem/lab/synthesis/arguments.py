"""Arguments over standing decisions: which messages of a phase carry one, found on the threads that are there.

An argument is a connected piece of one thread. Its restatement is a message that says what stands; the steps reply to
it or to each other; the last step settles. GroupMemBench, App. D: a change is possible in 0.3 <= p <= 0.8 of a phase
and after 4 messages.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from groupmem.lab.synthesis.policy import Changes
from groupmem.lab.synthesis.slots import Slot

MOST_LOOKED_AT = 60
LIVELY_PEOPLE = 3
"""People that an argument should have, where there are that many."""


class Argument(msgspec.Struct, kw_only=True):
    """Slots of one argument: `restated` (None where the step is alone), then `steps`; the last step settles."""

    restated: Slot | None
    steps: list[Slot]

    @property
    def settled(self) -> Slot:
        return self.steps[-1]


def eligible(slots: Sequence[Slot], changes: Changes) -> list[Slot]:
    """The slots of a phase at which a decision may change."""
    return [
        slot
        for slot in slots
        if changes.eligible_from <= slot.progress <= changes.eligible_to and slot.in_phase >= changes.eligible_messages
    ]


class ArgumentFinder:
    """Finds arguments in one phase; slots that it hands out are not handed out again."""

    def __init__(
        self, slots: Sequence[Slot], children: Mapping[int, Sequence[Slot]], changes: Changes, rng: random.Random
    ) -> None:
        self._eligible = eligible(slots, changes)
        self._by_index = {slot.index: slot for slot in slots}
        self._children = children
        self._changes = changes
        self._rng = rng
        self.used: set[int] = set()

    @property
    def is_possible(self) -> bool:
        """Whether the phase is eligible at all."""
        return bool(self._eligible)

    def find(self, after: int = -1, least_steps: int = 1) -> Argument | None:
        """An argument that lies after this slot whole. It begins at the first moment that the hazard picks, or as near
        to it as a thread allows; it is a lone step where no thread does, if `least_steps` allows that."""
        slots = [slot for slot in self._eligible if slot.index > after and slot.index not in self.used]
        if not slots:
            return None
        begin = self._pick_moment(len(slots))
        order = (*slots[begin:], *reversed(slots[:begin]))
        best = self._best(order, after, terse=False)
        if best is None or len(best.steps) < 2:
            # A phase with few messages: those that were to be ultra-short may have to speak up.
            best = max(best, self._best(order, after, terse=True), key=_worth)
        if best is None and least_steps == 1:
            best = self._lone(slots[begin:] or slots)
        if best is None or len(best.steps) < least_steps:
            return None
        self._take(best)
        return best

    def _pick_moment(self, moments: int) -> int:
        """The hazard at each moment in turn; at the latest the last one."""
        return next((index for index in range(moments) if self._rng.random() < self._changes.hazard), moments - 1)

    def _best(self, order: Sequence[Slot], after: int, terse: bool) -> Argument | None:
        """The first lively argument in this order, else the liveliest of all."""
        best: Argument | None = None
        for slot in order:
            argument = self._grow(slot, after, terse)
            best = max(best, argument, key=_worth)
            if argument is not None and self._is_lively(argument):
                return argument
        return best

    def _grow(self, first: Slot, after: int, terse: bool) -> Argument | None:
        """The argument that this slot would open, if it can; `terse`: ultra-short messages may carry it."""
        if first.path != "reply" or first.parent is None or not self._can_argue(first):
            return None
        restated = self._by_index[first.parent]
        if restated.index <= after or not self._can_restate(restated):
            return None
        if not terse and (first.ultra_short or restated.ultra_short):
            return None
        wanted = self._rng.randint(self._changes.argument_low, self._changes.argument_high)
        steps = [first]
        for slot in self._following(restated, first):
            if len(steps) == wanted:
                break
            if slot.progress <= self._changes.eligible_to:
                steps.append(slot)
        while not terse and steps[-1].ultra_short:
            steps.pop()
        return Argument(restated=restated, steps=steps)

    def _take(self, argument: Argument) -> None:
        """Its slots are not to be had again; what opens and settles an argument is not ultra-short."""
        self.used.update(slot.index for slot in argument.steps)
        if argument.restated is not None:
            self.used.add(argument.restated.index)
            argument.restated.ultra_short = False
        argument.steps[0].ultra_short = argument.settled.ultra_short = False

    def _following(self, restated: Slot, first: Slot) -> Iterator[Slot]:
        """Later slots that reply to the restatement or to what followed on it, in the order of time."""
        waiting = [slot.index for slot in self._children.get(restated.index, ()) if slot.index > first.index]
        waiting += [slot.index for slot in self._children.get(first.index, ())]
        heapq.heapify(waiting)
        for _ in range(MOST_LOOKED_AT):
            if not waiting:
                return
            slot = self._by_index[heapq.heappop(waiting)]
            if self._can_argue(slot):
                yield slot
                for child in self._children.get(slot.index, ()):
                    heapq.heappush(waiting, child.index)

    def _can_argue(self, slot: Slot) -> bool:
        return slot.path == "reply" and slot.noise is None and slot.index not in self.used

    def _can_restate(self, slot: Slot) -> bool:
        return (
            slot.noise is None
            and slot.path != "cross_project_reply"
            and slot.index not in self.used
            and slot.in_phase > 0
        )

    def _lone(self, slots: Sequence[Slot]) -> Argument:
        """A step by itself: the fallback where a phase has hardly any messages."""
        quiet = [slot for slot in slots if slot.noise is None and slot.path != "cross_project_reply"]
        plain = [slot for slot in quiet if not slot.ultra_short]
        step = (plain or quiet or slots)[0]
        step.noise = None
        return Argument(restated=None, steps=[step])

    def _is_lively(self, argument: Argument) -> bool:
        people, steps = _worth(argument)
        return people >= LIVELY_PEOPLE and steps >= self._changes.argument_low


def _worth(argument: Argument | None) -> tuple[int, int]:
    """People, then messages."""
    if argument is None:
        return (0, 0)
    return (len({slot.author for slot in argument.steps}), len(argument.steps))
