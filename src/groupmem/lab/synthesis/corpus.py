"""The files of a corpus: the published layout, the project's own format, people, channels, truth, and provenance.

corpus.json         the layout that GroupMemBench is published in: channel -> messages
messages.jsonl      the same as the project's own JSONL (`readers.jsonl`)
people.json, channels.json
facts.jsonl, decisions.jsonl, unanswered.jsonl     the ground truth (`truth`)
policy.json         every parameter; `groupmem synth make --policy` reads it back
scaffold.json       the static graph
provenance.json     what the corpus was made from, and what was drawn
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groupmem.files import open_atomic, write_atomic
from groupmem.lab.synthesis.base import FactKind, How, MessagePlan, Written
from groupmem.lab.synthesis.graph import static_edges
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.truth import Truth
from groupmem.lab.synthesis.verify import missing
from groupmem.readers import jsonl
from groupmem.types import Channel, Message, Person, Record

COMMITTING: tuple[FactKind, ...] = ("decision", "deadline", "owner", "approval", "requirement", "number")
DECIDING: tuple[How, ...] = ("state", "confirm", "propose", "argue", "reverse", "keep")
Layout = dict[str, list[dict[str, Any]]]


class Provenance(Record, frozen=True, kw_only=True):
    """What a corpus was made from. Two corpora with the same one from the grammar writer are the same bytes.

    `drawn` counts path types as they came out of the mixture, `realised` those of the messages, `overrides` why they
    differ. `unstated` counts planned statements that the writer left out.
    """

    version: int = 1
    groupmem: str
    pack: str
    pack_sha256: str
    policy_sha256: str
    writer: str
    seed: int
    messages: int
    prompts: Mapping[str, str] = {}
    drawn: Mapping[str, int] = {}
    realised: Mapping[str, int] = {}
    overrides: Mapping[str, int] = {}
    phases: int = 0
    projects: int = 0
    topics: int = 0
    people: int = 0
    roles: int = 0
    unstated: int = 0


class CorpusFiles:
    """Writes the files of one corpus into a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self._name = name

    def write(self, plans: Plans, texts: Sequence[Written], provenance: Provenance) -> None:
        """Writes everything; the provenance comes last, so that a folder which has one is whole."""
        truth = Truth(plans)
        layout: Layout = {name: [] for name in plans.scaffold.channels()}
        messages: list[Message] = []
        unstated = 0
        for index, written in enumerate(texts):
            plan = plans.plan(index)
            truth.add(plan, written)
            unstated += len(missing(plan, written))
            row = _row(plan, written.text)
            position = len(layout[plan.channel])
            layout[plan.channel].append(row)
            messages.append(_message(plan, row, position))
        self.lines("facts.jsonl", truth.facts())
        self.lines("decisions.jsonl", truth.decisions())
        self.lines("unanswered.jsonl", truth.unanswered())
        self.conversation(layout, messages, _people(plans.scaffold), _channels(plans.scaffold))
        self.document("policy.json", plans.policy)
        self.document("scaffold.json", _static_graph(plans.scaffold))
        self.document("provenance.json", msgspec.structs.replace(provenance, unstated=unstated))

    def write_plain(
        self, messages: Sequence[Message], people: Sequence[Person], channels: Sequence[str], provenance: Provenance
    ) -> None:
        """Writes a corpus that was not planned: its ground truth is empty."""
        layout: Layout = {name: [] for name in channels}
        placed = []
        for message in messages:
            placed.append(msgspec.structs.replace(message, position=len(layout[message.channel])))
            layout[message.channel].append(_plain_row(message))
        for name in ("facts.jsonl", "decisions.jsonl", "unanswered.jsonl"):
            self.lines(name, ())
        self.conversation(layout, placed, people, [Channel(id=name) for name in channels])
        roles = {person.role for person in people}
        self.document(
            "provenance.json",
            msgspec.structs.replace(provenance, projects=len(channels), people=len(people), roles=len(roles)),
        )

    def conversation(
        self, layout: Layout, messages: Iterable[Message], people: Sequence[Person], channels: Sequence[Channel]
    ) -> None:
        """The messages in both formats, with people and channels."""
        ranks = {name: rank for rank, name in enumerate(layout)}
        ordered = sorted(messages, key=lambda message: ranks[message.channel])
        header = jsonl.Header(id=self._name, people=tuple(people), channels=tuple(channels))
        jsonl.write_stream(self.folder / "messages.jsonl", header, ordered)
        with open_atomic(self.folder / "corpus.json") as file:
            file.writelines(_layout_bytes(layout))
        self.document("people.json", [_person_row(person) for person in people])
        self.document("channels.json", [{"name": channel.id, "members": channel.members} for channel in channels])

    def lines(self, name: str, records: Iterable[Record]) -> None:
        """One record a line."""
        with open_atomic(self.folder / name) as file:
            file.writelines(msgspec.json.encode(record) + b"\n" for record in records)

    def document(self, name: str, value: Any) -> None:
        """One JSON document, indented."""
        write_atomic(self.folder / name, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")


def structure_counts(plans: Plans) -> dict[str, dict[str, int]]:
    """What was drawn, what became of it and why, by path type."""
    slots = plans.slots
    return {
        "drawn": _sorted(Counter(slot.drawn for slot in slots)),
        "realised": _sorted(Counter(slot.path for slot in slots)),
        "overrides": _sorted(Counter(slot.override for slot in slots if slot.override is not None)),
    }


def _sorted(counts: Counter[Any]) -> dict[str, int]:
    return {str(name): counts[name] for name in sorted(counts)}


def _row(plan: MessagePlan, text: str) -> dict[str, Any]:
    """A message in the published layout; what that layout has no field for stands behind its own."""
    return {
        "msg_node": plan.id,
        "author": plan.author.id,
        "role": plan.author.role,
        "content": text,
        "timestamp": plan.sent_at.isoformat(),
        "reply_to": plan.parent,
        "phase_name": plan.place.phase,
        "topic": plan.place.topic,
        "is_noise": plan.noise is not None,
        "is_decision_point": _is_decision_point(plan),
        "path_type": plan.path,
        "act": plan.act,
        "stage": plan.place.stage,
        "noise": plan.noise,
        "disagreement": plan.disagreement,
        "decision_change": plan.change,
    }


def _is_decision_point(plan: MessagePlan) -> bool:
    """Whether the message commits the group to something, confirms it, or argues about it."""
    return any(mention.kind in COMMITTING and mention.how in DECIDING for mention in plan.mentions)


def _plain_row(message: Message) -> dict[str, Any]:
    return {
        "msg_node": message.id,
        "author": message.author,
        "role": message.role,
        "content": message.text,
        "timestamp": message.sent_at.isoformat() if message.sent_at else None,
        "reply_to": message.reply_to,
    }


_OWN_FIELDS = ("msg_node", "author", "role", "content", "timestamp", "reply_to", "phase_name", "topic")


def _message(plan: MessagePlan, row: Mapping[str, Any], position: int) -> Message:
    return Message(
        id=plan.id,
        channel=plan.channel,
        author=plan.author.id,
        text=row["content"],
        sent_at=plan.sent_at,
        position=position,
        role=plan.author.role,
        reply_to=plan.parent,
        phase=plan.place.phase,
        topic=plan.place.topic,
        extra={name: value for name, value in row.items() if name not in _OWN_FIELDS},
    )


def _people(scaffold: Scaffold) -> list[Person]:
    return [
        Person(
            id=member.id,
            name=member.name,
            role=member.role,
            aliases=(member.first_name,),
            extra={"tone": member.tone, "style": member.style, "expertise": member.expertise},
        )
        for member in scaffold.members
    ]


def _channels(scaffold: Scaffold) -> list[Channel]:
    return [Channel(id=name, members=members) for name, members in scaffold.channels().items()]


def _person_row(person: Person) -> dict[str, Any]:
    return {"id": person.id, "name": person.name, "role": person.role, "aliases": person.aliases, **person.extra}


def _static_graph(scaffold: Scaffold) -> dict[str, Any]:
    return {
        "domains": [{"id": project.name, "categories": project.categories} for project in scaffold.projects],
        "topics": [topic.id for topic in scaffold.topics],
        "phases": [
            {
                "id": phase.id,
                "channel": phase.channel,
                "category": phase.category,
                "status_goal": phase.status_goal,
                "owner": scaffold.members[phase.owner].id,
                "start": phase.start,
                "target": phase.end,
                "url": phase.url,
                "sub_issues": phase.sub_issues,
            }
            for phase in scaffold.phases
        ],
        "users": [member.id for member in scaffold.members],
        "edges": list(static_edges(scaffold)),
    }


def _layout_bytes(layout: Layout) -> Iterator[bytes]:
    """The object channel by channel and a message a line, so that no second copy of it is ever held."""
    yield b"{"
    for number, (channel, rows) in enumerate(layout.items()):
        yield (b",\n" if number else b"\n") + msgspec.json.encode(channel) + b": [\n"
        for index, row in enumerate(rows):
            yield (b",\n" if index else b"") + msgspec.json.encode(row)
        yield b"\n]"
    yield b"\n}\n"
