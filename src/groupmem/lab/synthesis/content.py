"""The content pass: what every slot says, and with it all facts and decision changes of the corpus."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from groupmem.lab.synthesis.changes import Change, ChangePlanner, Tools, content_of
from groupmem.lab.synthesis.held import Held
from groupmem.lab.synthesis.noises import plan_noise
from groupmem.lab.synthesis.phase_plan import REMEMBERED, PhasePlan, Shared
from groupmem.lab.synthesis.phrases import Phrases
from groupmem.lab.synthesis.planned import Content, PlannedFact, Seed
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.posts import plan_post
from groupmem.lab.synthesis.replies import plan_reply
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.slots import Slot


class Story(msgspec.Struct, kw_only=True):
    """The whole plan: `contents` by slot index; `facts` in the order of their first statement, `open` those that were
    asked for and never told; ids are set."""

    contents: list[Content]
    facts: list[PlannedFact]
    open: list[PlannedFact]
    changes: list[Change]


def plan_content(scaffold: Scaffold, policy: Policy, slots: Sequence[Slot], seed: int) -> Story:
    """Plans what all slots say."""
    shared = Shared(scaffold, policy, Held(scaffold, seed), Phrases(scaffold.phases))
    taken: dict[int, set[str]] = defaultdict(set)
    by_phase: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        by_phase[slot.phase].append(slot)
    contents: dict[int, Content] = {}
    facts: list[PlannedFact] = []
    asked: list[PlannedFact] = []
    changes: list[Change] = []
    for index in range(len(scaffold.phases)):
        plan = PhasePlan(shared, index, taken[scaffold.phases[index].project], seed)
        changes.extend(_plan_phase(plan, by_phase[index], len(changes)))
        contents.update(plan.contents)
        facts.extend(plan.facts)
        asked.extend(plan.unanswered())
    facts.extend(shared.held.facts())
    story = Story(contents=[contents[slot.index] for slot in slots], facts=facts, open=asked, changes=changes)
    _bridge(scaffold, slots, story, random.Random(f"{seed}/bridges"))
    _number(story)
    return story


def _plan_phase(plan: PhasePlan, slots: Sequence[Slot], first_change: int) -> list[Change]:
    """Changes first, since they need certain threads; then every slot in the order of time."""
    children: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.parent is not None:
            children[slot.parent].append(slot)
    by_index = {slot.index: slot for slot in slots}
    tools = Tools(plan.pool, plan.values, plan.rng)
    planner = ChangePlanner(slots, children, tools, plan.policy.changes)
    planner.plan(first_change)
    for slot in slots:
        booking = planner.bookings.get(slot.index)
        if booking is not None:
            plan.contents[slot.index] = content_of(booking, slot)
            plan.follow(slot, booking)
        else:
            plan.contents[slot.index] = _plan_slot(plan, slot, by_index)
    return planner.changes


def _plan_slot(plan: PhasePlan, slot: Slot, by_index: Mapping[int, Slot]) -> Content:
    if slot.noise is not None:
        return plan_noise(plan, slot)
    if slot.is_post:
        return plan_post(plan, slot)
    if slot.source_phase is not None:
        return Content(act="advise", points=[plan.experience(slot.source_phase)])
    parent = by_index[slot.parent] if slot.parent is not None else slot
    return plan_reply(plan, slot, parent, plan.contents[parent.index])


def _bridge(scaffold: Scaffold, slots: Sequence[Slot], story: Story, rng: random.Random) -> None:
    """Cross-project replies speak from experience: each may bring a fact of the phase that its author comes from."""
    told = ToldFacts(story.facts)
    for slot in slots:
        if slot.source_phase is None or slot.noise is not None:
            continue
        holding = told.before(slot.source_phase, slot)
        if holding:
            seed = Seed(fact=rng.choice(holding), how="refer", optional=rng.random() < 0.5)
            story.contents[slot.index].seeds.append(seed)


class ToldFacts:
    """The group's facts by phase, for looking up which of them stood at a slot."""

    def __init__(self, facts: Sequence[PlannedFact]) -> None:
        self._facts: dict[int, list[PlannedFact]] = defaultdict(list)
        for fact in sorted(facts, key=_first_said):
            if fact.holder is None:
                self._facts[fact.phase].append(fact)
        self._begins = {phase: [_first_said(fact) for fact in told] for phase, told in self._facts.items()}

    def before(self, phase: int, slot: Slot) -> list[PlannedFact]:
        """Those of the last facts told in the phase before this slot that still stand there."""
        end = bisect_left(self._begins.get(phase, []), slot.index)
        return [fact for fact in self._facts.get(phase, [])[max(0, end - REMEMBERED) : end] if fact.stands_at(slot)]


def _number(story: Story) -> None:
    story.facts.sort(key=_first_said)
    for number, fact in enumerate(story.facts, start=1):
        fact.id = f"Fact_{number}"
    for number, fact in enumerate(story.open, start=1):
        fact.id = f"Open_{number}"
    in_time = sorted(story.changes, key=lambda change: change.argument.settled.index)
    for number, change in enumerate(in_time, start=1):
        change.id = f"Change_{number}"


def _first_said(fact: PlannedFact) -> int:
    return fact.valid_from if fact.valid_from is not None else -1
