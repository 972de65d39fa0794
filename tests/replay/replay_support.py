"""What the end-to-end tests share: a conversation on disk, a server that reads and judges, and the command line."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from groupmem.cli import main
from groupmem.lab.records import RunFolder
from groupmem.readers import jsonl
from groupmem.types import Channel, Conversation, Message, Person, Question
from support.openai_server import OpenAIServer, RecordedRequest, Reply

START = datetime(2025, 3, 1, 9, tzinfo=UTC)
COLOURS = ("ochre", "teal", "plum", "sand", "jade", "rust", "pearl", "slate")
"""What each message says; the question about it has that colour as its gold."""


def write_conversation(folder: Path, *, timed_questions: bool = False, asker: str = "mira") -> Path:
    """Eight messages of two people in a public and a private channel, and a question about each."""
    messages = tuple(
        Message(
            id=f"m{n}",
            channel="private" if n % 4 == 3 else "open",
            author=("mira", "tomas")[n % 2],
            text=f"The door number{n} is painted {colour}",
            sent_at=START + timedelta(minutes=n),
        )
        for n, colour in enumerate(COLOURS)
    )
    questions = tuple(
        Question(
            id=f"q{n}",
            text=f"What colour has the door number{n}?",
            answer=colour,
            category=("temporal", "multi_hop")[n % 2],
            asker=asker,
            asked_at=START + timedelta(minutes=n, seconds=30) if timed_questions else None,
            evidence=(f"m{n}",),
        )
        for n, colour in enumerate(COLOURS)
    )
    conversation = Conversation(
        id="doors",
        messages=messages,
        people=(Person(id="mira"), Person(id="tomas")),
        channels=(Channel(id="open"), Channel(id="private", members=("mira",))),
    )
    path = folder / "doors.jsonl"
    jsonl.write(path, conversation, questions)
    return path


def is_judge(request: RecordedRequest) -> bool:
    return "messages" in request.body and "### Reference answer" in request.last_message


def read_or_judge(request: RecordedRequest) -> Reply:
    """A reader that finds the colour in the passages, and a judge that compares it with the gold."""
    if "input" in request.body:
        return Reply()  # texts to embed
    text = request.last_message
    if is_judge(request):
        gold, answer = re.findall(r"(?:### Reference answer|<answer id=.*>)\n(.+)", text)
        return Reply(f"Compared.\nFinal: {'Correct' if gold == answer else 'Incorrect'}")
    asked = re.search(r"door (number\d)\?", text)
    found = re.search(rf"The door {asked[1]} is painted (\w+)", text) if asked else None
    return Reply(f"Looked.\nFinal: {found[1] if found else 'no information'}")


class Counted(NamedTuple):
    """How often the server was asked to read and to judge."""

    reads: int
    judgements: int


def counted(server: OpenAIServer) -> Counted:
    kinds = Counter(is_judge(request) for request in server.requests)
    return Counted(kinds[False], kinds[True])


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        return json.loads(self.out)


class CommandLine:
    """Runs `groupmem ...` in this process, as the console script would."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object) -> Ended:
        self._monkeypatch.setattr(sys, "argv", ["groupmem", *map(str, arguments)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = self._capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, said.err)


class Lines(NamedTuple):
    """The lines of a cell without what differs from run to run."""

    recalled: dict[str, list[str]]
    answers: dict[str, tuple[str, str | None]]
    verdicts: dict[str, tuple[str, str | None, str]]


def lines(folder: Path, system: str, unit: str = "doors") -> Lines:
    run = RunFolder(folder)
    return Lines(
        {key: [p.source_ids[0] for p in line.passages] for key, line in run.recalled(unit, system).items()},
        {key: (line.answer.text, line.problem) for key, line in run.answers(unit, system).items()},
        {
            key: (line.grade.verdict.outcome, line.grade.verdict.reason, line.grade.verdict.reply)
            for key, line in run.verdicts(unit, system).items()
        },
    )


@contextmanager
def reading_server(
    reply: Callable[[RecordedRequest], Reply] = read_or_judge,
) -> Iterator[tuple[OpenAIServer, tuple[str, ...]]]:
    """The server, and the options that make it reader and judge."""
    with OpenAIServer(reply) as server:
        model = f"openai:door-reader@{server.url}"
        yield server, ("--reader", model, "--judge", model)


def batch_requests(folder: Path) -> list[dict[str, Any]]:
    """All requests that were written for a batch service."""
    files = sorted(folder.glob("requests-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def answer_wave(folder: Path) -> None:
    """Writes what a batch service would: an answer to every request, in another order."""
    answers = []
    for request in reversed(batch_requests(folder)):
        reply = read_or_judge(RecordedRequest("", {}, request["body"]))
        body = {
            "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": reply.text}}],
            "usage": reply.usage,
        }
        response = {"status_code": 200, "body": body}
        answers.append(json.dumps({"custom_id": request["custom_id"], "response": response}))
    (folder / "output.jsonl").write_text("\n".join(answers) + "\n")
