"""From slots and their content to message plans: everything that a writer is told."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from groupmem.lab.synthesis.base import (
    CrossReference,
    LengthRule,
    Listener,
    MessagePlan,
    PhaseView,
    Stage,
    Voice,
)
from groupmem.lab.synthesis.content import Story
from groupmem.lab.synthesis.planned import Content, Seed
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Member, Phase, Scaffold
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.wording import Wording


class Plans:
    """The plans of a corpus, each made when it is asked for and always the same."""

    def __init__(self, scaffold: Scaffold, policy: Policy, slots: Sequence[Slot], story: Story, seed: int) -> None:
        self.scaffold = scaffold
        self.policy = policy
        self.slots = slots
        self.story = story
        self.wording = Wording(scaffold, policy, seed)
        self._seed = seed
        self._in_phase: dict[int, list[int]] = defaultdict(list)
        for slot in slots:
            self._in_phase[slot.phase].append(slot.index)
        self._listeners = [_listener(member) for member in scaffold.members]

    def __len__(self) -> int:
        return len(self.slots)

    def plan(self, index: int) -> MessagePlan:
        """The plan of this slot."""
        slot = self.slots[index]
        content = self.story.contents[index]
        phase = self.scaffold.phases[slot.phase]
        author = self.scaffold.members[slot.author]
        parent = self.slots[slot.parent] if slot.parent is not None else None
        listener = self._listener_of(slot)
        mentions, points = self.wording.of(slot, content, listener)
        closure = not slot.is_post and slot.progress > self.policy.schedule.closure_from
        plan = MessagePlan(
            id=slot.id,
            channel=phase.channel,
            path=slot.path,
            act=content.act,
            author=_voice(author, slot.tone),
            audience=self._audience(slot, listener),
            addressee=self._listeners[listener] if listener is not None else None,
            place=self.view(phase, slot),
            sent_at=datetime.fromtimestamp(slot.at, tz=UTC),
            mentions=mentions,
            points=points,
            change=self.story.changes[content.change].id if content.change is not None else None,
            reporting=self._listeners[content.reporting] if content.reporting is not None else None,
            sub_issue=self._sub_issue(phase, slot, listener),
            sub_issue_index=slot.sub_issue,
            noise=slot.noise,
            disagreement=slot.disagreement if content.act == "push_back" else None,
            imperfection=slot.imperfection,
            ultra_short=slot.ultra_short,
            mention_parent=slot.mention_parent,
            url=phase.url if slot.url and not slot.ultra_short else None,
            cross_reference=None if slot.ultra_short else self._cross_reference(slot, listener),
            closure=closure,
            length=self._length(slot),
            ordinal_in_phase=slot.in_phase,
            ordinal_of_author=slot.of_author,
        )
        return plan if parent is None else self._as_reply(plan, slot, parent)

    def view(self, phase: Phase, slot: Slot) -> PhaseView:
        """Where the phase stands at this slot."""
        owner = self.scaffold.members[phase.owner]
        return PhaseView(
            project=self.scaffold.projects[phase.project].name,
            topic=self.scaffold.topics[phase.topic].name,
            phase=phase.name,
            phase_id=phase.id,
            category=phase.category,
            status=phase.status(slot.progress),
            status_goal=phase.status_goal,
            owner=owner.id,
            owner_name=owner.first_name,
            start=datetime.fromtimestamp(phase.start, tz=UTC),
            target=datetime.fromtimestamp(phase.end, tz=UTC),
            progress=slot.progress,
            stage=self.stage(slot.progress),
            url=phase.url,
        )

    def stage(self, progress: float) -> Stage:
        """early, middle or late, from progress."""
        schedule = self.policy.schedule
        if progress < schedule.early_until:
            return "early"
        return "middle" if progress < schedule.late_from else "late"

    def phase_before(self, phase: int, index: int, most: int) -> list[int]:
        """The last slots of a phase before this one, oldest first."""
        told = self._in_phase[phase]
        end = bisect_left(told, index)
        return told[max(0, end - most) : end]

    def in_phase(self, phase: int) -> Sequence[int]:
        """All slots of a phase, in the order of time."""
        return self._in_phase[phase]

    def first_in_phase(self, phase: int) -> int:
        """The slot of a phase's first post."""
        return self._in_phase[phase][0]

    # -- parts ---------------------------------------------------------------------------------------------------

    def _as_reply(self, plan: MessagePlan, slot: Slot, parent: Slot) -> MessagePlan:
        content = self.story.contents[parent.index]
        mentions, points = self.wording.of(parent, content, self._listener_of(parent))
        source = self.scaffold.phases[slot.source_phase] if slot.source_phase is not None else None
        changes = {
            "parent": parent.id,
            "parent_act": content.act,
            "parent_mentions": mentions,
            "parent_points": points,
            "parent_noise": parent.noise,
            "thread": self.slots[slot.root if slot.root is not None else parent.index].id,
            "original_post": self.slots[self.first_in_phase(slot.phase)].id if source else None,
            "source_project": self.scaffold.projects[source.project].name if source else None,
            "source_phase": source.name if source else None,
        }
        return msgspec.structs.replace(plan, **changes)

    def _listener_of(self, slot: Slot) -> int | None:
        """The member that a message turns to: a bridge to its target, a reply to the parent's author."""
        if slot.target is not None:
            return slot.target
        return self.slots[slot.parent].author if slot.parent is not None else None

    def _sub_issue(self, phase: Phase, slot: Slot, listener: int | None) -> str | None:
        if slot.sub_issue is None:
            return None
        return self.wording.phrase(slot, phase.sub_issues[slot.sub_issue], listener)

    def _audience(self, slot: Slot, listener: int | None) -> tuple[Listener, ...]:
        phase = self.scaffold.phases[slot.phase]
        order = [listener, phase.owner, *phase.members] if listener is not None else [phase.owner, *phase.members]
        return tuple(self._listeners[member] for member in dict.fromkeys(order) if member != slot.author)

    def _cross_reference(self, slot: Slot, listener: int | None) -> CrossReference | None:
        """Something recent from a sibling phase of the same project that the readers of this channel may see."""
        if not slot.cross_reference:
            return None
        own = self.scaffold.phases[slot.phase]
        rng = random.Random(f"{self._seed}/reference/{slot.index}")
        siblings = [
            number
            for topic in self.scaffold.projects[own.project].topics
            for number in self.scaffold.topics[topic].phases
            if number != slot.phase and self._may_refer(own, self.scaffold.phases[number])
        ]
        rng.shuffle(siblings)
        for sibling in siblings:
            told = self.phase_before(sibling, slot.index, self.policy.context.window)
            if told:
                return self._reference_to(slot, self.slots[rng.choice(told)], listener)
        return None

    def _reference_to(self, slot: Slot, source: Slot, listener: int | None) -> CrossReference:
        content = self.story.contents[source.index]
        told = next((seed for seed in content.seeds if _can_be_cited(seed, slot)), None)
        mention = None
        if told is not None:
            cited = Content(act="add", seeds=[Seed(fact=told.fact, how="refer", optional=True)])
            mention = self.wording.of(slot, cited, listener)[0][0]
        return CrossReference(
            phase=self.scaffold.phases[source.phase].name,
            message=source.id,
            author_name=self.scaffold.members[source.author].first_name,
            mention=mention,
        )

    @staticmethod
    def _may_refer(own: Phase, other: Phase) -> bool:
        return not other.private or other.channel == own.channel

    def _length(self, slot: Slot) -> LengthRule:
        rule = self.policy.length
        if slot.ultra_short:
            return LengthRule(min_sentences=1, max_sentences=1, words=self.policy.realism.ultra_short_words)
        if slot.is_post:
            return LengthRule(min_sentences=rule.post_sentences_low, max_sentences=rule.post_sentences_high)
        return LengthRule(
            min_sentences=rule.reply_sentences_low,
            max_sentences=rule.reply_sentences_high,
            sentence_words=rule.reply_sentence_words,
        )


def _can_be_cited(seed: Seed, slot: Slot) -> bool:
    """The group's standing facts can be cited from elsewhere; what people hold stays with them."""
    return seed.how in ("state", "confirm", "reverse") and seed.fact.holder is None and seed.fact.holds_at(slot.index)


def _voice(member: Member, tone: str | None) -> Voice:
    return Voice(
        id=member.id,
        name=member.name,
        first_name=member.first_name,
        role=member.role,
        minds=member.minds,
        tone=tone or member.tone,
        style=member.style,
        expertise=member.expertise,
        pronoun=member.pronoun,
    )


def _listener(member: Member) -> Listener:
    return Listener(
        id=member.id, name=member.name, first_name=member.first_name, role=member.role, pronoun=member.pronoun
    )
