"""QMSum: meetings of several speakers, with queries about parts of them (arXiv 2104.05938).

One turn of the transcript is one message, its id the number of the turn. The questions are the specific queries; their
evidence is every turn inside any of the relevant spans, both ends included. General queries ask for the whole meeting
and have no evidence, so they are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource
from groupmem.readers.documents import numbered_lines
from groupmem.types import Channel, Conversation, Message, Question

REVISION = "83d7768c1f2b4dfeb091385d3dc7e239b8e5bb7e"
_BASE = f"https://raw.githubusercontent.com/Yale-LILY/QMSum/{REVISION}/data/ALL/jsonl"
_CHANNEL = "meeting"


class _Turn(msgspec.Struct):
    speaker: str
    content: str


class _Query(msgspec.Struct):
    query: str
    answer: str
    relevant_text_span: list[tuple[int, int]]


class _Meeting(msgspec.Struct):
    meeting_transcripts: list[_Turn]
    specific_query_list: list[_Query]


class QMSum(BaseBenchmark):
    """One unit is one meeting: the name of its file, and its line counted from 0 ("val-12")."""

    pattern = "*.jsonl"
    metadata = BenchmarkMetadata(
        name="qmsum",
        title="QMSum: query-based meeting summarisation, specific queries of val and test",
        licence="MIT (the transcripts come from the AMI, ICSI and parliamentary corpora, with terms of their own)",
        source="https://github.com/Yale-LILY/QMSum",
        revision=REVISION,
        citation="QMSum: A New Benchmark for Query-based Multi-domain Meeting Summarization, arXiv 2104.05938",
        files=(
            DataFile(
                path="val.jsonl",
                url=f"{_BASE}/val.jsonl",
                sha256="fc7444e241bdbe6997c01720d07f1a58b7357284acb73f909766e5a4700db49f",
                size_bytes=2_714_748,
            ),
            DataFile(
                path="test.jsonl",
                url=f"{_BASE}/test.jsonl",
                sha256="6bcd428211260ad2efae3af76cbaf6a7f5ae4bb5e1e59c45a4b8e89539cb9208",
                size_bytes=2_746_108,
            ),
        ),
        expected={"units": 70, "messages": 40_841, "questions": 481},
    )

    def sources(self) -> Iterator[UnitSource]:
        for name in self.files.paths:
            path = self.files.folder / name
            for index, (number, line) in enumerate(numbered_lines(path)):
                unit = f"{path.stem}-{index}"
                yield UnitSource(unit, partial(_content, unit, line, path, number))


def _content(unit: str, line: bytes, path: Path, number: int) -> UnitContent:
    try:
        # Spans are numbers written as text in the published files.
        meeting = msgspec.convert(msgspec.json.decode(line), _Meeting, strict=False)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}:{number}: no meeting of QMSum: {error}") from error
    messages = tuple(
        Message(id=str(position), channel=_CHANNEL, author=turn.speaker, text=turn.content, position=position)
        for position, turn in enumerate(meeting.meeting_transcripts)
    )
    questions = tuple(
        Question(
            id=f"{unit}:{index}",
            text=query.query,
            answer=query.answer,
            category="specific",
            evidence=_turns(query.relevant_text_span),
        )
        for index, query in enumerate(meeting.specific_query_list)
    )
    return UnitContent(Conversation(id=unit, messages=messages, channels=(Channel(id=_CHANNEL),)), questions)


def _turns(spans: list[tuple[int, int]]) -> tuple[str, ...]:
    """Ids of the turns inside any span, each once, in the order of the spans."""
    return tuple(dict.fromkeys(str(turn) for first, last in spans for turn in range(first, last + 1)))
