"""From a message plan to the prompt that a model is given (GroupMemBench, App. C, in our own words)."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.lab.synthesis.base import MessagePlan, Said, Situation
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import voices
from groupmem.lab.synthesis.situation import Deduplicator
from groupmem.lab.synthesis.verify import must_refer
from groupmem.lab.synthesis.writers.instructions import say_fact, say_point, scenarios
from groupmem.models.base import ChatMessage
from groupmem.prompts import Prompts

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


class Briefing:
    """Fills the prompts for one corpus."""

    def __init__(self, pack: Pack, policy: Policy, prompts: Prompts) -> None:
        self._policy = policy
        self._prompts = prompts
        self._summaries = {project.name: project.summary for project in pack.projects}
        self._words = {role.name: _words_of(pack, role.name) for role in pack.roles}
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
        vocabulary, author, length = voices(), plan.author, self._policy.length
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
            words=self._words[author.role],
            reply_least=length.reply_sentences_low,
            reply_most=length.reply_sentences_high,
            reply_words=length.reply_sentence_words,
            post_least=length.post_sentences_low,
            post_most=length.post_sentences_high,
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
        slots["memory"] = f"WHERE THE PHASE STOOD A FEW MESSAGES AGO\n{ledger}" if ledger else ""
        if plan.path == "post":
            return self.render("post", **slots, purpose=texts["purpose"][plan.act], focus=focus or "")
        slots["parent"] = parent
        if plan.path == "cross_project_reply":
            return self._cross_project(plan, situation, slots)
        if plan.disagreement is not None:
            return self.render("disagreement", **slots, manner=texts["disagreement"][plan.disagreement])
        is_put_right = plan.act == "correct" and plan.parent_noise is not None
        return self.render(
            "reply",
            **slots,
            project=plan.place.project,
            purpose=texts["purpose"][plan.act],
            wrong=texts["noise"][str(plan.parent_noise)] if is_put_right else "",
            focus=focus or "",
        )

    def _cross_project(self, plan: MessagePlan, situation: Situation, slots: dict[str, object]) -> str:
        recipient = plan.addressee or plan.audience[0]
        first = situation.original_post if situation.original_post != situation.parent else None
        return self.render(
            "cross_project",
            **slots,
            source_project=plan.source_project,
            source_phase=plan.source_phase,
            recipient=recipient.name,
            recipient_role=recipient.role,
            original_post=shown(first) if first else "",
        )

    def _background(self, plan: MessagePlan) -> str:
        place = plan.place
        return self.render(
            "background",
            project=place.project,
            summary=self._summaries[place.project],
            topic=place.topic,
            audience=", ".join(f"{each.first_name} ({each.role}, {each.pronoun})" for each in plan.audience),
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
        facts = [say_fact(mention, plan.author) for mention in plan.mentions]
        return self.render("facts", facts=facts, points=[say_point(point) for point in plan.points])

    def _constraints(self, plan: MessagePlan, situation: Situation) -> str:
        length, cited = plan.length, situation.cross_reference if must_refer(plan) else None
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
            reference=shown(cited) if cited else "",
            reference_phase=plan.cross_reference.spoken if plan.cross_reference else "",
            imperfection=scenarios()["imperfection"][plan.imperfection] if plan.imperfection else "",
            closure=plan.closure,
        )

    def _history(self, plan: MessagePlan, situation: Situation) -> str:
        """The situational context: older snippets, then the window without echoes, then what a sibling phase said."""
        phase = plan.place.phase_id
        deduplicator = self._deduplicators.setdefault(phase, Deduplicator(self._policy.context.duplicate))
        lines = [f"(earlier) {shown(said, SNIPPET_WORDS)}" for said in situation.older]
        lines += [shown(said) for said in deduplicator.keep(situation.recent)]
        if situation.cross_reference is not None and plan.cross_reference is not None and not must_refer(plan):
            lines.append(f"(in {plan.cross_reference.spoken}) {shown(situation.cross_reference)}")
        return "\n".join(lines)


def shown(said: Said, most_words: int | None = None) -> str:
    """A message as a line of a prompt: who to whom and when."""
    text = " ".join(said.text.split()[:most_words])
    to = f" to {said.reply_to_name}" if said.reply_to_name else ""
    return f"{said.author_name} ({said.role}){to}, {said.sent_at:%a %d %b %H:%M}: {text}"


def as_lines(messages: Sequence[Said]) -> str:
    """Messages one a line."""
    return "\n".join(shown(said) for said in messages)


def _words_of(pack: Pack, role: str) -> list[str]:
    """The role's own words, each with what everybody else would call the thing."""
    own = ((concept, concept.words.get(role, ())) for concept in pack.concepts)
    return [f"{', '.join(words)}: {concept.meaning} ({concept.plain})" for concept, words in own if words]
