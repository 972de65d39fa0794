"""Systems that answer by themselves, several questions at a time: whose calls were whose, and what came to nothing."""

from __future__ import annotations

import re
import shlex
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from replay_support import COLOURS, CommandLine

from groupmem.lab.records import AnswerLine, RunFolder
from groupmem.lab.runs.stages.own import in_time
from groupmem.types import Answer
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error

RUN = Path("run")
WORKER = '''
"""Asks a model as often as the number of the door says. Of some doors it says nothing, and keeps an error to itself."""
import json
import re
import urllib.error
import urllib.request

from groupmem_worker import serve


class Memory:
    capabilities = {"answers": True, "concurrent": True}
    needs = ("chat",)

    def ingest(self, messages):
        self.messages = [*getattr(self, "messages", []), *messages]

    def recall(self, question, asker, limit, asked_at):
        words = set(question.strip("?").split())
        best = sorted(self.messages, key=lambda message: -len(words & set(message["text"].split())))
        return [{"source_ids": [message["id"]]} for message in best[:limit]]

    def answer(self, question, timeout_s, gateway):
        number = int(re.search(r"number([0-9])", question)[1])
        for count in range(number):
            try:
                reply = self.ask(gateway, f"{question} {count}")
            except urllib.error.HTTPError:
                reply = "nobody knows"
        if number == 0:
            return {"text": f"at {timeout_s:g}", "finish_reason": "timeout"}
        if number == 1:
            return {"text": "", "finish_reason": "recursion_limit"}
        return {"text": reply}

    def ask(self, gateway, text):
        body = {"model": gateway["chat_model"], "messages": [{"role": "user", "content": text}]}
        url = gateway["base_url"].removesuffix("/v1") + "/agent/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]


serve(Memory)
'''


class Doors:
    """The model: it knows the colours, judges all as right, and fails once where the door is number 5. It answers two
    doors only when it was asked of both."""

    def __init__(self) -> None:
        self.fails = True
        self._both = threading.Barrier(2)

    def reply(self, request: RecordedRequest) -> Reply:
        text = request.last_message
        if "### Reference answer" in text:
            return Reply("Compared.\nFinal: Correct")
        asked = re.search(r"number(\d)\? (\d)", text)
        assert asked is not None
        if asked.groups() in (("2", "0"), ("3", "0")):
            self._both.wait(20)
        if asked.groups() == ("5", "1") and self.fails:
            return error(401, "the key has ended")
        return Reply(COLOURS[int(asked[1])])


@pytest.fixture
def doors_model() -> Iterator[tuple[Doors, OpenAIServer]]:
    model = Doors()
    with OpenAIServer(model.reply) as server:
        yield model, server


def answers(system: str) -> dict[str, AnswerLine]:
    return RunFolder(RUN).answers("doors", system)


def test_two_at_a_time_with_their_own_calls_and_ends(
    groupmem: CommandLine, doors: Path, tmp_path: Path, doors_model: tuple[Doors, OpenAIServer]
) -> None:
    model, server = doors_model
    (tmp_path / "memory.py").write_text(WORKER)
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'memory.py'))}"
    system = f"cmd:chat=openai:small@{server.url} {program}"
    judge = f"openai:judge@{server.url}"
    command = ("run", doors, "--system", system, "--judge", judge, "--no-cache", "--out", RUN)
    assert groupmem(*command, "--question-timeout", "30").code == 0
    lines = answers(system)
    ends = {f"q{n}": "stop" for n in range(8)} | {"q0": "timeout", "q1": "recursion_limit", "q5": "error"}
    assert {name: line.answer.finish_reason for name, line in lines.items()} == ends
    assert (lines["q0"].answer.text, lines["q0"].answer.reasoning) == ("", "at 30")
    assert lines["q5"].problem == "provider_error"
    asked = {name: line.answer.usage.calls for name, line in lines.items() if name != "q5"}
    assert asked == {f"q{n}": n for n in range(8) if n != 5}
    assert lines["q7"].answer.usage.input_tokens == 7 * 100
    assert {lines[f"q{n}"].answer.text for n in (2, 3)} == set(COLOURS[2:4])
    record = RunFolder(RUN).read_run()
    assert (record.question_concurrency, record.question_timeout_s) == (2, 30)
    assert record.wall_seconds > 0

    model.fails = False
    again = groupmem(*command, "--question-concurrency", "1")
    assert again.code == 0
    assert answers(system)["q5"].answer.text == COLOURS[5]
    assert answers(system)["q5"].answer.usage.calls == 5
    after = RunFolder(RUN).read_run()
    assert after.wall_seconds > record.wall_seconds
    assert "begun with a question timeout of 30.0 and gone on with 900.0" in after.warnings
    assert "begun with a question concurrency of 2 and gone on with 1" in after.warnings


@pytest.mark.parametrize(
    ("answer", "seconds", "timeout_s", "kept"),
    [
        (Answer(text="teal"), 9.0, 10.0, Answer(text="teal")),
        (Answer(text="teal"), 9.0, None, Answer(text="teal")),
        (
            Answer(text="teal", reasoning="looked"),
            11.0,
            10.0,
            Answer(text="", reasoning="looked\n\nteal", finish_reason="timeout"),
        ),
        (
            Answer(text="", finish_reason="recursion_limit"),
            11.0,
            10.0,
            Answer(text="", finish_reason="recursion_limit"),
        ),
        (
            Answer(text="half", finish_reason="timeout"),
            3.0,
            10.0,
            Answer(text="", reasoning="half", finish_reason="timeout"),
        ),
    ],
    ids=["in time", "no limit", "late", "out of steps", "cut off"],
)
def test_an_answer_that_comes_late_is_none(
    answer: Answer, seconds: float, timeout_s: float | None, kept: Answer
) -> None:
    assert in_time(answer, seconds, timeout_s) == kept


def test_a_run_in_which_nothing_answers_by_itself_notes_no_limits(groupmem: CommandLine, doors: Path) -> None:
    groupmem("run", doors, "--system", "bm25", "--out", RUN)
    record = RunFolder(RUN).read_run()
    assert (record.question_concurrency, record.question_timeout_s) == (None, None)
