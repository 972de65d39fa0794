"""The scaffold: people with personas, projects, topics and phases with their windows, before anything is said.

GroupMemBench, App. A (graph schema). What is static is drawn once from the seed; `graph` gives it as the typed directed
graph of the relations table.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from groupmem.lab.synthesis.packs import Category, Matter, Pack, Pronoun
from groupmem.types import Record

VOICES = Path(__file__).parents[2] / "data" / "synthesis" / "voices.toml"


class Member(Record, frozen=True, kw_only=True):
    """A participant with a persona. `jitter` is how often this person's tone slips in a message."""

    id: str
    name: str
    first_name: str
    role: str
    minds: str
    pronoun: Pronoun
    tone: str
    style: str
    expertise: str
    jitter: float


class Project(Record, frozen=True, kw_only=True):
    """A project (the source's domain node). Indices point into the scaffold's tuples."""

    name: str
    categories: tuple[str, ...]
    topics: tuple[int, ...]
    members: tuple[int, ...]
    related: tuple[int, ...]
    """Projects that share a category."""


class Topic(Record, frozen=True, kw_only=True):
    """A topic. `private`: its phases are discussed in a channel that only their people can read."""

    id: str
    name: str
    project: int
    phases: tuple[int, ...]
    private: bool


class Phase(Record, frozen=True, kw_only=True):
    """A phase with its people and its window, in seconds since the epoch."""

    id: str
    name: str
    project: int
    topic: int
    channel: str
    private: bool
    category: Category
    statuses: tuple[str, ...]
    status_goal: str
    owner: int
    members: tuple[int, ...]
    start: float
    end: float
    url: str
    matter: Matter
    sub_issues: tuple[str, ...]

    def progress(self, at: float) -> float:
        """Temporal progress p in [0, 1]."""
        return min(1.0, max(0.0, (at - self.start) / (self.end - self.start)))

    def moment(self, progress: float) -> float:
        """The time at which the phase has made this progress."""
        return self.start + progress * (self.end - self.start)

    def status(self, progress: float) -> str:
        """The phase's status at this progress: it walks from the first status to its goal in equal steps."""
        way = self.statuses[: self.statuses.index(self.status_goal) + 1]
        return way[min(len(way) - 1, int(progress * len(way)))]


class Scaffold(Record, frozen=True, kw_only=True):
    """Everything static of one corpus."""

    pack: Pack
    members: tuple[Member, ...]
    projects: tuple[Project, ...]
    topics: tuple[Topic, ...]
    phases: tuple[Phase, ...]

    def channels(self) -> dict[str, tuple[str, ...] | None]:
        """Channel name -> ids of who may read it (None: everybody), in the order of the projects."""
        found: dict[str, tuple[str, ...] | None] = {}
        for phase in self.phases:
            readers = tuple(self.members[index].id for index in phase.members) if phase.private else None
            found.setdefault(phase.channel, readers)
        return found


@cache
def voices() -> Mapping[str, Mapping[str, str]]:
    """Persona vocabularies with the sentence that describes each value: tone, style, format (by style), expertise."""
    return tomllib.loads(VOICES.read_text(encoding="utf-8"))
