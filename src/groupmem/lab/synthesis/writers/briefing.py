"""From a message plan to the prompt that a model is given (GroupMemBench, App. C, in our own words)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from groupmem.lab.synthesis.base import FactMention, MessagePlan, Point, Said, Situation
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import voices
from groupmem.lab.synthesis.situation import Deduplicator
from groupmem.models.base import ChatMessage
from groupmem.prompts import Prompts

SCENARIOS = Path(__file__).parents[3] / "data" / "synthesis" / "scenarios.toml"
PROMPTS = (
    "system",
    "background",
    "facts",
    "constraints",
    "post",
    "reply",
    "cross_project",
    "disagreement",
    "noise",
    "sub_issues",
    "ledger",
    "retry",
)
OPENING_WORDS = 4
SNIPPET_WORDS = 12


@cache
def scenarios() -> Mapping[str, Mapping[str, str]]:
    """The sentences about acts, stages, disagreements, mistakes and manners."""
    return tomllib.loads(SCENARIOS.read_text(encoding="utf-8"))


class Briefing:
    """Fills the prompts for one corpus."""

    def __init__(self, pack: Pack, policy: Policy, prompts: Prompts) -> None:
        self._policy = policy
        self._prompts = prompts
        self._summaries = {project.name: project.summary for project in pack.projects}
        self._deduplicators: dict[str, Deduplicator] = {}

    def summary(self, project: str) -> str:
        """What the project is about."""
        return self._summaries[project]

    def render(self, prompt: str, /, **slots: object) -> str:
        """A prompt of synthesis with its slots filled, without the empty lines of parts left out."""
        text = self._prompts.load(f"synthesis/{prompt}").render(**slots)
        lines = text.strip().split("\n")
        return "\n".join(
            line for number, line in enumerate(lines) if line.strip() or (number and lines[number - 1].strip())
        )

    def messages(
        self, plan: MessagePlan, situation: Situation, focus: str | None, ledger: str
    ) -> tuple[ChatMessage, ...]:
        """System and user turn for the plan; `focus` is the sub-issue, `ledger` the phase memory."""
        return (
            ChatMessage(role="system", content=self._system(plan)),
            ChatMessage(role="user", content=self._user(plan, situation, focus, ledger)),
        )

    def _system(self, plan: MessagePlan) -> str:
        vocabulary, author = voices(), plan.author
        return self.render(
            "system",
            name=author.name,
            role=author.role,
            minds=author.minds,
            tone=author.tone,
            tone_meaning=vocabulary["tone"][author.tone],
            style=author.style,
            style_meaning=vocabulary["style"][author.style],
            expertise=author.expertise,
            expertise_meaning=vocabulary["expertise"][author.expertise],
            format=vocabulary["format"][author.style],
        )

    def _user(self, plan: MessagePlan, situation: Situation, focus: str | None, ledger: str) -> str:
        texts = scenarios()
        slots: dict[str, object] = {
            "background": self._background(plan),
            "history": self._history(plan, situation),
            "facts": self._facts(plan),
            "constraints": self._constraints(plan, situation),
        }
        parent = shown(situation.parent) if situation.parent else ""
        if plan.noise is not None:
            return self.render("noise", **slots, parent=parent, mistake=texts["noise"][plan.noise])
        slots["memory"] = f"WHERE THE PHASE STANDS\n{ledger}" if ledger else ""
        if plan.path == "post":
            return self.render("post", **slots, purpose=texts["purpose"][plan.act], focus=focus or "")
        slots["parent"] = parent
        if plan.path == "cross_project_reply":
            return self._cross_project(plan, situation, slots)
        if plan.disagreement is not None:
            return self.render("disagreement", **slots, manner=texts["disagreement"][plan.disagreement])
        reference = plan.cross_reference
        return self.render(
            "reply",
            **slots,
            project=plan.place.project,
            purpose=texts["purpose"][plan.act],
            focus=focus or "",
            reference=shown(situation.cross_reference) if situation.cross_reference else "",
            reference_phase=reference.phase if reference else "",
        )

    def _cross_project(self, plan: MessagePlan, situation: Situation, slots: dict[str, object]) -> str:
        recipient = plan.addressee or plan.audience[0]
        return self.render(
            "cross_project",
            **slots,
            source_project=plan.source_project,
            source_phase=plan.source_phase,
            recipient=recipient.name,
            recipient_role=recipient.role,
            original_post=shown(situation.original_post) if situation.original_post else "",
        )

    def _background(self, plan: MessagePlan) -> str:
        place = plan.place
        return self.render(
            "background",
            project=place.project,
            summary=self._summaries[place.project],
            topic=place.topic,
            audience=", ".join(f"{listener.first_name} ({listener.role})" for listener in plan.audience),
            phase=place.phase,
            category=place.category,
            stage=place.stage,
            status=place.status,
            status_goal=place.status_goal,
            target=place.target.strftime("%A %d %B %Y"),
            owner=place.owner_name,
            stage_guidance=scenarios()["stage"][place.stage],
            today=plan.sent_at.strftime("%A %d %B %Y, %H:%M"),
        )

    def _facts(self, plan: MessagePlan) -> str:
        return self.render(
            "facts",
            facts=[instruction(mention) for mention in plan.mentions],
            points=[_point(point) for point in plan.points],
        )

    def _constraints(self, plan: MessagePlan, situation: Situation) -> str:
        length = plan.length
        openings = dict.fromkeys(" ".join(said.text.split()[:OPENING_WORDS]) for said in situation.author_recent)
        return self.render(
            "constraints",
            ultra_short=length.words,
            least=length.min_sentences,
            most=length.max_sentences,
            sentence_words=length.sentence_words,
            openings="; ".join(f'"{opening} ..."' for opening in openings),
            mention=f"@{plan.addressee.first_name}" if plan.mention_parent and plan.addressee else "",
            url=plan.url or "",
            imperfection=scenarios()["imperfection"][plan.imperfection] if plan.imperfection else "",
            closure=plan.closure,
        )

    def _history(self, plan: MessagePlan, situation: Situation) -> str:
        """The situational context: older snippets, then the window without echoes, then what a sibling phase said."""
        phase = plan.place.phase_id
        deduplicator = self._deduplicators.setdefault(phase, Deduplicator(self._policy.context.duplicate))
        lines = [f"(earlier) {shown(said, SNIPPET_WORDS)}" for said in situation.older]
        lines += [shown(said) for said in deduplicator.keep(situation.recent)]
        if situation.cross_reference is not None and plan.cross_reference is not None and plan.path != "reply":
            lines.append(f"(in {plan.cross_reference.phase}) {shown(situation.cross_reference)}")
        return "\n".join(lines)


def shown(said: Said, most_words: int | None = None) -> str:
    """A message as a line of a prompt."""
    text = " ".join(said.text.split()[:most_words])
    return f"{said.author_name} ({said.role}), {said.sent_at:%a %d %b %H:%M}: {text}"


def instruction(mention: FactMention) -> str:
    """What to say about one fact, in what manner."""
    texts = scenarios()
    person = mention.person_name or ""
    slots = {
        "s": mention.subject,
        "is": "are" if mention.plural else "is",
        "v": f'"{mention.value}"',
        "p": person,
        "w": mention.was or "",
    }
    if mention.how == "ask":
        claim = texts["asked"][mention.kind].format_map(slots)
    elif mention.self_value:
        claim = texts["self_claim"][mention.kind].format_map(slots)
    else:
        claim = texts["claim"][mention.kind].format_map(slots)
    said = texts["manner"][mention.how].format_map({**slots, "c": claim})
    return texts["manner"]["optional"].format_map({"m": said}) if mention.optional else said


def _point(point: Point) -> str:
    text = f'"{point.text}"' if point.required else point.text
    return scenarios()["material"][point.material].format_map({"t": text})


def as_lines(messages: Sequence[Said]) -> str:
    """Messages one a line."""
    return "\n".join(shown(said) for said in messages)
