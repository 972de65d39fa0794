"""Messages with exactly one mistake (GroupMemBench, noise template): what is wrong, and about what."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactKind, PostType, ReplyAct
from groupmem.lab.synthesis.items import fill_slots
from groupmem.lab.synthesis.phase_plan import PhasePlan
from groupmem.lab.synthesis.planned import Content, PlannedFact, Seed
from groupmem.lab.synthesis.slots import Slot

ALTERABLE: tuple[FactKind, ...] = ("deadline", "owner", "status", "decision", "number", "approval")
"""Kinds whose value can be told wrongly in a way that sounds right."""


def plan_noise(plan: PhasePlan, slot: Slot) -> Content:
    """The mistake that was drawn. Where the phase offers nothing for it yet, something open is taken as settled."""
    content = Content(act=_act(slot))
    match slot.noise:
        case "off_topic_drift":
            return content
        case "wrong_audience":
            content.seeds = [_elsewhere(plan, slot)]
        case "stale_info":
            content.seeds = [_stale(plan, slot) or _wrong(plan, slot) or _premature(plan, slot)]
        case "misunderstanding":
            content.seeds = [_mixed_up(plan, slot) or _wrong(plan, slot) or _premature(plan, slot)]
        case "wrong_detail":
            content.seeds = [_wrong(plan, slot) or _premature(plan, slot)]
        case _:
            content.seeds = [_premature(plan, slot)]
    return content


def _act(slot: Slot) -> PostType | ReplyAct:
    if slot.is_post:
        return "kickoff" if slot.in_phase == 0 else "update"
    return "advise" if slot.path == "cross_project_reply" else "add"


def _wrong(plan: PhasePlan, slot: Slot) -> Seed | None:
    """A standing fact with a wrong value."""
    fact = plan.standing(slot, ALTERABLE)
    if fact is None:
        return None
    return Seed(fact=fact, how="mistake", value_of=plan.values.wrong(plan.items_of[fact.matter], fact, slot))


def _stale(plan: PhasePlan, slot: Slot) -> Seed | None:
    """A value that has been replaced, told as if it still held."""
    replaced = [(fact, fact.superseded_by) for fact in plan.stale if fact.superseded_by is not None]
    holding = [(old, now) for old, now in replaced if now.holds_at(slot.index)]
    if not holding:
        return None
    old, now = plan.rng.choice(holding)
    return Seed(fact=now, how="mistake", value_of=old)


def _mixed_up(plan: PhasePlan, slot: Slot) -> Seed | None:
    """The value of one thing told of another."""
    fact = plan.standing(slot, ("deadline", "owner", "approval", "status"))
    other = plan.standing(slot, (fact.kind,)) if fact is not None else None
    if fact is None or other is None or other.same_value(fact):
        return None
    return Seed(fact=fact, how="mistake", value_of=other)


def _premature(plan: PhasePlan, slot: Slot) -> Seed:
    """Something that nobody has decided, told as settled: an open question if there is one."""
    waiting = [(fact, item) for fact, item in plan.asked if not fact.is_known and fact.kind in ALTERABLE]
    if waiting:
        fact, item = plan.rng.choice(waiting)
        return Seed(fact=fact, how="mistake", value_of=plan.values.wrong(item, fact, slot))
    item = plan.pool.draw("choice")
    fact = plan.values.first(item, "decision", slot)
    return Seed(fact=fact, how="mistake", value_of=fact)


def _elsewhere(plan: PhasePlan, slot: Slot) -> Seed:
    """Something about another project's work, told to people who have nothing to do with it."""
    others = [phase for phase in plan.scaffold.phases if phase.project != plan.phase.project]
    phase = plan.rng.choice(others or list(plan.scaffold.phases))
    project = plan.scaffold.pack.projects[phase.project]
    thing = plan.rng.choice(phase.matter.things())
    subject = f"{fill_slots(thing.subject, project, plan.rng)} for {plan.rng.choice(project.customers)}"
    fact = PlannedFact(
        kind="status",
        matter="",
        phase=plan.index,
        subject=subject,
        plural=thing.plural,
        raw_value=plan.rng.choice(plan.scaffold.pack.statuses),
    )
    return Seed(fact=fact, how="mistake", value_of=fact)
