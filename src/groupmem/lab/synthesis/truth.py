"""The ground truth of a corpus, made from what was really written.

facts.jsonl       FactLine: each fact that some message states, with every message that speaks of it
decisions.jsonl   DecisionLine: each argument over a decision, how it went, why and who
unanswered.jsonl  UnansweredLine: what was asked for and never told
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from groupmem.lab.synthesis.base import Fact, FactKind, How, MessagePlan, PostType, ReplyAct, Written
from groupmem.lab.synthesis.changes import Change
from groupmem.lab.synthesis.dates import DateForm
from groupmem.lab.synthesis.planned import VALUE_KINDS, PlannedFact
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.slots import Slot
from groupmem.types import Record

TELLING: tuple[How, ...] = ("state", "confirm", "reverse", "keep", "report", "refer")
"""Manners that tell what is so; a held fact is also told by arguing for it."""


class MentionLine(Record, frozen=True, kw_only=True):
    """One message that speaks of a fact: who, in which manner, in which words. `surface` is the substring of its text
    that gives the value (of a question, the subject); a "mistake" gives a wrong one. `words` are the words for its
    concepts that stand in the text."""

    message: str
    author: str
    how: How
    surface: str
    subject: str
    words: Mapping[str, str] = {}
    date_form: DateForm | None = None


class FactLine(Fact, frozen=True, kw_only=True):
    """A fact with where it stands in the corpus: `stated_in` are the messages that tell it as it is."""

    channel: str
    private: bool = False
    stated_in: tuple[str, ...]
    mentions: tuple[MentionLine, ...]


class StepLine(Record, frozen=True, kw_only=True):
    """One message of an argument."""

    message: str
    author: str
    act: PostType | ReplyAct


class DecisionLine(Record, frozen=True, kw_only=True):
    """One argument over a decision. `outcome` "changed": `after` replaced `before`; "kept": it did not.

    `number` counts the changes of the same matter. `reason_in` and `trigger_in` are the messages that give them.
    """

    id: str
    kind: FactKind
    outcome: Literal["changed", "kept"]
    number: int
    matter: str
    subject: str
    project: str
    topic: str
    phase: str
    channel: str
    before: str
    after: str
    before_fact: str
    after_fact: str | None
    reason: str
    trigger: str
    proposed_by: str
    settled_by: str
    positions: Mapping[str, Literal["for", "against"]] = {}
    committed_in: str | None = None
    restated_in: str | None = None
    steps: tuple[StepLine, ...]
    reason_in: tuple[str, ...] = ()
    trigger_in: tuple[str, ...] = ()
    started_at: datetime
    settled_at: datetime


class UnansweredLine(Record, frozen=True, kw_only=True):
    """A question that nobody answered."""

    id: str
    kind: FactKind
    subject: str
    project: str
    topic: str
    phase: str
    channel: str
    asked_in: tuple[str, ...]


class Truth:
    """Collects what each message states, and gives the lines of the three files."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._mentions: dict[str, list[MentionLine]] = defaultdict(list)
        self._texts: dict[str, str] = {}
        argued = {slot.index for change in plans.story.changes for slot in change.argument.steps}
        self._argued = {plans.slots[index].id for index in argued}

    def add(self, plan: MessagePlan, written: Written) -> None:
        """A message and what it states."""
        surfaces = {stated.fact: stated.surface for stated in written.stated}
        said = written.text.casefold()
        if plan.id in self._argued:
            self._texts[plan.id] = written.text
        for mention in plan.mentions:
            if mention.fact and mention.fact in surfaces:
                line = MentionLine(
                    message=plan.id,
                    author=plan.author.id,
                    how=mention.how,
                    surface=surfaces[mention.fact],
                    subject=mention.subject,
                    words={concept: word for concept, word in mention.words if word.casefold() in said},
                    date_form=mention.date_form,
                )
                self._mentions[mention.fact].append(line)

    def facts(self) -> Iterator[FactLine]:
        """Facts that are told in at least one message."""
        for fact in self._plans.story.facts:
            mentions = tuple(self._mentions.get(fact.id, ()))
            told = TELLING if fact.holder is None else (*TELLING, "propose", "argue")
            stated_in = tuple(line.message for line in mentions if line.how in told)
            if stated_in:
                yield self._fact(fact, stated_in, mentions)

    def decisions(self) -> Iterator[DecisionLine]:
        """All arguments, in the order in which they were settled."""
        for change in sorted(self._plans.story.changes, key=lambda change: change.argument.settled.index):
            yield self._decision(change)

    def unanswered(self) -> Iterator[UnansweredLine]:
        """Questions without an answer, where at least one message asks."""
        for fact in self._plans.story.open:
            asked = tuple(line.message for line in self._mentions.get(fact.id, ()) if line.how == "ask")
            if asked:
                project, topic, phase, channel, _ = self._place(fact)
                yield UnansweredLine(
                    id=fact.id,
                    kind=fact.kind,
                    subject=self._plans.wording.plain(fact.subject),
                    project=project,
                    topic=topic,
                    phase=phase,
                    channel=channel,
                    asked_in=asked,
                )

    def _fact(self, fact: PlannedFact, stated_in: tuple[str, ...], mentions: tuple[MentionLine, ...]) -> FactLine:
        wording = self._plans.wording
        project, topic, phase, channel, private = self._place(fact)
        return FactLine(
            id=fact.id,
            kind=fact.kind,
            matter=fact.matter,
            project=project,
            topic=topic,
            phase=phase,
            subject=wording.plain(fact.subject),
            value=self._comparable(fact),
            value_text=wording.plain_value(fact),
            value_kind=VALUE_KINDS[fact.kind],
            valid_from=self._time(fact.valid_from or 0),
            valid_until=self._time(fact.valid_until) if fact.valid_until is not None else None,
            superseded_by=fact.superseded_by.id if fact.superseded_by else None,
            supersedes=fact.supersedes.id if fact.supersedes else None,
            holder=self._plans.scaffold.members[fact.holder].id if fact.holder is not None else None,
            concepts=fact.concepts(),
            unit=fact.unit,
            channel=channel,
            private=private,
            stated_in=stated_in,
            mentions=mentions,
        )

    def _decision(self, change: Change) -> DecisionLine:
        wording = self._plans.wording
        project, topic, phase, channel, _ = self._place(change.before)
        steps = change.argument.steps
        restated = change.argument.restated
        return DecisionLine(
            id=change.id,
            kind=change.before.kind,
            outcome=change.outcome,
            number=change.number,
            matter=change.before.matter,
            subject=wording.plain(change.before.subject),
            project=project,
            topic=topic,
            phase=phase,
            channel=channel,
            before=wording.plain_value(change.before),
            after=wording.plain_value(change.after),
            before_fact=change.before.id,
            after_fact=change.after.id or None,
            reason=wording.plain(change.reason),
            trigger=wording.plain(change.trigger),
            proposed_by=self._author(steps[0]),
            settled_by=self._author(steps[-1]),
            positions={self._plans.scaffold.members[who].id: side for who, side in change.positions.items()},
            committed_in=change.committed.id if change.committed else None,
            restated_in=restated.id if restated else None,
            steps=tuple(self._step(slot) for slot in steps),
            reason_in=self._saying(steps, "reason"),
            trigger_in=self._saying(steps, "trigger"),
            started_at=self._time(steps[0].index),
            settled_at=self._time(steps[-1].index),
        )

    def _step(self, slot: Slot) -> StepLine:
        return StepLine(message=slot.id, author=self._author(slot), act=self._plans.story.contents[slot.index].act)

    def _saying(self, steps: Sequence[Slot], material: str) -> tuple[str, ...]:
        """Steps whose text has the reason (or trigger) as it was worded for their author."""
        found = []
        for slot in steps:
            points = [point for point in self._plans.plan(slot.index).points if point.material == material]
            text = self._texts.get(slot.id, "").casefold()
            if any(point.required and point.text.casefold() in text for point in points):
                found.append(slot.id)
        return tuple(found)

    def _comparable(self, fact: PlannedFact) -> str:
        if fact.day is not None:
            return fact.day.isoformat()
        if fact.person is not None:
            return self._plans.scaffold.members[fact.person].id
        if fact.number is not None:
            return f"{fact.number:.10g}"
        return self._plans.wording.plain(fact.raw_value)

    def _place(self, fact: PlannedFact) -> tuple[str, str, str, str, bool]:
        """Project, topic, phase (as people see them), channel, and whether only its members can read it."""
        scaffold = self._plans.scaffold
        phase = scaffold.phases[fact.phase]
        topic = scaffold.topics[phase.topic].name
        return scaffold.projects[phase.project].name, topic, phase.name, phase.channel, phase.private

    def _author(self, slot: Slot) -> str:
        return self._plans.scaffold.members[slot.author].id

    def _time(self, index: int) -> datetime:
        return datetime.fromtimestamp(self._plans.slots[index].at, tz=UTC)
