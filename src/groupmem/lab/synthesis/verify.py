"""Whether a text says what was planned: what it states is looked up in it, never taken on trust."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groupmem.lab.synthesis.base import FactMention, LengthRule, MessagePlan, Stated, Written
from groupmem.text import words

LEAST_LETTERS = 4
"""A shorter word of a subject does not show that the text is about it."""
_OPINION = r"(?:['’]d)? (?:think|guess|believe|suppose|say|hear|heard|hope|wonder|doubt|know)\b"
FIRST_PERSON = re.compile(rf"\b(?:I(?!\.e\b|{_OPINION})|my|mine|(?<!\blet )me)\b", re.IGNORECASE)
"""The author as the one who does something; "I think" and "let me know" make nobody an owner."""

SECOND_PERSON = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
"""What makes "@Ana" more than an address: "@Ana it is yours"."""


def find_stated(plan: MessagePlan, text: str) -> tuple[Stated, ...]:
    """Every mention of the plan that the text states, with the substring that shows it."""
    found = ((mention, find_surface(mention, text)) for mention in plan.mentions if names_subject(plan, mention, text))
    return tuple(Stated(fact=mention.fact, surface=surface) for mention, surface in found if surface is not None)


def find_surface(mention: FactMention, text: str) -> str | None:
    """The substring of the text that states the mention: its value, a first person, or for a question the subject."""
    if mention.how == "ask":
        return _find(mention.subject, text) or _find_word(mention.subject, text)
    if mention.self_value:
        first_person = FIRST_PERSON.search(text)
        return first_person[0] if first_person else _find(mention.value, text)
    if mention.kind in ("owner", "approval") and not SECOND_PERSON.search(text):
        return _find(mention.value, text, behind="@")
    return _find(mention.value, text)


def names_subject(plan: MessagePlan, mention: FactMention, text: str) -> bool:
    """Whether a reader can tell what the mention is about: the text has a word of it, or answers a message about it."""
    if any(_matter(mention) == _matter(parent) for parent in plan.parent_mentions):
        return True
    return not _telling(mention.subject) or _find_word(mention.subject, text) is not None


def problems_of(plan: MessagePlan, text: str) -> list[str]:
    """What a text lacks that its plan asks for without condition, each as an instruction to its writer."""
    return list(_lacking(plan, text))


def must_refer(plan: MessagePlan) -> bool:
    """Whether the message owes a word about another phase; in other messages that is context and no more."""
    return plan.cross_reference is not None and plan.path == "reply" and plan.noise is None


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


def _lacking(plan: MessagePlan, text: str) -> Iterable[str]:
    if not text.strip():
        yield "write something"
    for mention in plan.mentions:
        if not mention.optional and find_surface(mention, text) is None:
            yield _instruction(mention)
        elif not mention.optional and not names_subject(plan, mention, text):
            yield f'name what it is about: "{mention.subject}"'
    for point in plan.points:
        if point.required and _find(point.text, text) is None:
            yield f'say, in exactly these words: "{point.text}"'
    if plan.mention_parent and plan.addressee is not None and _find(f"@{plan.addressee.first_name}", text) is None:
        yield f'address them by writing exactly "@{plan.addressee.first_name}"'
    if plan.url is not None and plan.url not in text:
        yield f"put this link in: {plan.url}"
    if must_refer(plan) and plan.cross_reference is not None and _find(plan.cross_reference.spoken, text) is None:
        yield f'name the other phase: "{plan.cross_reference.spoken}"'
    yield from _too_long(plan.length, text)


def _too_long(rule: LengthRule, text: str) -> Iterable[str]:
    """Sentences are not counted, for where one ends in a chat is anybody's guess; all of them together are."""
    said = len(text.split())
    if rule.words is not None and said > rule.words:
        yield f"use at most {rule.words} words"
    elif rule.sentence_words is not None and said > rule.max_sentences * rule.sentence_words:
        yield f"use at most {rule.max_sentences} sentences, each of at most {rule.sentence_words} words"


def _instruction(mention: FactMention) -> str:
    if mention.how == "ask":
        return f'ask about "{mention.subject}" by that name'
    if mention.self_value:
        return f"say in the first person that it is you: {mention.kind} of {mention.subject}"
    return f'say, in exactly these words: "{mention.value}" ({mention.kind} of {mention.subject})'


def _find(phrase: str | None, text: str, behind: str = "") -> str | None:
    """The phrase as it stands in the text, whatever its case; not in the middle of a word or of a number, and not
    behind the sign `behind`."""
    if not phrase:
        return None
    found = re.search(rf"(?<![\w{behind}])(?<!\d[.,]){re.escape(phrase)}(?!\w)(?![.,]\d)", text, re.IGNORECASE)
    return found[0] if found else None


def _find_word(subject: str, text: str) -> str | None:
    """The longest telling word of the subject that the text has: a message may shorten what it is about."""
    found = (_find(word, text) for word in sorted(_telling(subject), key=len, reverse=True))
    return next((surface for surface in found if surface is not None), None)


def _telling(subject: str) -> list[str]:
    """Words that show what the subject is; whom it is for ("desk guide for the pilot branch") says too little."""
    return [word for word in words(subject.partition(" for ")[0]) if len(word) >= LEAST_LETTERS]


def _matter(mention: FactMention) -> str:
    """The subject, whichever words its author has for it."""
    subject = mention.subject
    for concept, word in mention.words:
        subject = subject.replace(word, concept)
    return subject
