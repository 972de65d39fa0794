"""The policy: every parameter of synthesis in one object, from one file.

`data/synthesis/policy.toml` holds the defaults and says what each key means. They are the source's values
(GroupMemBench, App. B and D) where it gives one; where it contradicts itself the file says which reading is the
default.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Literal

from groupmem.lab.synthesis.base import FactKind
from groupmem.models.base import canonical_json
from groupmem.types import Record


class Paths(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which path a message takes."""

    post: float
    reply: float
    cross: float
    empty_domain: float
    empty_phase: float
    question_streak: int
    low_volume: int
    excluded_speakers: int
    bridge_parent: Literal["target_user", "first_post"]


class Weights(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Constants of w_post, w_heat, w_thread and w(m)."""

    post_empty: float
    post_none: float
    post_base: float
    post_slope: float
    post_floor: float
    post_progress: float
    heat_volume: float
    heat_cap: int
    heat_unanswered: float
    heat_progress: float
    thread_volume: float
    thread_cap: int
    parent_exponent: float
    parent_saturation: int
    parent_saturated: float
    parent_window: int
    parent_floor: float
    parent_post_bias: float


class Context(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a writer is shown of what was said before."""

    window: int
    older_snippets: int
    cross_reference: float
    duplicate: float


class Memory(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The phase memory: sub-issues and the ledger."""

    sub_issues: int
    steering: float
    ledger_every: int
    ledger_window: int
    ledger_words: int


class Realism(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rates of what keeps the corpus from being clean."""

    noise: float
    disagreement: float
    imperfection: float
    ultra_short: float
    ultra_short_words: int
    tone_jitter_low: float
    tone_jitter_high: float
    url: float
    url_in_posts: float
    mention_parent: float
    correction: float


class Length(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentences of posts and replies; words in a sentence of a reply."""

    reply_sentences_low: int
    reply_sentences_high: int
    reply_sentence_words: int
    post_sentences_low: int
    post_sentences_high: int


class Changes(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Decisions that change, and the arguments about them. `decision`, `deadline`, `owner`, `number` are a mixture."""

    phase_rate: float
    hazard: float
    second_rate: float
    kept_rate: float
    eligible_from: float
    eligible_to: float
    eligible_messages: int
    argument_low: int
    argument_high: int
    decision: float
    deadline: float
    owner: float
    number: float

    def kinds(self) -> dict[FactKind, float]:
        """What changes, with its share."""
        return {"decision": self.decision, "deadline": self.deadline, "owner": self.owner, "number": self.number}


class Facts(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much is said, and how."""

    reply: float
    second: float
    belief: float
    preference: float
    on_behalf: float
    relative_date: float
    adapt_words: float


class Schedule(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Windows of phases and the clock."""

    start: date
    stagger_days: float
    phase_days: float
    phase_step_days: float
    early_until: float
    late_from: float
    closure_from: float
    capped_from: float
    cap: int
    open_by: float
    off_hours: float
    day_from_hour: int
    day_to_hour: int
    most_per_phase_day: float


class Part(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of the pack is used."""

    projects: int


class People(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who works where."""

    per_project: int
    per_phase: int
    roles: Literal["pack", "uniform"]


class Channels(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Channels that not everybody can read."""

    private_topics: int
    private_members: int


class Policy(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All parameters of synthesis."""

    paths: Paths
    weights: Weights
    context: Context
    memory: Memory
    realism: Realism
    length: Length
    changes: Changes
    facts: Facts
    schedule: Schedule
    pack: Part
    people: People
    channels: Channels
    statuses: Mapping[Literal["Risks", "Milestone", "Work Items"], tuple[str, ...]]

    @property
    def sha256(self) -> str:
        """Of the canonical JSON: the same policy has the same one, however it was written down."""
        return hashlib.sha256(canonical_json(self)).hexdigest()
