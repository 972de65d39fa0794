"""FriendsQA: questions about scenes of a series, several speakers each (SIGDIAL 2019).

One utterance is one message, its id the number of the utterance; speakers who say it together are joined with ", ".
The evidence of a question is every utterance that holds one of its answers. A question has several gold answers, from
several annotators; each is right, so they are joined with " / ".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource, read_json, typed
from groupmem.readers import rows
from groupmem.types import Channel, Conversation, Message, Question

REVISION = "9ce6c98a6acf13c87d96b6811e4409b5de43bdfe"
_BASE = f"https://raw.githubusercontent.com/emorynlp/FriendsQA/{REVISION}/dat"
_CHANNEL = "scene"
_WORD = re.compile(r"_(What|Where|When|Who|Why|How)(_Paraphrased)?$")


class _Utterance(msgspec.Struct):
    uid: int
    speakers: list[str]
    utterance: str


class _Answer(msgspec.Struct):
    answer_text: str
    utterance_id: int


class _Asked(msgspec.Struct):
    id: str
    question: str


class _Paragraph(msgspec.Struct, rename={"utterances": "utterances:"}):
    utterances: list[_Utterance]
    qas: list[dict[str, Any]]


class _Scene(msgspec.Struct):
    title: str
    paragraphs: tuple[_Paragraph]


class _Scenes(msgspec.Struct):
    data: list[_Scene]


_ASKED = frozenset(_Asked.__struct_fields__)


class FriendsQA(BaseBenchmark):
    """One unit is one scene ("s01_e23_c06")."""

    pattern = "friendsqa_*.json"
    metadata = BenchmarkMetadata(
        name="friendsqa",
        title="FriendsQA: open-domain questions on multiparty dialogue, dev and tst",
        licence="Apache-2.0 (annotation and packaging; the dialogue is the script of a television series)",
        source="https://github.com/emorynlp/FriendsQA",
        revision=REVISION,
        citation="FriendsQA: Open-Domain Question Answering on TV Show Transcripts, SIGDIAL 2019",
        files=(
            DataFile(
                path="friendsqa_dev.json",
                url=f"{_BASE}/friendsqa_dev.json",
                sha256="3a85d3fcb175589ffd050fb4bf431da77a6e12589c8ec03f1d54060ce33ec703",
                size_bytes=1_956_720,
            ),
            DataFile(
                path="friendsqa_tst.json",
                url=f"{_BASE}/friendsqa_tst.json",
                sha256="a98f24d4b04ac9f8d9468088febf304bd90eada134537277c1a425e31c0372bc",
                size_bytes=1_842_820,
            ),
        ),
        expected={"units": 249, "messages": 5_183, "questions": 2_383},
    )

    def sources(self) -> Iterator[UnitSource]:
        for path in self.files.paths:
            for scene in read_json(self.files.folder / path, _Scenes).data:
                yield UnitSource(scene.title, partial(_content, scene))


def _content(scene: _Scene) -> UnitContent:
    (paragraph,) = scene.paragraphs
    messages = tuple(
        Message(
            id=str(item.uid),
            channel=_CHANNEL,
            author=", ".join(item.speakers),
            text=item.utterance,
            position=position,
            extra={"speakers": item.speakers},
        )
        for position, item in enumerate(paragraph.utterances)
    )
    conversation = Conversation(id=scene.title, messages=messages, channels=(Channel(id=_CHANNEL),))
    return UnitContent(conversation, tuple(_question(row) for row in paragraph.qas))


def _question(row: dict[str, Any]) -> Question:
    """A question; its category is the question word that its id ends in."""
    asked = typed(row, _Asked)
    answers = msgspec.convert(row.get("answers"), list[_Answer])
    word = _WORD.search(asked.id)
    return Question(
        id=asked.id,
        text=asked.question,
        answer=" / ".join(dict.fromkeys(answer.answer_text for answer in answers)) or None,
        category=word[1].lower() if word else "all",
        evidence=tuple(dict.fromkeys(str(answer.utterance_id) for answer in answers)),
        extra=rows.rest(row, _ASKED),
    )
