"""BEAM, 100K tier: long chats of a user with an assistant, the five conversations of the full memory set
(arXiv 2510.27246).

One turn is one message, its id the one of the set. User turns end in a mark of the generator (" ->-> 1,1"), which is
cut off and kept in `extra`. A session has one date, its first message's; every turn of the session gets it, as midnight
UTC. Evidence is whatever numbers `source_chat_ids` holds, in whatever nesting. Gold is the answer where the probe has
one; instruction and preference probes have a rubric alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, NamedTuple

import msgspec

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile
from groupmem.lab.benchmarks.dates import utc_time
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource, read_json, typed
from groupmem.readers import rows
from groupmem.readers.base import SENTENCES, BadRow
from groupmem.types import Channel, Conversation, Message, Person, Question

REVISION = "b2a3ee8ba12d68f83143dda191097dc3e028ddd3"
_BASE = f"https://raw.githubusercontent.com/mohammadtavakoli78/BEAM/{REVISION}/chats/100K"
_CHANNEL = "chat"
_MARK = re.compile(r"\s*->->[^\n]*\Z")
_ANCHOR = re.compile(r"([A-Z][a-z]+)-(\d{1,2})-(\d{4})")
_GOLD = ("answer", "ideal_answer", "ideal_response", "ideal_summary")


class _Pinned(NamedTuple):
    """Sums and sizes in bytes of the two files of a conversation."""

    chat: str
    chat_bytes: int
    probes: str
    probes_bytes: int


_CONVERSATIONS: Mapping[str, _Pinned] = {
    "1": _Pinned(
        "ea71efd5dcc13f7366d3737b45d532eadb3d1497f3d6f23d1fa1c4004d5ffdf2",
        564_977,
        "047398ff1497674b11585e7b4829c3d64d2d5e63f7f3572c826b73ca1faaf898",
        31_547,
    ),
    "4": _Pinned(
        "e0ef0f74b1f7ac911e8e0518722335c422cbc1112048e9909911b208c51fc027",
        720_144,
        "f69eda522cd7325830c8f78b6f02a571c992b6cf43311fa96f28043fd3c18dae",
        34_657,
    ),
    "6": _Pinned(
        "5365cdc41da212fb7143cf9f191ff7862eed8e9ca175b3728fe593adedc87871",
        635_112,
        "7a6f88dfdeb3f1b582209a745e7c980158dbb2829a9ceae6cdb08bb868a00035",
        34_228,
    ),
    "13": _Pinned(
        "aea586c143dab53cb5a021b3fab23380d5d9628fea1c4b718f91411019166dc6",
        568_613,
        "02dee0ba1d5576aed8ac535328a23fe4f882f6dcff3b96e039162e10d547236b",
        32_094,
    ),
    "17": _Pinned(
        "6eb309c34fd98025327bbe46dec8cdfbf76304c249d3f579f02f46cea06eeefe",
        586_847,
        "7948981c2e40751bfe9ace82e53497d32229245e6012a2e5d4da2e801c929451",
        30_779,
    ),
}


class _Turn(msgspec.Struct):
    role: str
    id: int
    content: str
    time_anchor: str | None = None


class _Session(msgspec.Struct):
    turns: list[list[dict[str, Any]]]


class _Probe(msgspec.Struct):
    question: str
    source_chat_ids: Any = None


_TURN = frozenset(_Turn.__struct_fields__)
_PROBE = frozenset(_Probe.__struct_fields__)


def _chat(number: str) -> str:
    return f"100K/{number}/chat.json"


def _probes(number: str) -> str:
    return f"100K/{number}/probing_questions/probing_questions.json"


def _files(number: str, pinned: _Pinned) -> tuple[DataFile, DataFile]:
    chat, probes = _chat(number), _probes(number)
    return (
        DataFile(
            path=chat,
            url=f"{_BASE}/{chat.removeprefix('100K/')}",
            sha256=pinned.chat,
            size_bytes=pinned.chat_bytes,
        ),
        DataFile(
            path=probes,
            url=f"{_BASE}/{probes.removeprefix('100K/')}",
            sha256=pinned.probes,
            size_bytes=pinned.probes_bytes,
        ),
    )


class Beam(BaseBenchmark):
    """One unit is one conversation ("conv17"); its questions are "conv17:<ability>:<index>"."""

    unit_names = tuple(f"conv{number}" for number in _CONVERSATIONS)
    known_bad: ClassVar[Mapping[str, str]] = {
        "conv1:temporal_reasoning:0": "the answer says 4 weeks, its rubric 8, and the dates are 60 days apart",
        "conv4:preference_following:1": "a stray letter in the rubric",
        "conv4:summarization:1": "a dropped letter in the rubric",
        "conv17:temporal_reasoning:1": "answer and rubric say 46 days where the dates are 76 days apart",
    }
    metadata = BenchmarkMetadata(
        name="beam",
        title="BEAM: the five conversations of the full memory set, 100K tier",
        licence="CC BY-SA 4.0 by the dataset card of its authors; the repository states none",
        source="https://github.com/mohammadtavakoli78/BEAM",
        revision=REVISION,
        citation="Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs, arXiv 2510.27246",
        files=tuple(file for number, pinned in _CONVERSATIONS.items() for file in _files(number, pinned)),
        expected={"units": 5, "messages": 1_254, "questions": 100},
        profile="rubric",
    )

    @classmethod
    def declared(cls, unit: str | None) -> tuple[DataFile, ...]:
        if unit is None:
            return cls.metadata.files
        return tuple(file for file in cls.metadata.files if file.path.startswith(f"100K/{unit.removeprefix('conv')}/"))

    def sources(self) -> Iterator[UnitSource]:
        for number in _CONVERSATIONS:
            chat, probes = self.files.has(_chat(number)), self.files.has(_probes(number))
            if chat != probes:
                missing = _probes(number) if chat else _chat(number)
                raise DataError(f"{self.files.folder / missing} is missing: run `groupmem data fetch beam`")
            if chat:
                yield UnitSource(f"conv{number}", partial(self._content, number))

    def _content(self, number: str) -> UnitContent:
        name = f"conv{number}"
        sessions = read_json(self.files.folder / _chat(number), list[_Session])
        probes = read_json(self.files.folder / _probes(number), dict[str, list[dict[str, Any]]])
        conversation = Conversation(
            id=name,
            messages=tuple(_messages(sessions)),
            people=(Person(id="user"), Person(id="assistant", is_bot=True)),
            channels=(Channel(id=_CHANNEL),),
        )
        questions = tuple(
            _question(f"{name}:{ability}:{index}", ability, row)
            for ability, asked in probes.items()
            for index, row in enumerate(asked)
        )
        return UnitContent(conversation, questions, counts={SENTENCES["naive_times"]: len(sessions)})


def _messages(sessions: list[_Session]) -> Iterator[Message]:
    position = 0
    for number, session in enumerate(sessions, start=1):
        turns = [row for turn in session.turns for row in turn]
        dates = [turn.time_anchor for turn in (typed(row, _Turn) for row in turns) if turn.time_anchor]
        sent_at = session_date(dates[0]) if dates else None
        for row in turns:
            turn = typed(row, _Turn)
            text, mark = _without_mark(turn)
            extra = rows.rest(row, _TURN) | {"session": number} | ({"mark": mark} if mark else {})
            yield Message(
                id=str(turn.id),
                channel=_CHANNEL,
                author=turn.role,
                text=text,
                sent_at=sent_at,
                position=position,
                role=turn.role,
                is_bot=turn.role == "assistant",
                extra=extra,
            )
            position += 1


def session_date(anchor: str) -> datetime:
    """The date of a session ("March-15-2024"), midnight UTC. Raises BadRow where it cannot be read."""
    match = _ANCHOR.fullmatch(anchor)
    if match is None:
        raise BadRow(f"unreadable session date {anchor!r}")
    return utc_time(year=match[3], month=match[1], day=match[2])


def flatten(value: Any) -> Iterator[str]:
    """Every number in a nesting of lists and mappings, as text."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from flatten(item)
    elif value is not None:
        yield str(value)


def _without_mark(turn: _Turn) -> tuple[str, str]:
    """The text of a turn without the mark of the generator, and the mark."""
    match = _MARK.search(turn.content) if turn.role == "user" else None
    return (turn.content, "") if match is None else (turn.content[: match.start()], match[0])


def _question(name: str, ability: str, row: Mapping[str, Any]) -> Question:
    probe = typed(row, _Probe)
    gold = next((row[field] for field in _GOLD if isinstance(row.get(field), str)), None)
    return Question(
        id=name,
        text=probe.question,
        answer=gold,
        category=ability,
        evidence=tuple(dict.fromkeys(flatten(probe.source_chat_ids))),
        extra=rows.rest(row, _PROBE),
    )
