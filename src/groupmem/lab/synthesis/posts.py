"""What a channel post says, by its type."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactKind, PostType
from groupmem.lab.synthesis.phase_plan import Focus, PhasePlan
from groupmem.lab.synthesis.planned import Content, RawPoint, Seed
from groupmem.lab.synthesis.slots import Slot

MAIN_KIND: dict[PostType, tuple[FactKind, ...]] = {
    "update": ("status", "number", "status", "requirement"),
    "question": ("deadline", "owner", "decision", "number", "approval", "requirement", "status"),
    "blocker": ("blocker",),
    "decision": ("decision", "decision", "number", "deadline"),
    "milestone": ("approval", "status"),
    "escalation": ("blocker", "deadline"),
    "coordination": ("owner", "deadline"),
    "kickoff": ("owner",),
}
"""What a post of this type is about, one drawn of these."""
SECOND_KIND: dict[PostType, tuple[FactKind, ...]] = {
    "update": ("deadline", "number", "owner"),
    "blocker": ("deadline", "owner"),
    "decision": ("owner", "deadline"),
    "milestone": ("status", "number"),
    "escalation": ("owner", "approval"),
    "coordination": ("deadline", "approval"),
}
"""What a second fact of the post is, about the same thing where it can be."""
TAKES_UP: dict[PostType, float] = {"update": 0.5, "question": 0.2}
"""How often an update tells, or a question repeats, what was asked for in another thread and not answered there."""


PHASE_MILESTONES = 0.6
"""How often a milestone is that of the phase, where its status has changed since somebody said it."""


def plan_post(plan: PhasePlan, slot: Slot) -> Content:
    """The content of a post; it begins what its thread turns around."""
    kind: PostType = slot.post_type or "update"
    if slot.in_phase == 0:
        return _opening(plan, slot, kind)
    waiting = plan.waiting() if kind in TAKES_UP else None
    if waiting is not None and plan.rng.random() < TAKES_UP[kind]:
        item, main = waiting
        plan.focus(slot, lambda: item)
        return Content(act=kind, seeds=[(plan.ask if kind == "question" else plan.tell)(slot, item, main)])
    if kind == "milestone" and plan.has_moved(slot) and plan.rng.random() < PHASE_MILESTONES:
        plan.focus(slot, lambda: plan.draw("deadline"))
        return Content(act=kind, seeds=[plan.move_on(slot, plan.whole)])
    main = plan.rng.choice(MAIN_KIND[kind])
    item = plan.draw(main)
    focus = plan.focus(slot, lambda: item)
    if kind == "question":
        return Content(act=kind, seeds=[plan.ask(slot, item, main)])
    seeds = [plan.move_on(slot, item) if main == "status" else plan.tell(slot, item, main)]
    if plan.rng.random() < _second_rate(plan, kind):
        seeds += _second(plan, slot, kind, focus)
    return Content(act=kind, seeds=seeds, points=_points(plan, kind, item.scope))


def _opening(plan: PhasePlan, slot: Slot, kind: PostType) -> Content:
    """The first post of a phase: who leads it and when it is to be done, or where it stands."""
    plan.focus(slot, lambda: plan.draw("deadline"))
    kinds: tuple[FactKind, ...] = ("owner", "deadline") if kind == "kickoff" else ("status", "deadline")
    return Content(act=kind, seeds=[plan.tell(slot, plan.whole, each) for each in kinds])


def _second_rate(plan: PhasePlan, kind: PostType) -> float:
    # Coordination is about who and when, a blocker about what it holds up: two facts belong together there.
    return 1.0 if kind in ("coordination", "blocker") else plan.policy.facts.second


def _second(plan: PhasePlan, slot: Slot, kind: PostType, focus: Focus) -> list[Seed]:
    wanted = plan.rng.choice(SECOND_KIND[kind])
    return [plan.tell(slot, plan.draw(wanted, focus), wanted)]


def _points(plan: PhasePlan, kind: PostType, scope: str) -> list[RawPoint]:
    if kind == "decision":
        return [plan.point("reason", scope)]
    if kind in ("escalation", "blocker"):
        return [plan.point("risk", scope)]
    return []
