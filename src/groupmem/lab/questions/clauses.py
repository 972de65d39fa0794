"""The English of questions: clause patterns by kind of fact, none of which depends on number or gender.

`{x}` is a noun phrase with its article, `{v}` a value in words. Which of several patterns is taken depends on the seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from groupmem.lab.questions.facts import Fact

WORK_KINDS = ("deadline", "owner", "status", "blocker", "approval")
"""Kinds that are told of one and the same piece of work, so that one of them can lead to another."""
DATE_FORM = " (YYYY-MM-DD)"
GROUPS = ("team", "squad", "desk", "unit", "group", "office", "branch", "entity", "arm", "staff", "crew", "shift")
DETERMINERS = ("each", "every", "any", "all", "the", "no")
PRONOUNS = ("i", "we", "you", "they", "it", "he", "she", "nobody", "somebody", "everybody")
QUESTION_WORDS = ("why", "what", "how", "where", "when", "who", "whom", "whose", "which", "whether")

ASK: Mapping[str, tuple[str, ...]] = {
    "deadline": (
        "By which date must {x} be ready?" + DATE_FORM,
        "What is the deadline for {x}?" + DATE_FORM,
        "When must {x} be done at the latest?" + DATE_FORM,
        "Which date do we have to meet for {x}?" + DATE_FORM,
    ),
    "owner": (
        "Who looks after {x}?",
        "Who is in charge of {x}?",
        "Who took on {x}?",
        "Whose job is it to take care of {x}?",
    ),
    "status": (
        "Where do we stand with {x}?",
        "What is the last reported state of {x}?",
        "How far did {x} get, going by the last report?",
    ),
    "blocker": (
        "What is holding up {x}?",
        "What has to come in before {x} can move on?",
        "What are we waiting for with {x}?",
    ),
    "approval": (
        "Who gave the go-ahead for {x}?",
        "Who signed off on {x}?",
        "Whose approval do we have for {x}?",
    ),
    "decision": (
        "What did we settle on for {x}?",
        "Which option did we choose for {x}?",
        "What was decided for {x}?",
    ),
    "number": (
        "What figure do we have for {x}?",
        "Which number was given for {x}?",
    ),
    "requirement": (
        "What condition was laid down for {x}?",
        "What is required of {x}?",
        "Which rule was set for {x}?",
    ),
}
THAT: Mapping[str, tuple[str, ...]] = {
    "deadline": ("that must be ready by {v}", "due by {v}"),
    "owner": ("that {v} looks after", "that {v} is in charge of"),
    "status": ('last reported as "{v}"',),
    "blocker": ("that has to wait for {v}",),
    "approval": ("that {v} approved", "that {v} signed off"),
}
"""Clauses after a noun: one fact about a piece of work stands for its name."""
SAYS: Mapping[str, tuple[str, ...]] = {
    "deadline": ("{x} must be ready by {v}",),
    "owner": ("{v} looks after {x}", "{v} is in charge of {x}"),
    "status": ('the last report on {x} was "{v}"',),
    "blocker": ("{x} must wait for {v}",),
    "approval": ("{v} approved {x}", "{v} signed off on {x}"),
}
"""The same facts as statements, which a question can start from."""
WHO: Mapping[str, tuple[str, ...]] = {
    "owner": ("whoever looks after {x}", "the person in charge of {x}"),
    "approval": ("whoever approved {x}", "the person who signed off on {x}"),
}
"""Noun phrases for a person, through one fact that names them."""
NOUNS = ("the piece of work", "the task", "the item")
HOLDS_NOW: Mapping[str, tuple[str, ...]] = {
    "decision": (
        "What have we settled on for {x}, as things stand?",
        "Which option for {x} is the current one?",
        "What did we end up with for {x} after all the back and forth?",
    ),
    "deadline": (
        "By which date must {x} be ready, as things stand?" + DATE_FORM,
        "What is the current deadline for {x}?" + DATE_FORM,
    ),
    "owner": ("In whose hands is {x} at present?", "Who looks after {x} these days?"),
    "number": ("Which figure for {x} is the current one?", "What is the figure for {x} after all the back and forth?"),
}
HELD_BEFORE: Mapping[str, tuple[str, ...]] = {
    "decision": (
        "What had we wanted for {x} before we changed our minds?",
        "Which option for {x} did we give up?",
    ),
    "deadline": (
        "Which date had been set for {x} before it was moved?" + DATE_FORM,
        "What was the earlier deadline for {x}, the one that no longer holds?" + DATE_FORM,
    ),
    "owner": ("Who had {x} before it changed hands?", "From whom was {x} taken over?"),
    "number": ("What was the figure for {x} before it was changed?", "Which figure for {x} did we give up?"),
}
TRIGGERS = (
    "What had happened that made us think again about {x}?",
    "Which event set off the change of mind about {x}?",
    "What came up that put {x} back on the table?",
)
REASONS = (
    "Why did we change course on {x}?",
    "Which argument decided the change of mind about {x}?",
    "What reason was given for changing our minds about {x}?",
)
KEPT_REASONS = ("Why did we leave {x} unchanged in the end?", "What spoke against changing {x}?")
IN_ORDER = (
    "Put these in the order of their due dates, the earliest first: {x}.",
    "In which order are these due, starting with the earliest: {x}?",
)
WANTS = (
    "What does {x} prefer for {y}?",
    "What would {x} like for {y}?",
)
"""Another person's preference."""
BELIEVES = (
    "What does {x} see as {y}?",
    "What does {x} believe {y} to be?",
)
I_WANT = (
    "What is my preference for {y}?",
    "What did I say I prefer for {y}?",
    "What would I like for {y}?",
)
I_BELIEVE = (
    "What do I see as {y}?",
    "What do I believe {y} to be?",
    "What is {y} in my own opinion?",
)
I_STAND_FOR = ("What did I argue for on {y}?", "Which option did I speak up for on {y}?")
MINE_AND_ANOTHERS: Mapping[str, tuple[str, ...]] = {
    "preference": (
        "{n} would like {v}. What would I like instead?",
        "Where {n} prefers {v}, what is my own preference?",
    ),
    "belief": (
        "Where {n} thinks the {h} is {v}, what do I think it is?",
        "{n} says the {h} is {v}. What did I say it is?",
    ),
    "decision": ("Where {n} argued for {v}, what did I argue for?",),
}
"""About a view of the asker's, through what `{n}` said on the same matter; `{h}` says no more of it than "reason"."""
MINE: Mapping[str, tuple[str, ...]] = {
    "deadline": (
        "By which date must I be done with {x}?" + DATE_FORM,
        "What is the deadline for {x}?" + DATE_FORM,
    ),
    "blocker": ("What am I waiting for with {x}?", "What is holding up {x}?"),
    "approval": ("Who gave me the go-ahead for {x}?", "Who signed off on {x}?"),
    "status": ("Where do I stand with {x}?", "What is the last reported state of {x}?"),
}
"""About a piece of work of the asker's own, which `{x}` says ("my work for ...")."""
ABOUT_WORD = ("work", "item", "task")
"""Nouns behind the word for one concept, where nothing more of a thing is named."""


def about(word: str, noun: str) -> str:
    """ "coverage work"; "work order item" where the noun is in the word already."""
    return f"{word} item" if noun in word else f"{word} {noun}"


def the(phrase: str) -> str:
    """The phrase with its article, unless it brings a word that takes its place."""
    return phrase if _first_word(phrase) in DETERMINERS else f"the {phrase}"


def is_noun_phrase(phrase: str) -> bool:
    """Whether a clause pattern has room for it: "why the night is worse" and "they were not real" fit none."""
    return _first_word(phrase) not in (*QUESTION_WORDS, *PRONOUNS)


def bare(phrase: str) -> str:
    """The noun of a phrase with what stands before it: "reason" of "reason for the flaky runs"."""
    return re.split(r" (?:for|of|to|in|on|at|by|with|that|where|who) ", phrase, maxsplit=1)[0]


def same_tail(tail: str) -> str:
    """How a second thing for the same customer, group or part of the project is told from others of its name."""
    if tail[:1].isupper():
        return "for the same recipient"
    group = tail.rpartition(" ")[2] in GROUPS
    return "for the same group" if group else "for the same part of the project"


def _first_word(phrase: str) -> str:
    return phrase.partition(" ")[0].lower()


def long_date(iso: str) -> str:
    """ "3 April 2026" for an ISO date."""
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"


def shown(fact: Fact, first_name: str | None = None) -> str:
    """The value as a clause shows it: a long date, a first name, else the value in plain words."""
    if fact.kind == "deadline":
        return long_date(fact.value)
    if fact.kind in WHO:
        return first_name or fact.value_text
    return fact.value_text


def compose(lead: str, question: str) -> str:
    """The question behind its lead, with capitals where sentences start."""
    if lead.endswith(", "):
        question = question[:1].lower() + question[1:]
    text = lead + question
    return text[:1].upper() + text[1:]


def in_phase(phase: str) -> str:
    """A lead that names the phase, as people of the conversation call it."""
    risk = phase.removeprefix("Risk: ")
    return f"In {phase}, " if risk == phase else f"When it comes to the {risk} risk, "
