"""What there is to talk about in a phase: items, each a piece of matter for one scope, and the facts about them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from groupmem.lab.synthesis.base import FactKind
from groupmem.lab.synthesis.packs import SLOTS, Choice, Metric, ProjectPart, Requirement, Thing
from groupmem.lab.synthesis.phrases import Phrased, Phrases
from groupmem.lab.synthesis.planned import PlannedFact
from groupmem.lab.synthesis.scaffold import Scaffold

Sort = Literal["thing", "choice", "metric", "requirement", "phase"]
ASPECTS: dict[Sort, tuple[FactKind, ...]] = {
    "thing": ("owner", "deadline", "status", "blocker", "approval"),
    "choice": ("decision",),
    "metric": ("number",),
    "requirement": ("requirement",),
    "phase": ("status", "deadline", "owner"),
}


class Item(msgspec.Struct, kw_only=True):
    """One thing to talk about. `facts` holds the newest fact of the group for each kind."""

    sort: Sort
    subject: str
    plural: bool
    scope: str
    source: Thing | Choice | Metric | Requirement | None = None
    facts: dict[FactKind, PlannedFact] = {}

    def current(self, kind: FactKind) -> PlannedFact | None:
        """The group's fact of this kind, once somebody has stated it."""
        fact = self.facts.get(kind)
        return fact if fact is not None and fact.is_known else None

    def open_kinds(self) -> list[FactKind]:
        """Kinds of which nothing has been said yet."""
        return [kind for kind in ASPECTS[self.sort] if kind not in self.facts]


class ItemPool:
    """Hands out the items of one phase, each once: every piece of matter for every scope in a seeded order, and when
    all are gone, under ticket numbers. `taken` holds the subjects that other phases of the project already use."""

    def __init__(
        self, scaffold: Scaffold, phase_index: int, phrases: Phrases, taken: set[str], rng: random.Random
    ) -> None:
        phase = scaffold.phases[phase_index]
        project = scaffold.pack.projects[phase.project]
        self._index = phase_index
        self._phrases = phrases
        self._project = project
        self._taken = taken
        self._rng = rng
        self._wider_scopes = frozenset(phase.matter.scopes)
        self._scopes = (*project.customers, *phase.matter.scopes)
        self._sources: dict[Sort, Sequence[Thing | Choice | Metric | Requirement]] = {
            "thing": phase.matter.things(),
            "choice": phase.matter.decisions,
            "metric": phase.matter.metrics,
            "requirement": phase.matter.requirements,
        }
        self._queues: dict[Sort, Iterator[Item]] = {sort: self._stream(sort) for sort in self._sources}
        self._by_scope: dict[tuple[Sort, str], list[Item]] = {}

    def draw(self, sort: Sort, scope: str | None = None) -> Item:
        """A fresh item of this sort; for this scope if there is still one."""
        if scope is not None:
            for source in self._rng.sample(self._sources[sort], len(self._sources[sort])):
                item = self._make(sort, source, scope)
                if item is not None:
                    return item
        return next(self._queues[sort])

    def phrase(self, kind: Phrased, scope: str | None = None) -> str:
        """A phrase of the phase's matter, slots filled."""
        return self.fill(self._phrases.draw(self._index, kind, self._rng), scope)

    def fill(self, text: str, scope: str | None = None) -> str:
        """The phrase with customer, vendor and artefact put in; the scope is the customer where it is one."""
        return fill_slots(text, self._project, self._rng, scope)

    def _stream(self, sort: Sort) -> Iterator[Item]:
        sources = self._sources[sort]
        pairs = [(source, scope) for source in sources for scope in self._scopes]
        self._rng.shuffle(pairs)
        for source, scope in pairs:
            item = self._make(sort, source, scope)
            if item is not None:
                yield item
        number = self._rng.randrange(100, 400)
        while True:
            number += self._rng.randint(1, 9)
            item = self._make(sort, self._rng.choice(sources), f"{self._project.ticket}-{number}")
            if item is not None:
                yield item

    def _make(self, sort: Sort, source: Thing | Choice | Metric | Requirement, scope: str) -> Item | None:
        """The item, or None where its subject is taken, or names a customer for whom the scope would be another one."""
        if "{customer}" in source.subject and scope in self._wider_scopes:
            return None
        subject = self.fill(source.subject, scope)
        if scope.casefold() not in subject.casefold():
            subject = f"{subject} for {scope}"
        if subject in self._taken:
            return None
        self._taken.add(subject)
        return Item(sort=sort, subject=subject, plural=source.plural, scope=scope, source=source)


def fill_slots(text: str, project: ProjectPart, rng: random.Random, customer: str | None = None) -> str:
    """The phrase with the project's customer, vendor and artefact put in: this customer, if it is one of them."""
    for slot in SLOTS:
        choices: tuple[str, ...] = getattr(project, f"{slot}s")
        while f"{{{slot}}}" in text:
            known = slot == "customer" and customer is not None and customer in choices
            value = str(customer) if known else rng.choice(choices)
            text = text.replace(f"{{{slot}}}", value, 1)
    return text
