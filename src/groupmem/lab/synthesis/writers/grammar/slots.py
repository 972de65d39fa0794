"""What fills the slots of rules: forms that agree, the parent's subject, a sibling phase, and what lies about."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from groupmem.lab.synthesis.base import MessagePlan, PhaseView
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.writers.grammar.marks import matter

_TAIL = re.compile(r"\s+(?:for|of|at|in|on|from)\s.*$|\s+[A-Z]+-\d+$")
_LIST = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_ITEM_WORDS = 3


class Surroundings:
    """What the pack knows beside the plan: its concepts (neutral wording, meaning), and what lies about in a place."""

    def __init__(self, pack: Pack) -> None:
        self.concepts = {concept.id: (concept.plain, concept.meaning) for concept in pack.concepts}
        self._around = {
            (project.name, phase.name): {
                "artefact": _plain(project.artefacts),
                "customer": _plain(project.customers),
                "vendor": _plain(project.vendors),
                "thing": _plain(each.subject for each in (*phase.things(), *topic.things()) if not each.plural),
            }
            for project, topic, phase in pack.phases()
        }

    def pick(self, place: PhaseView, rng: random.Random) -> dict[str, str]:
        """One thing of each sort that people in this place have about them."""
        around = self._around.get((place.project, place.phase), {})
        return {name: rng.choice(choices) for name, choices in around.items() if choices}


def _plain(phrases: Iterable[str]) -> tuple[str, ...]:
    """The phrases that say what they say without a concept or a name put in."""
    return tuple(phrase for phrase in phrases if "{" not in phrase)


def shortened(subject: str) -> str:
    """A subject as somebody says it who has just heard it whole: without what follows its head."""
    return _TAIL.sub("", subject) or subject


def agreement(plural: bool) -> dict[str, str]:
    """Verbs and pronouns for a subject in the singular or plural."""
    if plural:
        return {"is": "are", "isnt": "aren't", "was": "were", "has": "have", "does": "do", "s": "", "es": "",
                "it": "they", "them": "them", "its": "their", "this": "these"}  # fmt: skip
    return {"is": "is", "isnt": "isn't", "was": "was", "has": "has", "does": "does", "s": "s", "es": "es",
            "it": "it", "them": "it", "its": "its", "this": "this"}  # fmt: skip


def pronouns(pronoun: str) -> dict[str, str]:
    """The forms of a person's pronoun, and the ending of a verb that follows it."""
    if pronoun == "they":
        return {"he": "they", "him": "them", "his": "their", "hes": ""}
    him, his = ("her", "her") if pronoun == "she" else ("him", "his")
    return {"he": pronoun, "him": him, "his": his, "hes": "s"}


def place_slots(plan: MessagePlan, rng: random.Random) -> dict[str, str]:
    """Who is there, where, and what it is about; of several that could be named, one."""
    slots = {
        "phase": plan.place.phase.rpartition(": ")[2],
        "topic": plan.place.topic,
        "project": plan.place.project,
        "role": plan.author.role,
    }
    minded = [item for item in _LIST.split(plan.author.minds) if item and len(item.split()) <= _ITEM_WORDS]
    others = [listener.first_name for listener in plan.audience if listener != plan.addressee]
    slots |= {name: rng.choice(choices) for name, choices in (("mind", minded), ("other", others)) if choices}
    if plan.addressee is not None and not plan.mention_parent:
        slots["to"] = plan.addressee.first_name
    if plan.reporting is not None:
        slots["on_behalf"] = plan.reporting.first_name
    given = (("source", plan.source_project), ("issue", plan.sub_issue))
    return slots | {name: text for name, text in given if text} | _reference(plan)


def parent_subject(plan: MessagePlan) -> dict[str, str]:
    """What the parent spoke of, for taking it up; marked."""
    if not plan.parent_mentions:
        return {}
    mention = plan.parent_mentions[0]
    named = matter(shortened(mention.subject))
    forms = agreement(mention.plural)
    return {"pS": f"the {named}", "psub": named, "pit": forms["it"], "pthem": forms["them"], "pis": forms["is"]}


def _reference(plan: MessagePlan) -> dict[str, str]:
    reference = plan.cross_reference
    if reference is None:
        return {}
    known = {plan.author.name, plan.author.first_name}
    if plan.addressee is not None:
        known |= {plan.addressee.name, plan.addressee.first_name}
    named = {} if reference.author_name in known else {"xauthor": reference.author_name.split()[0]}
    subject = shortened(reference.mention.subject) if reference.mention is not None else reference.spoken
    about = {} if reference.spoken in subject else {"xsub": subject}
    return {"xphase": reference.spoken, **named, **about}
