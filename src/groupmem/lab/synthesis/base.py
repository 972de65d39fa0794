"""What passes between the planner and a writer.

The planner decides everything that is structure or truth: who writes when, in reply to what, to whom, which facts the
message states and how, where it is wrong on purpose. The writer decides the sentence. What the writer really said comes
back in `Written`, is checked against the text, and becomes the ground truth.

All phrases that arrive here are already in the speaker's words: slots are filled, concepts are worded for the author's
role, dates are phrased as seen from the message's own time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal, Protocol

from groupmem.lab.synthesis.packs import Category, Pronoun
from groupmem.types import Record

FactKind = Literal[
    "deadline",
    "owner",
    "status",
    "decision",
    "requirement",
    "blocker",
    "approval",
    "number",
    "preference",
    "belief",
]
ValueKind = Literal["date", "person", "status", "choice", "number", "text"]
How = Literal["state", "confirm", "propose", "argue", "dispute", "reverse", "keep", "ask", "report", "refer", "mistake"]
PathType = Literal["post", "reply", "cross_project_reply"]
PostType = Literal["kickoff", "milestone", "question", "update", "coordination", "blocker", "decision", "escalation"]
ReplyAct = Literal[
    "answer",
    "acknowledge",
    "add",
    "ask",
    "push_back",
    "defend",
    "commit",
    "report",
    "correct",
    "propose_change",
    "argue_for",
    "argue_against",
    "settle_change",
    "keep",
    "close",
    "advise",
]
Noise = Literal[
    "wrong_detail", "misunderstanding", "stale_info", "off_topic_drift", "premature_assumption", "wrong_audience"
]
Disagreement = Literal[
    "challenge_feasibility",
    "question_assumptions",
    "propose_alternative",
    "flag_overlooked_risk",
    "push_back_on_scope",
    "cite_counter_evidence",
]
Imperfection = Literal["typo", "fragment", "self_correction", "lower_case", "missing_punctuation"]
Stage = Literal["early", "middle", "late"]
Material = Literal["reason", "trigger", "risk", "evidence", "experience"]


class Fact(Record, frozen=True, kw_only=True):
    """One thing that is so, from `valid_from` until `valid_until` (None: to the end), in one phase.

    `subject` and `value_text` are in plain words; `value` is the comparable form (ISO date, person id, number as
    written, else the plain text). Facts with the same `matter` are about the same matter: a later one supersedes an
    earlier one, unless their holders differ. `holder` None means that it is the group's; otherwise it is what that
    person prefers, believes or holds, and other people's facts about the same matter stand beside it.
    `concepts` are the ids of the concepts in subject and value.
    """

    id: str
    kind: FactKind
    matter: str
    project: str
    topic: str
    phase: str
    subject: str
    value: str
    value_text: str
    value_kind: ValueKind
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    holder: str | None = None
    concepts: tuple[str, ...] = ()
    unit: str | None = None


class FactMention(Record, frozen=True, kw_only=True):
    """A fact in one message: which, how, and in which words.

    `value` must stand in the text exactly as it is here (any case), unless it is None (the fact is asked for),
    `optional` is set, or `self_value` says that the author is the value ("I own it"), which takes a first person and no
    name. `subject` reads after "the"; it may be shortened, or taken up by "it" where the parent has just named it.
    `was` is the other value in the speaker's words: the former one for "reverse", the loser for "keep", what stands for
    "propose" and "argue", the mistaken one for a "confirm" that corrects it; it may be named. A date reads after "by",
    "is due" and "moved to"; with `date_form` "relative" it counts from the message's own date; `on` is the date meant.
    `person`, `person_name`, `pronoun`: whose preference or belief it is; the author's own where it is their id.
    """

    fact: str
    kind: FactKind
    how: How
    subject: str
    plural: bool = False
    value: str | None = None
    was: str | None = None
    on: date | None = None
    date_form: Literal["absolute", "relative"] | None = None
    person: str | None = None
    person_name: str | None = None
    pronoun: Pronoun | None = None
    words: tuple[tuple[str, str], ...] = ()
    """(concept id, word used here), for every concept in subject and value."""
    self_value: bool = False
    optional: bool = False


class Point(Record, frozen=True, kw_only=True):
    """A piece of matter that the message should use: a risk to push back with, the reason of a change, ...

    A `required` one (reason and trigger of a change) must stand in the text exactly as it is here, any case.
    """

    material: Material
    text: str
    required: bool = False


class Voice(Record, frozen=True, kw_only=True):
    """The author as a voice. `tone` is the tone of this message (it may be jittered away from the person's own)."""

    id: str
    name: str
    first_name: str
    role: str
    minds: str
    tone: str
    style: str
    expertise: str
    pronoun: Pronoun = "they"


class Listener(Record, frozen=True, kw_only=True):
    """Somebody the message is for."""

    id: str
    name: str
    first_name: str
    role: str
    pronoun: Pronoun = "they"


class PhaseView(Record, frozen=True, kw_only=True):
    """Where the message stands. `status` is the phase's status now, `status_goal` the one it works toward."""

    project: str
    topic: str
    phase: str
    """Names as people see them."""
    phase_id: str
    category: Category
    status: str
    status_goal: str
    owner: str
    owner_name: str
    start: datetime
    target: datetime
    progress: float
    stage: Stage
    url: str


class CrossReference(Record, frozen=True, kw_only=True):
    """Something from a sibling phase of the same project to be referred to; `message` is where it was said."""

    phase: str
    message: str
    author_name: str
    mention: FactMention | None = None

    @property
    def spoken(self) -> str:
        """The phase as people say it: "Late Permits" for "Risk: Late Permits"."""
        return self.phase.rpartition(": ")[2]


class LengthRule(Record, frozen=True, kw_only=True):
    """Bounds on the text: sentences, words in a sentence (None: no bound), words in all (for the ultra-short)."""

    min_sentences: int
    max_sentences: int
    sentence_words: int | None = None
    words: int | None = None


class MessagePlan(Record, frozen=True, kw_only=True):
    """One message to be written.

    `act` is what it does: a post type for posts, a reply act otherwise. `audience` are the people it is for, first the
    one it is addressed to; `addressee` only where it turns to one person. `mention_parent`: write "@First name" of the
    parent's author (spelled `@` + `addressee.first_name`). `points` is matter to use. `change` is the id of the
    decision change that the message is part of. `reporting` is the person on whose behalf the author speaks. `closure`:
    push toward closing the phase. `ordinal_*` count earlier messages of the phase and of the author from 0, to vary by.
    """

    id: str
    channel: str
    path: PathType
    act: PostType | ReplyAct
    author: Voice
    audience: tuple[Listener, ...]
    addressee: Listener | None = None
    place: PhaseView
    sent_at: datetime
    mentions: tuple[FactMention, ...] = ()
    points: tuple[Point, ...] = ()
    parent: str | None = None
    parent_act: PostType | ReplyAct | None = None
    parent_mentions: tuple[FactMention, ...] = ()
    parent_points: tuple[Point, ...] = ()
    parent_noise: Noise | None = None
    thread: str | None = None
    original_post: str | None = None
    """First post of the target phase, for cross-project replies."""
    source_project: str | None = None
    source_phase: str | None = None
    """Names of the project and phase that a cross-project reply draws on."""
    change: str | None = None
    reporting: Listener | None = None
    sub_issue: str | None = None
    sub_issue_index: int | None = None
    noise: Noise | None = None
    disagreement: Disagreement | None = None
    imperfection: Imperfection | None = None
    ultra_short: bool = False
    mention_parent: bool = False
    url: str | None = None
    cross_reference: CrossReference | None = None
    closure: bool = False
    length: LengthRule
    ordinal_in_phase: int = 0
    ordinal_of_author: int = 0


class Said(Record, frozen=True, kw_only=True):
    """A message that is already written. `reply_to_name` is the first name of whom it answers."""

    id: str
    author: str
    author_name: str
    role: str
    text: str
    sent_at: datetime
    act: PostType | ReplyAct
    reply_to: str | None = None
    reply_to_name: str | None = None


class Ledger(Record, frozen=True, kw_only=True):
    """The running summary of a phase: decided, open with how often it was asked, pending commitments."""

    decided: tuple[str, ...] = ()
    open: tuple[tuple[str, int], ...] = ()
    pending: tuple[str, ...] = ()


class Situation(Record, frozen=True, kw_only=True):
    """What was said before, oldest first: the phase's last W messages, 3 older ones, the parent, the author's last.

    `cross_reference` is the message of a sibling phase that the plan's cross reference points at.
    """

    recent: Sequence[Said] = ()
    older: Sequence[Said] = ()
    parent: Said | None = None
    original_post: Said | None = None
    author_recent: Sequence[Said] = ()
    cross_reference: Said | None = None
    ledger: Ledger = Ledger()


class Stated(Record, frozen=True, kw_only=True):
    """A fact that the text really states: `surface` is the exact substring of the text that gives its value (for a
    question, the substring that names the subject)."""

    fact: str
    surface: str


class Written(Record, frozen=True, kw_only=True):
    """A message as it was written, and what it really states."""

    text: str
    stated: tuple[Stated, ...] = ()


class Writer(Protocol):
    """Turns one plan into one text.

    A pure function of its arguments: all variation comes from `rng` (seeded per message) and all memory from
    `situation`, so that a run that was killed goes on byte for byte. Raises PendingError where the text waits for a
    batch of model replies.
    """

    @property
    def name(self) -> str: ...

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written: ...
