"""A pack: everything about one domain that a corpus is made of, as data (one TOML file).

A pack holds *matter*, never sentences: projects, topics and phases; people and roles; the words that roles use for the
same thing; and, at four levels (pack, project, topic, phase), the things that people in such a project decide, date,
own, measure, require, approve, are blocked by, and disagree about. A phase sees its own matter and that of the levels
above it. How somebody says it in a chat is the writer's part; that keeps a new domain free of any code.

**Slots.** Every phrase may hold `{concept}` (the id of a concept of this pack: each speaker puts their own role's word
there) and `{customer}`, `{vendor}`, `{artefact}` (one of the project's is chosen when the fact is planned and then
stays with it). Nothing else may stand in braces.

**Grammar of the phrases**, so that any writer can build on them. No phrase starts with a capital (but for names) or
ends with a full stop.

    subject       reads after "the": "rollback runbook", "p95 latency budget"; `plural = true` for "load tests"
    option        a noun phrase, reads after "we go with": "a single-night cutover", "rolling cutover by region"
    must          reads after "must": "keep raw rows for seven years"
    blocker       reads after "waiting on": "the staging credentials from {vendor}"
    reason        reads after "because": "one night leaves no room to roll back"
    trigger       reads after "after", in the past tense: "{customer} rejected the second sample"
    risk          reads after "the risk is that": "we lose the audit trail halfway"
    evidence      reads alone: "the March rehearsal took nine hours instead of four"
    experience    reads after "in our project": "we cut the retries in half by pinning the schema first"
    sub-issue     reads after "about": "who may restart the importer at night"
    status        reads after "is": "in review", "waiting for a second reader"
    scope         reads after "for": "the Lisbon site", "wave two"; customers are scopes too
    belief        its options read after "is": "the cause of the outage is <the retry storm>"
    preference    its options read after "prefers": "for the stand-up, Ana prefers <mornings>"

Deliverables are combined with scopes ("rollback runbook for the Lisbon site") and, when those are used up, with ticket
numbers. **How much.** The least that a phase must see is checked when a pack is read (`pack_checks`); for a corpus of
30,000 messages that does not repeat itself give each phase 8 sub-issues, 5 deliverables, 3 decisions with 4 options and
2 metrics; each topic 2 beliefs with 3 options, 4 requirements, 5 risks and 5 pieces of evidence; each project 6
customers, 5 vendors, 8 artefacts, 5 scopes, 10 blockers, 10 reasons, 10 triggers and 6 experiences; the pack 15
concepts, at least 4 of whose words mean something else to another role, and 12 preferences with 4 options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from groupmem.types import Record

Category = Literal["Risks", "Milestone", "Work Items"]
Pronoun = Literal["she", "he", "they"]
SLOTS = ("customer", "vendor", "artefact")


class Role(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A role of the domain. `minds` says in a few words what such a person looks after ("uptime and night calls")."""

    name: str
    minds: str


class PackPerson(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A participant with an invented name; first names differ within a pack, since people call each other by them."""

    name: str
    role: str
    pronoun: Pronoun = "they"


class Concept(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing and the words that each role has for it.

    `plain` is the neutral wording, used by roles without a word of their own and as the concept's name in the ground
    truth. All words are noun phrases that fit where `plain` fits. The same word listed for another role under another
    concept makes it ambiguous: that is wanted ("token").
    """

    id: str
    meaning: str
    plain: str
    words: Mapping[str, tuple[str, ...]]


class Thing(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that is worked on: it can have a deadline, an owner, a status, a blocker, an approval."""

    subject: str
    plural: bool = False


class Choice(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something with options: a decision to take, a belief or a preference that people hold."""

    subject: str
    options: tuple[str, ...]
    plural: bool = False


class Metric(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number that people set or report. `form` shows it: "{} ms", "${}k"; values run from low to high by step."""

    subject: str
    form: str
    low: float
    high: float
    step: float = 1.0
    plural: bool = False


class Requirement(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must hold: "export files" must "be encrypted before upload"."""

    subject: str
    must: str
    plural: bool = False


class Matter(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The matter of one level. Deliverables may be given as plain strings."""

    deliverables: tuple[str | Thing, ...] = ()
    decisions: tuple[Choice, ...] = ()
    metrics: tuple[Metric, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    beliefs: tuple[Choice, ...] = ()
    blockers: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    experiences: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()

    def things(self) -> tuple[Thing, ...]:
        """The deliverables, each as a Thing."""
        return tuple(Thing(subject=item) if isinstance(item, str) else item for item in self.deliverables)


class PhasePart(Matter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A phase: a bounded sub-problem of a topic. `url` is its document; without one it is made from the project's."""

    name: str
    category: Category
    sub_issues: tuple[str, ...]
    url: str | None = None


class TopicPart(Matter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A topic with its phases, in the order in which they are worked through."""

    name: str
    phases: tuple[PhasePart, ...] = msgspec.field(name="phase")


class ProjectPart(Matter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A project, which is one channel. Projects that share a category are related.

    `documents` is the address under which the project's documents lie; `ticket` the prefix of its ticket numbers.
    """

    name: str
    summary: str
    categories: tuple[str, ...]
    ticket: str
    documents: str
    customers: tuple[str, ...]
    vendors: tuple[str, ...]
    artefacts: tuple[str, ...]
    topics: tuple[TopicPart, ...] = msgspec.field(name="topic")


class Pack(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One domain. `statuses` are what a deliverable can be, from first to last; `preferences` are people's own ways."""

    name: str
    title: str
    statuses: tuple[str, ...]
    roles: tuple[Role, ...] = msgspec.field(name="role")
    people: tuple[PackPerson, ...] = msgspec.field(name="person")
    concepts: tuple[Concept, ...] = msgspec.field(name="concept")
    preferences: tuple[Choice, ...] = msgspec.field(name="preference")
    projects: tuple[ProjectPart, ...] = msgspec.field(name="project")
    matter: Matter = Matter()

    def phases(self) -> Iterator[tuple[ProjectPart, TopicPart, PhasePart]]:
        """Every phase with the topic and the project it belongs to, in the order of the file."""
        for project in self.projects:
            for topic in project.topics:
                for phase in topic.phases:
                    yield project, topic, phase

    def matter_of(self, project: ProjectPart, topic: TopicPart, phase: PhasePart) -> Matter:
        """What can be talked about in a phase: its own matter first, then the topic's, the project's, the pack's."""
        levels: tuple[Matter, ...] = (phase, topic, project, self.matter)
        return Matter(
            **{
                name: tuple(item for level in levels for item in getattr(level, name))
                for name in Matter.__struct_fields__
            }
        )

    def homonyms(self) -> dict[str, dict[str, str]]:
        """Words that mean different things to different roles: word -> role -> concept id."""
        senses: dict[str, dict[str, str]] = {}
        for concept in self.concepts:
            for role, words in concept.words.items():
                for word in words:
                    senses.setdefault(word.casefold(), {})[role] = concept.id
        return {word: by_role for word, by_role in senses.items() if len(set(by_role.values())) > 1}
