"""Facts while a corpus is being planned: mutable, with phrases whose concepts are not yet worded for anybody."""

from __future__ import annotations

import re
from datetime import date

import msgspec

from groupmem.lab.synthesis.base import FactKind, How, Material, PostType, ReplyAct, ValueKind
from groupmem.lab.synthesis.slots import Slot

CONCEPT = re.compile(r"\{(\w+)\}")

VALUE_KINDS: dict[FactKind, ValueKind] = {
    "deadline": "date",
    "owner": "person",
    "status": "status",
    "decision": "choice",
    "requirement": "text",
    "blocker": "text",
    "approval": "person",
    "number": "number",
    "preference": "choice",
    "belief": "choice",
}


class PlannedFact(msgspec.Struct, kw_only=True):
    """A fact on its way; until a slot states it, it is only asked for or told by mistake.

    `raw_value` is the phrase of the value with its concept slots; `day` and `person` stand for it in facts about dates
    and people. `holder` and `person` are indices of members. `valid_from` and `valid_until` are slot indices.
    """

    kind: FactKind
    matter: str
    phase: int
    subject: str
    plural: bool = False
    raw_value: str = ""
    day: date | None = None
    person: int | None = None
    number: float | None = None
    unit: str | None = None
    holder: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    supersedes: PlannedFact | None = None
    superseded_by: PlannedFact | None = None
    id: str = ""

    @property
    def is_known(self) -> bool:
        """Whether somebody has stated it."""
        return self.valid_from is not None

    def holds_at(self, slot: int) -> bool:
        """Whether it was stated before this slot and not replaced since."""
        begun = self.valid_from is not None and self.valid_from < slot
        return begun and (self.valid_until is None or slot < self.valid_until)

    def is_over(self, slot: Slot) -> bool:
        """Whether it is a day that has passed at this slot."""
        return self.day is not None and self.day < slot.day

    def stands_at(self, slot: Slot) -> bool:
        """Whether people still speak of it at this slot: it holds, and is not over."""
        return self.holds_at(slot.index) and not self.is_over(slot)

    def concepts(self) -> tuple[str, ...]:
        """Ids of the concepts in subject and value."""
        return tuple(dict.fromkeys(CONCEPT.findall(f"{self.subject} {self.raw_value}")))

    def same_value(self, other: PlannedFact) -> bool:
        return (self.raw_value, self.day, self.person) == (other.raw_value, other.day, other.person)


class Seed(msgspec.Struct, gc=False, kw_only=True):
    """A mention before it is worded. `value_of` is another fact whose value is said instead (a mistake, an older
    value); `was` the fact that is or stays replaced."""

    fact: PlannedFact
    how: How
    value_of: PlannedFact | None = None
    was: PlannedFact | None = None
    optional: bool = False


class RawPoint(msgspec.Struct, gc=False, kw_only=True):
    """A point before it is worded."""

    material: Material
    text: str
    required: bool = False


class Content(msgspec.Struct, kw_only=True):
    """What one slot says."""

    act: PostType | ReplyAct
    seeds: list[Seed] = []
    points: list[RawPoint] = []
    change: int | None = None
    """Index of the decision change that it is part of."""
    reporting: int | None = None
    """Member for whom the author speaks."""

    def first(self, *hows: How) -> Seed | None:
        """The first mention made in one of these manners."""
        return next((seed for seed in self.seeds if seed.how in hows), None)
