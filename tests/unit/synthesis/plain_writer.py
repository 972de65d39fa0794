"""A writer for tests of everything but the writing: one bare clause for each thing that must be said."""

from __future__ import annotations

import random

from groupmem.lab.synthesis.base import FactMention, MessagePlan, Situation, Stated, Written
from groupmem.lab.synthesis.verify import find_stated


class PlainWriter:
    """Says what the plan says, flatly."""

    name = "plain"

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written:
        clauses = [_clause(mention) for mention in plan.mentions if not mention.optional]
        clauses += [point.text for point in plan.points]
        if plan.mention_parent and plan.addressee is not None:
            clauses.insert(0, f"@{plan.addressee.first_name}")
        if plan.url is not None:
            clauses.append(plan.url)
        text = "; ".join(clauses) or rng.choice(("ok", "fine", "noted", "sure")) + f" {plan.ordinal_in_phase}"
        return Written(text=text, stated=find_stated(plan, text))


class LyingWriter(PlainWriter):
    """Claims to have stated what it has not."""

    name = "lying"

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written:
        return Written(text="nothing", stated=tuple(Stated(fact=m.fact, surface="something") for m in plan.mentions))


def _clause(mention: FactMention) -> str:
    if mention.how == "ask":
        return f"{mention.kind} of the {mention.subject}?"
    if mention.self_value:
        return f"I am {mention.kind} of the {mention.subject}"
    return f"{mention.how} {mention.kind} of the {mention.subject}: {mention.value}"
