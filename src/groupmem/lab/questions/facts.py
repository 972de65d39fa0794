"""The ground truth of a corpus as it lies in its files, and the lookups that questions are made with.

facts.jsonl, decisions.jsonl and unanswered.jsonl are written by `groupmem synth`; only the fields that are used here
are read, so that a corpus of somebody else's needs no more than these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from groupmem.errors import InputError
from groupmem.types import Conversation, Message, Person, Record

FILES = ("facts.jsonl", "decisions.jsonl", "unanswered.jsonl")
SILENT = ("ask", "mistake")
"""Manners of speaking of a fact that do not tell it."""
ARGUED = ("propose", "argue", "dispute", "reverse", "keep")
RowT = TypeVar("RowT", bound=msgspec.Struct)


class Spoken(Record, frozen=True, kw_only=True):
    """One message that speaks of a fact, and the words of it that give the value."""

    message: str
    author: str
    how: str
    surface: str
    subject: str
    words: Mapping[str, str] = {}
    date_form: str | None = None


class Fact(Record, frozen=True, kw_only=True):
    """Something that is so. See `groupmem.lab.synthesis.base.Fact` for the meaning of the fields."""

    id: str
    kind: str
    matter: str
    project: str
    topic: str
    phase: str
    subject: str
    value: str
    value_text: str
    channel: str
    stated_in: tuple[str, ...]
    mentions: tuple[Spoken, ...]
    superseded_by: str | None = None
    supersedes: str | None = None
    holder: str | None = None
    concepts: tuple[str, ...] = ()
    unit: str | None = None
    private: bool = False

    @property
    def head(self) -> str:
        """The subject without what it is for ("runbook" of "runbook for the Lisbon site")."""
        return self.subject.rpartition(" for ")[0] or self.subject

    @property
    def tail(self) -> str:
        """What the subject is for; empty where it says nothing of that."""
        head, _, tail = self.subject.rpartition(" for ")
        return tail if head else ""

    @property
    def telling(self) -> tuple[Spoken, ...]:
        """The mentions that give the value, rightly."""
        return tuple(spoken for spoken in self.mentions if spoken.how not in SILENT)


class Decision(Record, frozen=True, kw_only=True):
    """One argument over a decision and how it went."""

    id: str
    kind: str
    outcome: Literal["changed", "kept"]
    number: int
    matter: str
    subject: str
    project: str
    phase: str
    channel: str
    before: str
    after: str
    before_fact: str
    after_fact: str | None = None
    reason: str
    trigger: str
    proposed_by: str
    settled_by: str
    committed_in: str | None = None
    restated_in: str | None = None
    steps: tuple[Step, ...]
    reason_in: tuple[str, ...] = ()
    trigger_in: tuple[str, ...] = ()

    @property
    def settled_in(self) -> str:
        return self.steps[-1].message


class Step(Record, frozen=True, kw_only=True):
    """One message of an argument."""

    message: str
    author: str
    act: str


class Unanswered(Record, frozen=True, kw_only=True):
    """What was asked for and never told."""

    id: str
    kind: str
    subject: str
    project: str
    phase: str
    channel: str
    asked_in: tuple[str, ...]


class Truth:
    """A conversation with its facts."""

    def __init__(
        self,
        conversation: Conversation,
        facts: Iterable[Fact],
        decisions: Iterable[Decision] = (),
        unanswered: Iterable[Unanswered] = (),
    ) -> None:
        self.conversation = conversation
        self.facts = tuple(facts)
        self.decisions = tuple(decisions)
        self.unanswered = tuple(unanswered)
        self.messages: Mapping[str, Message] = {message.id: message for message in conversation.messages}
        self.people: Mapping[str, Person] = {person.id: person for person in conversation.people}
        self.by_id: Mapping[str, Fact] = {fact.id: fact for fact in self.facts}
        self._readers = {channel.id: channel for channel in conversation.channels}

    @cached_property
    def settled(self) -> tuple[Fact, ...]:
        """Facts of the group that nobody argued over: what is told of them is told once and for all."""
        disputed = {decision.matter for decision in self.decisions} | {
            fact.matter for fact in self.facts if fact.holder
        }
        return tuple(
            fact
            for fact in self.facts
            if fact.holder is None
            and fact.matter not in disputed
            and fact.superseded_by is None
            and fact.supersedes is None
        )

    @cached_property
    def held(self) -> tuple[Fact, ...]:
        """What single people prefer, believe or stand up for."""
        return tuple(fact for fact in self.facts if fact.holder is not None)

    @cached_property
    def by_subject(self) -> Mapping[tuple[str, str, str], tuple[Fact, ...]]:
        """Settled facts by project, phase and subject."""
        found: dict[tuple[str, str, str], list[Fact]] = defaultdict(list)
        for fact in self.settled:
            found[fact.project, fact.phase, fact.subject].append(fact)
        return {key: tuple(facts) for key, facts in found.items()}

    def of_subject(self, fact: Fact) -> tuple[Fact, ...]:
        """Settled facts about the subject of `fact`."""
        return self.by_subject.get((fact.project, fact.phase, fact.subject), ())

    @cached_property
    def askers_of(self) -> Mapping[str, tuple[str, ...]]:
        """Who writes in a channel, most active first: they may ask about it."""
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for message in self.conversation.messages:
            if message.author in self.people:
                counts[message.channel][message.author] += 1
        return {channel: tuple(sorted(of, key=lambda author: (-of[author], author))) for channel, of in counts.items()}

    def may_read(self, asker: str, messages: Iterable[str]) -> bool:
        """Whether the asker may read all of the messages."""
        channels = {self.messages[message].channel for message in messages}
        return all(name not in self._readers or self._readers[name].readable_by(asker) for name in channels)

    def follows(self, later: str, earlier: str) -> bool:
        """Whether the one message was sent after the other."""
        times = self.messages[later].sent_at, self.messages[earlier].sent_at
        return times[0] is not None and times[1] is not None and times[0] > times[1]

    def name(self, person: str) -> str:
        """How a person is called."""
        known = self.people.get(person)
        return (known.name if known else None) or person

    def role(self, person: str) -> str | None:
        known = self.people.get(person)
        return known.role if known else None


def has_facts(folder: Path) -> bool:
    """Whether a folder holds a corpus that knows its facts."""
    path = folder / FILES[0]
    return path.is_file() and path.stat().st_size > 0


def read_truth(folder: Path, conversation: Conversation) -> Truth:
    """Raises InputError, naming file and line, for a row that is none, or one whose message the corpus lacks."""
    truth = Truth(
        conversation,
        _rows(folder / FILES[0], Fact),
        _rows(folder / FILES[1], Decision),
        _rows(folder / FILES[2], Unanswered),
    )
    for fact in truth.facts:
        for message in (*fact.stated_in, *(spoken.message for spoken in fact.mentions)):
            if message not in truth.messages:
                raise InputError(f"{folder / FILES[0]}: {fact.id} names {message}, which is no message of the corpus")
    return truth


def _rows(path: Path, kind: type[RowT]) -> list[RowT]:
    if not path.is_file():
        return []
    decoder = msgspec.json.Decoder(kind)
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            rows.append(decoder.decode(line))
        except msgspec.DecodeError as error:
            raise InputError(f"{path}:{number}: {error}; make the corpus again with `groupmem synth make`") from error
    return rows
