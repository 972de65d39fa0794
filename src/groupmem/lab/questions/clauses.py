"""The English of questions: clause patterns by kind of fact, none of which depends on number or gender.

`{x}` is a noun phrase with its article, `{v}` a value in words. Which of several patterns is taken depends on the seed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date

from groupmem.lab.questions.facts import Fact

WORK_KINDS = ("deadline", "owner", "status", "blocker", "approval")
"""Kinds that are told of one and the same piece of work, so that one of them can lead to another."""
DATE_FORM = " (YYYY-MM-DD)"

ASK: Mapping[str, tuple[str, ...]] = {
    "deadline": (
        "By which date must {x} be ready?" + DATE_FORM,
        "What is the last possible day for {x}?" + DATE_FORM,
        "On which calendar day does the time for {x} run out?" + DATE_FORM,
        "Until which day can people take their time over {x}?" + DATE_FORM,
    ),
    "owner": (
        "Who looks after {x}?",
        "On whose desk did {x} land?",
        "Whose job is it to get {x} done?",
        "Whom do I have to talk to about {x}, as the one in charge?",
    ),
    "status": (
        "Where do we stand with {x}?",
        "How far did {x} get, by what was last reported?",
        "In what shape was {x} said to be?",
    ),
    "blocker": (
        "What is holding up {x}?",
        "What has to come in before {x} can move on?",
        "For want of what can nobody get on with {x}?",
    ),
    "approval": (
        "Who gave the go-ahead for {x}?",
        "Whose yes do we have for {x}?",
        "Which of us put their name under {x}?",
    ),
    "decision": (
        "What did we settle on for {x}?",
        "Which way did we go with {x}?",
        "What did the choice come down to for {x}?",
    ),
    "number": (
        "What figure do we have for {x}?",
        "How high is the value that was given for {x}?",
        "Which number goes with {x}?",
    ),
    "requirement": (
        "What condition was laid down for {x}?",
        "What is demanded of {x}?",
        "Which rule was set for {x}?",
    ),
}
THAT: Mapping[str, tuple[str, ...]] = {
    "deadline": ("that has to be ready by {v}", "whose last day is {v}"),
    "owner": ("that {v} looks after", "that landed on {v}'s desk", "that is {v}'s job"),
    "status": ("last reported as {v}", 'whose state was given as "{v}"'),
    "blocker": ("that is being held up by {v}", "that cannot move on without {v}"),
    "approval": ("to which {v} gave the go-ahead", "that has {v}'s yes"),
}
"""Relative clauses after a noun: one fact about a piece of work stands for its name."""
WHO: Mapping[str, tuple[str, ...]] = {
    "owner": ("whoever looks after {x}", "the person in charge of {x}"),
    "approval": ("whoever gave the go-ahead for {x}", "the person who put their name under {x}"),
}
"""Noun phrases for a person, through one fact that names them."""
NOUNS = ("the piece of work", "the task", "the item", "the job")
HOLDS_NOW: Mapping[str, tuple[str, ...]] = {
    "decision": (
        "As things stand, what have we settled on for {x}?",
        "Which option holds today for {x}?",
        "After all the back and forth, where did we end up with {x}?",
    ),
    "deadline": (
        "As things stand, by which date must {x} be ready?" + DATE_FORM,
        "Which day holds today as the last one for {x}?" + DATE_FORM,
    ),
    "owner": ("In whose hands is {x} at present?", "Who looks after {x} these days?"),
    "number": ("Which figure holds today for {x}?", "After all the back and forth, what is the figure for {x}?"),
}
HELD_BEFORE: Mapping[str, tuple[str, ...]] = {
    "decision": (
        "What had we wanted for {x} before we changed our minds?",
        "Which option for {x} did we give up?",
    ),
    "deadline": (
        "Which day had been set for {x} before it was moved?" + DATE_FORM,
        "What was the earlier date for {x}, the one that no longer holds?" + DATE_FORM,
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
    "On what grounds did we change course on {x}?",
    "Which argument decided the change of mind about {x}?",
    "What reason was given when the call on {x} was turned round?",
)
KEPT_REASONS = ("For what reason did we leave {x} as it was?", "What spoke against changing {x}?")
IN_ORDER = (
    "Put these in the order of their last days, the earliest first: {x}.",
    "In which order do these run out of time, the first one first: {x}?",
)
WANTS = (
    "What does {x} want for {y}?",
    "What would {x} choose for {y}?",
    "If it were up to {x}, what would we have for {y}?",
)
"""Another person's preference."""
BELIEVES = (
    "What does {x} take to be {y}?",
    "In the opinion of {x}, what is {y}?",
)
STANDS_FOR = ("What does {x} argue for when it comes to {y}?", "Which option has {x} on its side for {y}?")
I_WANT = (
    "What is my own wish for {y}?",
    "What did I say suits me best for {y}?",
    "What do I like best for {y}?",
    "How do I want it to be with {y}?",
)
I_BELIEVE = (
    "What do I take to be {y}?",
    "In my own opinion, what is {y}?",
    "What have I said is {y}?",
)
WISH_ON_THIS = (
    "Where {x}, what is my own wish?",
    "There is a thing for which {x}; what would I rather have?",
)
VIEW_ON_THIS = (
    "There is a point on which {x}; what is my own view on it?",
    "On the matter in which {x}, where do I stand?",
)
"""About a view of the asker's, through somebody else's view of the same matter."""
I_STAND_FOR = ("What have I spoken up for on {y}?", "Which option did I take sides with for {y}?")


MINE: Mapping[str, tuple[str, ...]] = {
    "deadline": (
        "By which date do I have to be done with {x}?" + DATE_FORM,
        "How long do I have for {x}? Give the last day." + DATE_FORM,
    ),
    "blocker": ("What am I waiting for with {x}?", "What keeps me from moving on with {x}?"),
    "approval": ("Who gave me the go-ahead for {x}?", "Whose yes do I have for {x}?"),
    "status": ("How far along was I last said to be with {x}?", "In what shape was {x} last reported to be?"),
}
"""About a piece of work of the asker's own."""


ABOUT_WORD = ("whatever has to do with {w}", "the piece of work around {w}", "the work on {w}")
"""A thing of which only the word for one concept is named."""


def the(phrase: str) -> str:
    """The phrase with its article, unless it brings a word that takes its place."""
    first = phrase.partition(" ")[0].lower()
    return phrase if first in ("each", "every", "any", "all", "the", "no") else f"the {phrase}"


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


def ask(kind: str, x: str, rng: random.Random) -> str:
    """The question for the value of a fact of this kind."""
    return rng.choice(ASK[kind]).format(x=x)


def compose(lead: str, question: str) -> str:
    """The question behind its lead, with capitals where sentences start."""
    if lead.endswith(", "):
        question = question[:1].lower() + question[1:]
    text = lead + question
    return text[:1].upper() + text[1:]


def in_phase(lead: str, phase: str) -> str:
    """The lead with the name of a phase at its end."""
    return f'{lead}{"in" if lead else "In"} the phase "{phase}", '
