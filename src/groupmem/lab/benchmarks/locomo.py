"""LoCoMo: long conversations of two people over many sessions (arXiv 2402.17753).

One turn is one message; all turns of a session have the time of the session, which the set gives without a zone. Image
captions and links are kept in `extra`, and are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile, Repair
from groupmem.lab.benchmarks.dates import utc_time
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource, read_json, typed
from groupmem.readers import rows
from groupmem.readers.base import SENTENCES, BadRow
from groupmem.types import Channel, Conversation, Message, Person, Question

REVISION = "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376"

CATEGORIES: Mapping[int, str] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Version 1 of the names: the set gives numbers alone, and projects disagree on what they mean. These follow what the
set's own evaluation does with each number; tables print number and name."""

ABSTENTION = "Not mentioned in the conversation"
"""Gold of an adversarial question, which the set's own evaluation holds to be a refusal."""

_CHANNEL = "chat"
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_TIME = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([a-z]+),? (\d{4})", re.IGNORECASE)


class _Turn(msgspec.Struct):
    speaker: str
    dia_id: str
    text: str


class _Asked(msgspec.Struct):
    question: str
    category: int
    evidence: list[str] = []
    answer: str | int | float | None = None


class _Sample(msgspec.Struct):
    sample_id: str
    conversation: dict[str, Any]
    qa: list[dict[str, Any]]


_TURN = frozenset(_Turn.__struct_fields__)
_ASKED = frozenset(_Asked.__struct_fields__)


class LoCoMo(BaseBenchmark):
    """One unit is one conversation ("conv-26")."""

    pattern = "locomo*.json"
    metadata = BenchmarkMetadata(
        name="locomo",
        title="LoCoMo: very long-term conversational memory",
        licence="CC BY-NC 4.0 (non-commercial)",
        source="https://github.com/snap-research/locomo",
        revision=REVISION,
        citation="Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024, arXiv 2402.17753",
        files=(
            DataFile(
                path="locomo10.json",
                url=f"https://raw.githubusercontent.com/snap-research/locomo/{REVISION}/data/locomo10.json",
                sha256="79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
                size_bytes=2_805_274,
            ),
        ),
        expected={"units": 10, "messages": 5_882, "questions": 1_986},
        notes="Category names are version 1 of the table in this module. Gold of category 5 is a refusal.",
    )

    def sources(self) -> Iterator[UnitSource]:
        for path in self.files.paths:
            for sample in read_json(self.files.folder / path, list[_Sample]):
                yield UnitSource(sample.sample_id, partial(_content, sample))


def category(number: int) -> str:
    """Number and name of a category. Raises BadRow for a number that has no name: none is guessed."""
    if number not in CATEGORIES:
        raise BadRow(f"category {number} has no name; known are {', '.join(map(str, CATEGORIES))}")
    return f"{number}-{CATEGORIES[number]}"


def read_evidence(strings: list[str]) -> tuple[str, ...]:
    """Every D<session>:<turn> in the strings, without leading zeros and a stray colon, each once."""
    found = (match for string in strings for match in _EVIDENCE.finditer(string))
    return tuple(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))


def session_time(value: str) -> datetime:
    """The time of a session ("1:56 pm on 8 May, 2023"), read as UTC. Raises BadRow where it cannot be read."""
    match = _TIME.fullmatch(value.strip())
    if match is None:
        raise BadRow(f"unreadable session time {value!r}")
    hour, minute, half, day, month, year = match.groups()
    return utc_time(year, month, day, int(hour) % 12 + (12 if half.lower() == "pm" else 0), int(minute))


def _content(sample: _Sample) -> UnitContent:
    messages, sessions = _messages(sample.conversation)
    conversation = Conversation(
        id=sample.sample_id,
        messages=tuple(messages),
        people=tuple(Person(id=rows.identifier(sample.conversation, name)) for name in ("speaker_a", "speaker_b")),
        channels=(Channel(id=_CHANNEL),),
    )
    questions = []
    repairs = []
    for index, row in enumerate(sample.qa):
        question, repair = _question(f"{sample.sample_id}:{index}", row)
        questions.append(question)
        repairs += [repair] if repair else []
    return UnitContent(conversation, tuple(questions), tuple(repairs), {SENTENCES["naive_times"]: sessions})


def _messages(conversation: Mapping[str, Any]) -> tuple[list[Message], int]:
    """The turns of all sessions in the order of the sessions, and the number of sessions."""
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    messages: list[Message] = []
    for number in numbers:
        sent_at = session_time(rows.text(conversation, f"session_{number}_date_time"))
        for row in msgspec.convert(conversation[f"session_{number}"], list[dict[str, Any]]):
            turn = typed(row, _Turn)
            messages.append(
                Message(
                    id=turn.dia_id,
                    channel=_CHANNEL,
                    author=turn.speaker,
                    text=turn.text,
                    sent_at=sent_at,
                    position=len(messages),
                    extra=rows.rest(row, _TURN) | {"session": number},
                )
            )
    return messages, len(numbers)


def _question(name: str, row: Mapping[str, Any]) -> tuple[Question, Repair | None]:
    asked = typed(row, _Asked)
    evidence = read_evidence(asked.evidence)
    adversarial = asked.category == 5
    gold = ABSTENTION if adversarial else asked.answer
    question = Question(
        id=name,
        text=asked.question,
        answer=None if gold is None else str(gold),
        category=category(asked.category),
        evidence=evidence,
        extra=rows.rest(row, _ASKED - {"answer"} if adversarial else _ASKED),
    )
    was, became = ", ".join(asked.evidence), ", ".join(evidence)
    return question, None if was == became else Repair(question=name, was=was, became=became or "dropped")
