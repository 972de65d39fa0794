"""Whether a text says what was planned: what it states is looked up in it, never taken on trust."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groupmem.lab.synthesis.base import FactMention, MessagePlan, Stated, Written
from groupmem.text import words

FIRST_PERSON = re.compile(r"\b(?:I['’](?:m|ll|ve|d)|I|myself|mine|my|me)\b", re.IGNORECASE)


def find_stated(plan: MessagePlan, text: str) -> tuple[Stated, ...]:
    """Every mention of the plan that the text states, with the substring that shows it."""
    found = ((mention, find_surface(mention, text)) for mention in plan.mentions)
    return tuple(Stated(fact=mention.fact, surface=surface) for mention, surface in found if surface is not None)


def find_surface(mention: FactMention, text: str) -> str | None:
    """The substring of the text that states the mention: its value, a first person, or for a question the subject."""
    if mention.how == "ask":
        return _find(mention.subject, text) or _find_words(mention.subject, text)
    if mention.self_value:
        first_person = FIRST_PERSON.search(text)
        return first_person[0] if first_person else _find(mention.value, text)
    return _find(mention.value, text)


def problems_of(plan: MessagePlan, text: str, ultra_short_slack: int = 0) -> list[str]:
    """What a text lacks that its plan asks for without condition, each as an instruction to its writer."""
    return list(_lacking(plan, text, ultra_short_slack))


def check_honest(plan: MessagePlan, written: Written) -> str | None:
    """What a writer claims to have stated and has not, or None where all of it is in the text."""
    mentioned = {mention.fact for mention in plan.mentions}
    for stated in written.stated:
        if stated.fact not in mentioned:
            return f"{plan.id}: states {stated.fact!r}, which is not in its plan"
        if not stated.surface or stated.surface not in written.text:
            return f"{plan.id}: {stated.surface!r} for {stated.fact} is not in the text {written.text!r}"
    return None


def missing(plan: MessagePlan, written: Written) -> list[FactMention]:
    """Mentions that had to be stated and were not."""
    stated = {each.fact for each in written.stated}
    return [mention for mention in plan.mentions if not mention.optional and mention.fact not in stated]


def _lacking(plan: MessagePlan, text: str, slack: int) -> Iterable[str]:
    if not text.strip():
        yield "write something"
    for mention in plan.mentions:
        if not mention.optional and find_surface(mention, text) is None:
            yield _instruction(mention)
    for point in plan.points:
        if point.required and _find(point.text, text) is None:
            yield f'say, in exactly these words: "{point.text}"'
    if plan.url is not None and plan.url not in text:
        yield f"put this link in: {plan.url}"
    limit = plan.length.words
    if limit is not None and len(text.split()) > limit + slack:
        yield f"use at most {limit} words"


def _instruction(mention: FactMention) -> str:
    if mention.how == "ask":
        return f'ask about "{mention.subject}" by that name'
    if mention.self_value:
        return f"say in the first person that it is you: {mention.kind} of {mention.subject}"
    return f'say, in exactly these words: "{mention.value}" ({mention.kind} of {mention.subject})'


def _find(phrase: str | None, text: str) -> str | None:
    """The phrase as it stands in the text, whatever its case; not in the middle of a word or a number."""
    if not phrase:
        return None
    found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    return found[0] if found else None


def _find_words(subject: str, text: str) -> str | None:
    """The longest word of the subject that the text has: a question may shorten what it is about."""
    for word in sorted(words(subject), key=len, reverse=True):
        surface = _find(word, text)
        if len(word) > 3 and surface is not None:
            return surface
    return None
