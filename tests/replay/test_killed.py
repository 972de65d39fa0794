"""kill -9 at every stage, in real processes: what comes out at the end is what an undisturbed run gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

from replay_support import COLOURS, CommandLine, counted, lines, read_or_judge, reading_server

from groupmem.lab.records import RunFolder
from support.openai_server import RecordedRequest, Reply

SYSTEM = "mortal.py:Mortal"
QUESTIONS = len(COLOURS)
RUN = Path("run")

# Dies where the file "die" says: "ingest", or with the n-th question that a process is asked.
MORTAL = """
import os, signal
from pathlib import Path
from groupmem.lab.systems.base import BaseSystem, passage_of
from groupmem.types import Recall

DIE = Path("die")


def die_at(place):
    if DIE.is_file() and DIE.read_text() == place:
        DIE.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


class Mortal(BaseSystem):
    def open(self, setting):
        super().open(setting)
        self.store = setting.store_dir / "messages"
        assert not self.store.exists(), "a store that was cut off must not be used again"
        self.asked = 0

    def ingest(self, messages):
        self.messages = list(messages)
        self.store.write_text(self.messages[0].text)
        die_at("ingest")

    def recall(self, question, *, asker, limit, asked_at):
        self.asked += 1
        die_at(f"recall {self.asked}")
        word = question.rstrip("?").split()[-1]
        found = sorted(self.messages, key=lambda message: word not in message.text)
        return Recall(passages=tuple(passage_of(message) for message in found[:limit]))
"""


class Deadly:
    """A server that kills the process that asks, when it is asked for the n-th time since `arm`."""

    def __init__(self) -> None:
        self.victim = 0
        self._left = 0

    def arm(self, calls: int) -> None:
        self._left = calls

    def reply(self, request: RecordedRequest) -> Reply:
        self._left -= 1
        if self._left == 0:
            os.kill(self.victim, signal.SIGKILL)
        return read_or_judge(request)


def test_killed_anywhere_the_same_command_ends_where_an_undisturbed_run_ends(
    groupmem: CommandLine, doors: Path
) -> None:
    Path("mortal.py").write_text(MORTAL)
    deadly = Deadly()
    with reading_server(deadly.reply) as (server, models):
        command = ("run", str(doors), "--system", SYSTEM, "--limit", "3", *models, "--no-cache", "--concurrency", "1")

        def start_and_die() -> None:
            with subprocess.Popen([sys.executable, "-m", "groupmem", *command, "--out", "run"]) as process:
                deadly.victim = process.pid
                assert process.wait(timeout=60) == -signal.SIGKILL

        for place in ("ingest", "recall 4"):
            Path("die").write_text(place)
            start_and_die()
        assert RunFolder(RUN).read_cell("doors", SYSTEM).status != "done"  # type: ignore[union-attr]
        assert len(lines(RUN, SYSTEM).recalled) == 3
        for calls in (5, QUESTIONS):  # the fifth answer, and then a verdict
            deadly.arm(calls)
            start_and_die()
        assert len(lines(RUN, SYSTEM).answers) == QUESTIONS
        assert 0 < len(lines(RUN, SYSTEM).verdicts) < QUESTIONS
        _cut_the_last_line("verdicts")
        assert groupmem(*command, "--out", "run").code == 0
        # A kill loses the call in flight, and a reply that was not written down yet; and one verdict's line was cut.
        assert 1 <= counted(server).reads - QUESTIONS <= 2
        assert 2 <= counted(server).judgements - QUESTIONS <= 3
        groupmem(*command, "--out", "undisturbed")
    assert lines(RUN, SYSTEM) == lines(Path("undisturbed"), SYSTEM)
    assert all(
        len(_keys(stage)) == len(set(_keys(stage))) == QUESTIONS for stage in ("recalled", "answers", "verdicts")
    )


def test_an_interrupt_ends_the_command_at_once_and_says_how_to_go_on(groupmem: CommandLine, doors: Path) -> None:
    for_ever = threading.Event()

    def third_hangs(request: RecordedRequest) -> Reply:
        reply = read_or_judge(request)
        return replace(reply, until=for_ever) if "number2?" in request.last_message and not for_ever.is_set() else reply

    with reading_server(third_hangs) as (server, models):
        command = ("run", str(doors), "--system", "bm25", *models, "--no-cache", "--concurrency", "1", "--out", "run")
        started = [sys.executable, "-m", "groupmem", *command, "--quiet"]
        with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as process:
            server.wait_for(3)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=10)  # the reply never comes
        for_ever.set()
        assert (process.returncode, said) == (130, "interrupted; the same command resumes\n")
        assert lines(RUN, "bm25").answers.keys() <= {"q0", "q1"}
        assert groupmem(*command).code == 0
    assert {verdict[0] for verdict in lines(RUN, "bm25").verdicts.values()} == {"right"}


def _stage(stage: str) -> Path:
    return RunFolder(RUN).stage_path("doors", SYSTEM, stage)  # type: ignore[arg-type]


def _cut_the_last_line(stage: str) -> None:
    """What a power cut in the middle of a write leaves."""
    path = _stage(stage)
    path.write_bytes(path.read_bytes()[:-5])


def _keys(stage: str) -> list[str]:
    return [line.split('"')[3] for line in _stage(stage).read_text().splitlines()]
