"""What a reply says: it answers its parent."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactKind, How, ReplyAct
from groupmem.lab.synthesis.phase_plan import SORTS, Focus, PhasePlan
from groupmem.lab.synthesis.planned import Content, PlannedFact, Seed
from groupmem.lab.synthesis.slots import Slot

SAYING: tuple[How, ...] = ("state", "confirm", "propose", "argue", "reverse", "keep", "refer")
"""Manners in which a parent says something that can be taken up."""
NEXT_KINDS: dict[FactKind, float] = {
    "deadline": 3.0,
    "owner": 2.0,
    "status": 2.0,
    "decision": 2.0,
    "number": 2.0,
    "requirement": 1.5,
    "blocker": 1.0,
    "approval": 1.0,
}
SHORT_VALUE_WORDS = 4
"""A longer value does not fit an ultra-short message."""
DISPUTABLE: tuple[FactKind, ...] = ("decision", "deadline", "number", "requirement", "owner")
"""What somebody can be against."""
ALTERABLE: tuple[FactKind, ...] = ("decision", "deadline", "number", "owner")
"""What somebody can propose another value for."""
ANSWERED = 0.85
"""How often an open question that is replied to gets its answer at once."""
ASKED_AGAIN = 0.4
"""How often somebody who asks back repeats what is still open in the thread."""
COUNTERED = 0.6
"""How often somebody who believes otherwise says so."""
DRAWN_IN = 0.5
"""How often a disagreement with a message that says nothing disputable turns on something else that stands."""
SAID_AGAIN = 0.22
"""How often somebody who adds something says once more what the thread knows."""
PULLED_TOGETHER = 0.4
"""How often, late in a phase, somebody pulls together what the thread knows instead of adding to it."""
PROMISED = 0.45
"""How often who adds an owner or a date takes it on themselves."""
ASKED_BACK = 0.4
"""How often somebody who brings no fact asks for one."""


def plan_reply(plan: PhasePlan, slot: Slot, parent: Slot, answered: Content) -> Content:
    """The content of a reply to a message with this content."""
    if slot.disagreement is not None:
        return _push_back(plan, slot, answered)
    if parent.noise is not None and plan.rng.random() < plan.policy.realism.correction:
        return _correct(plan, slot, answered)
    question = answered.first("ask")
    if question is not None and plan.rng.random() < ANSWERED:
        return _answer(plan, slot, question)
    if answered.act == "push_back":
        return _defend(plan, slot, answered)
    belief = next((seed.fact for seed in answered.seeds if seed.fact.kind == "belief"), None)
    if belief is not None and plan.rng.random() < COUNTERED:
        return _own_view(plan, slot, belief)
    if slot.ultra_short:
        return _take_note(plan, slot, answered)
    return _bring_something(plan, slot, parent, answered)


def _correct(plan: PhasePlan, slot: Slot, answered: Content) -> Content:
    """Says what is right where something is; where nothing is settled, speaks against the mistake."""
    mistake = answered.first("mistake")
    if mistake is None or not mistake.fact.matter:
        return Content(act="correct")
    if _still_so(plan, slot, mistake.fact):
        seed = Seed(fact=mistake.fact, how="confirm", was=mistake.value_of, optional=slot.ultra_short)
    else:
        seed = Seed(fact=mistake.fact, how="dispute", value_of=mistake.value_of, optional=True)
    return Content(act="correct", seeds=[seed])


def _answer(plan: PhasePlan, slot: Slot, question: Seed) -> Content:
    item = plan.items_of[question.fact.matter]
    if slot.ultra_short and len(question.fact.raw_value.split()) > SHORT_VALUE_WORDS:
        return Content(act="acknowledge")
    if question.fact.is_known:
        current = item.current(question.fact.kind) or question.fact
        return Content(act="answer", seeds=[Seed(fact=current, how="confirm", optional=slot.ultra_short)])
    return Content(act="answer", seeds=[plan.tell(slot, item, question.fact.kind)])


def _push_back(plan: PhasePlan, slot: Slot, answered: Content) -> Content:
    """Disagreement in the manner that was drawn; somebody else's belief is met with one's own."""
    belief = next((seed.fact for seed in answered.seeds if seed.fact.kind == "belief"), None)
    if belief is not None and not slot.ultra_short:
        own = _belief_about(plan, slot.author, belief)
        if not own.same_value(belief):
            return Content(act="push_back", seeds=[plan.hold(slot, own, "state")], points=[plan.point("evidence")])
    target = _disputed(plan, slot, answered)
    content = Content(act="push_back")
    if target is not None:
        content.seeds.append(Seed(fact=target, how="dispute", optional=True))
    if slot.ultra_short:
        return content
    scope = plan.items_of[target.matter].scope if target is not None else None
    match slot.disagreement:
        case "propose_alternative" if target is not None and target.kind in ALTERABLE:
            content.seeds = [_alternative(plan, slot, target)]
        case "cite_counter_evidence" | "question_assumptions":
            content.points.append(plan.point("evidence", scope))
        case "challenge_feasibility":
            content.points.append(plan.point(plan.rng.choice(("risk", "evidence")), scope))
        case _:
            content.points.append(plan.point("risk", scope))
    return content


def _disputed(plan: PhasePlan, slot: Slot, answered: Content) -> PlannedFact | None:
    """What the parent said and one can be against, else something of the kind that stands in the phase. A status or a
    blocker is how things are: against such a message one holds a risk or evidence alone."""
    said = answered.first(*SAYING)
    if said is not None and said.fact.holder is None:
        return said.fact if said.fact.kind in DISPUTABLE and not said.fact.is_over(slot) else None
    return plan.standing(slot, DISPUTABLE) if plan.rng.random() < DRAWN_IN else None


def _alternative(plan: PhasePlan, slot: Slot, target: PlannedFact) -> Seed:
    """What the author would rather have: theirs alone, beside what stands."""
    item = plan.items_of[target.matter]
    wanted = plan.values.other(item, target, slot)
    wanted.holder, wanted.valid_from = slot.author, slot.index
    plan.facts.append(wanted)
    return Seed(fact=wanted, how="propose", was=target)


def _defend(plan: PhasePlan, slot: Slot, answered: Content) -> Content:
    disputed = answered.first("dispute", "propose")
    content = Content(act="defend")
    if disputed is not None:
        standing = disputed.was or disputed.fact
        if standing.stands_at(slot) and standing.holder is None:
            content.seeds.append(Seed(fact=standing, how="confirm", optional=slot.ultra_short))
    if not slot.ultra_short:
        scope = (
            plan.items_of[disputed.fact.matter].scope if disputed and disputed.fact.matter in plan.items_of else None
        )
        content.points.append(plan.point("reason", scope))
    return content


def _own_view(plan: PhasePlan, slot: Slot, belief: PlannedFact) -> Content:
    own = _belief_about(plan, slot.author, belief)
    act: ReplyAct = "add" if own.same_value(belief) else "push_back"
    return Content(act=act, seeds=[plan.hold(slot, own, "state")])


def _take_note(plan: PhasePlan, slot: Slot, answered: Content) -> Content:
    """A nod; it may repeat what the parent told, if that still holds."""
    said = answered.first(*SAYING)
    seeds = [Seed(fact=said.fact, how="confirm", optional=True)] if said and _still_so(plan, slot, said.fact) else []
    return Content(act="acknowledge", seeds=seeds)


def _still_so(plan: PhasePlan, slot: Slot, fact: PlannedFact) -> bool:
    """Whether the fact can be confirmed: it stands, and is no status of the phase that time has passed."""
    return fact.stands_at(slot) and not (fact is plan.whole.current("status") and plan.has_moved(slot))


def _bring_something(plan: PhasePlan, slot: Slot, parent: Slot, answered: Content) -> Content:
    """A belief, a preference, somebody else's word, a fact, a question back, or a nod."""
    facts = plan.policy.facts
    draw = plan.rng.random()
    if draw < facts.belief:
        return Content(act="add", seeds=[plan.hold(slot, plan.belief_of(slot.author), "state")])
    if draw < facts.belief + facts.preference:
        return Content(act="add", seeds=[plan.hold(slot, plan.preference_of(slot.author), "state")])
    if draw < facts.belief + facts.preference + facts.on_behalf:
        return _report(plan, slot, parent)
    if plan.rng.random() < facts.reply:
        return _add(plan, slot)
    if plan.rng.random() < ASKED_BACK:
        return _ask_back(plan, slot)
    return _take_note(plan, slot, answered)


def _report(plan: PhasePlan, slot: Slot, parent: Slot) -> Content:
    """What somebody who is not in the conversation holds, said by the author."""
    everybody = [member for member in range(len(plan.scaffold.members)) if member not in (slot.author, parent.author)]
    absent = [member for member in everybody if member not in plan.phase.members]
    team = plan.scaffold.projects[plan.phase.project].members
    near = [member for member in absent if member in team]
    if not everybody:
        return Content(act="acknowledge")
    member = plan.rng.choice(near or absent or everybody)
    of_project = member in team and plan.rng.random() < 0.5
    fact = plan.belief_of(member) if of_project else plan.preference_of(member)
    return Content(act="report", seeds=[plan.hold(slot, fact, "report")], reporting=member)


def _add(plan: PhasePlan, slot: Slot) -> Content:
    """The next fact about what the thread turns around; sometimes one that is known already, or a promise."""
    focus = _focus(plan, slot)
    known = [fact for fact in focus.known() if _still_so(plan, slot, fact)]
    if known and plan.rng.random() < SAID_AGAIN:
        return Content(act="add", seeds=[Seed(fact=plan.rng.choice(known), how="confirm")])
    if slot.progress > plan.policy.schedule.closure_from and known and plan.rng.random() < PULLED_TOGETHER:
        return Content(act="close", seeds=[Seed(fact=known[-1], how="confirm")])
    waiting = focus.waiting()
    if waiting is not None and plan.rng.random() < ANSWERED:
        return Content(act="add", seeds=[plan.tell(slot, *waiting)])
    kind = plan.rng.choices(list(NEXT_KINDS), list(NEXT_KINDS.values()))[0]
    item = plan.draw(kind, focus)
    if kind in ("owner", "deadline") and plan.rng.random() < PROMISED:
        seeds = [plan.tell(slot, item, "owner", person=slot.author)]
        if kind == "deadline":
            seeds.append(plan.tell(slot, item, "deadline"))
        return Content(act="commit", seeds=seeds)
    seeds = [plan.move_on(slot, item) if kind == "status" else plan.tell(slot, item, kind)]
    if plan.rng.random() < plan.policy.facts.second:
        more = plan.rng.choices(list(NEXT_KINDS), list(NEXT_KINDS.values()))[0]
        if more != kind:
            seeds.append(plan.tell(slot, plan.draw(more, focus), more))
    return Content(act="add", seeds=seeds)


def _ask_back(plan: PhasePlan, slot: Slot) -> Content:
    focus = _focus(plan, slot)
    waiting = focus.waiting()
    if waiting is not None and plan.rng.random() < ASKED_AGAIN:
        return Content(act="ask", seeds=[plan.ask(slot, *waiting)])
    kind = plan.rng.choices(list(NEXT_KINDS), list(NEXT_KINDS.values()))[0]
    return Content(act="ask", seeds=[plan.ask(slot, plan.draw(kind, focus), kind)])


def _focus(plan: PhasePlan, slot: Slot) -> Focus:
    return plan.focus(slot, lambda: plan.pool.draw(SORTS["deadline"]))


def _belief_about(plan: PhasePlan, member: int, belief: PlannedFact) -> PlannedFact:
    """What this person believes about the matter of somebody else's belief."""
    choice = next(
        (choice for choice in plan.phase.matter.beliefs if belief.matter.endswith(f"/belief/{choice.subject}")), None
    )
    return plan.belief_of(member, choice)
