"""When questions are asked, what a system is given by then, and systems that do more than recall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from replay_support import (
    COLOURS,
    CommandLine,
    Counted,
    answer_wave,
    counted,
    is_judge,
    lines,
    read_or_judge,
    reading_server,
    write_conversation,
)

from groupmem.lab.records import RunFolder
from groupmem.lab.runs.cell import CUT_OFF
from groupmem.models.calllog import CallLog
from support.openai_server import RecordedRequest, Reply, error

QUESTIONS = len(COLOURS)
RUN = Path("run")
DIARY = "diary.py:Diary"

# Writes down all that it is given, and gives everything back, the newest first.
DIARY_CODE = """
import json
from pathlib import Path
from groupmem.errors import ModelError
from groupmem.lab.systems.base import BaseSystem, Capabilities, passage_of
from groupmem.lab.systems.options import Option
from groupmem.models.base import ChatMessage, ChatRequest
from groupmem.types import Answer, Recall


def note(**entry):
    with Path("diary.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\\n")


class Diary(BaseSystem):
    capabilities = Capabilities()

    def open(self, setting):
        super().open(setting)
        self.messages = {}
        self.store = setting.store_dir
        note(event="open", seed=setting.seed, store=sorted(p.name for p in setting.store_dir.iterdir()),
             channels=[c.id for c in setting.channels], people=[p.id for p in setting.people])

    def ingest(self, messages):
        note(event="ingest", ids=[m.id for m in messages], texts=[m.text for m in messages])
        self.messages.update({m.id: m for m in messages})

    def settle(self):
        note(event="settle")

    def recall(self, question, *, asker, limit, asked_at):
        note(event="recall", question=question, asker=asker, asked_at=asked_at and asked_at.isoformat())
        newest = list(self.messages.values())[::-1]
        return Recall(passages=tuple(passage_of(m) for m in newest[:limit]))

    def close(self):
        note(event="close")


class Oracle(Diary):
    capabilities = Capabilities(answers=True)

    def answer(self, question, *, asker, asked_at):
        word = question.rstrip("?").split()[-1]
        found = [m.text.split()[-1] for m in self.messages.values() if word in m.text]
        return Answer(text=found[0] if found else "")


class Unlucky(Oracle):
    def answer(self, question, *, asker, asked_at):
        if "number3" in question and not Path("lucky").exists():
            raise ModelError("out of order")
        return super().answer(question, asker=asker, asked_at=asked_at)


class Calling(Diary):
    options = (Option(name="chat", default="", summary="a model"),)

    def open(self, setting):
        super().open(setting)
        self.chat = setting.chat

    def call(self, text):
        self.chat.complete(ChatRequest(messages=(ChatMessage(role="user", content=text),), max_tokens=5))

    def ingest(self, messages):
        super().ingest(messages)
        self.call("ingest")

    def recall(self, question, *, asker, limit, asked_at):
        self.call("recall " + question)
        return super().recall(question, asker=asker, limit=limit, asked_at=asked_at)


class Lasting(Diary):
    capabilities = Capabilities(resumable=True)

    def ingest(self, messages):
        super().ingest(messages)
        for number, message in enumerate(messages):
            if number == 3 and not (self.store / "interrupted").exists():
                (self.store / "interrupted").touch()
                raise KeyboardInterrupt
            (self.store / message.id).write_text(message.text)
"""


@pytest.fixture(autouse=True)
def diary() -> None:
    Path("diary.py").write_text(DIARY_CODE)


def _entries() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("diary.jsonl").read_text().splitlines()]


def _events() -> list[str]:
    return [entry["event"] for entry in _entries()]


class TestTimeOfAsking:
    def test_a_question_is_asked_when_what_came_before_is_in_and_nothing_else(
        self, groupmem: CommandLine, tmp_path: Path
    ) -> None:
        path = write_conversation(tmp_path, timed_questions=True)
        assert groupmem("run", path, "--system", DIARY, "--out", "run", "--seed", 4).code == 0
        heard: list[str] = []
        for entry in _entries():
            if entry["event"] == "ingest":
                heard += entry["ids"]
            elif entry["event"] == "recall":
                number = int(entry["question"].rstrip("?")[-1])
                assert heard == [f"m{n}" for n in range(number + 1)]
                assert entry["asked_at"] == f"2025-03-01T09:0{number}:30+00:00"
        assert _events() == ["open", *["ingest", "settle", "recall"] * QUESTIONS, "close"]
        assert _entries()[0] | {"event": "open"} == {
            "event": "open",
            "seed": 4,
            "store": [],
            "channels": ["open", "private"],
            "people": ["mira", "tomas"],
        }
        cell = RunFolder(RUN).read_cell("doors", DIARY)
        assert cell is not None
        assert cell.messages == QUESTIONS

    def test_without_a_time_all_is_in_before_the_first_question(self, groupmem: CommandLine, doors: Path) -> None:
        groupmem("run", doors, "--system", DIARY, "--out", "run")
        assert _events() == ["open", "ingest", "settle", *["recall"] * QUESTIONS, "close"]

    def test_cut_off_between_two_questions_only_the_rest_is_asked_after_all_that_was_said(
        self, groupmem: CommandLine, tmp_path: Path
    ) -> None:
        path = write_conversation(tmp_path, timed_questions=True)
        groupmem("run", path, "--system", DIARY, "--out", "run")
        whole = lines(RUN, DIARY).recalled
        stage = RunFolder(RUN).stage_path("doors", DIARY, "recalled")
        stage.write_bytes(b"".join(stage.read_bytes().splitlines(keepends=True)[:5]) + b'{"question":"q5","pas')
        Path("diary.jsonl").unlink()
        assert groupmem("run", path, "--system", DIARY, "--out", "run").code == 0
        entries = _entries()
        assert entries[1]["ids"] == [f"m{n}" for n in range(6)]
        assert [entry["question"][-8:] for entry in entries if entry["event"] == "recall"] == [
            "number5?",
            "number6?",
            "number7?",
        ]
        assert lines(RUN, DIARY).recalled == whole


class TestAppendedAnswers:
    def test_each_answer_is_heard_before_the_next_question(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            command = ("run", doors, "--system", DIARY, *models, "--append-answers", "--out", "run")
            assert groupmem(*command).code == 0
            assert counted(server) == Counted(QUESTIONS, QUESTIONS)
            said = [(entry["ids"], entry["texts"]) for entry in _entries() if entry["event"] == "ingest"]
            assert said[1:] == [([f"answer:q{n}"], [COLOURS[n]]) for n in range(QUESTIONS)]
            events = _events()
            assert events[events.index("recall") :] == [*["recall", "ingest", "settle"] * QUESTIONS, "close"]
            assert _entries()[0]["channels"] == ["open", "private", "groupmem:answers"]

            # Cut off after the third answer: what was answered is history again, and is not asked again.
            whole = lines(RUN, DIARY)
            for stage in ("recalled", "answers"):
                path = RunFolder(RUN).stage_path("doors", DIARY, stage)  # type: ignore[arg-type]
                path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
            Path("diary.jsonl").unlink()
            assert groupmem(*command).code == 0
            asked = [entry["question"] for entry in _entries() if entry["event"] == "recall"]
            assert len(asked) == QUESTIONS - 3
            heard = [entry["ids"][0] for entry in _entries() if entry["event"] == "ingest"]
            assert heard[1:] == [f"answer:q{n}" for n in range(QUESTIONS)]
            assert lines(RUN, DIARY) == whole

    def test_an_answer_that_is_missing_stops_the_run(self, groupmem: CommandLine, doors: Path) -> None:
        def third_fails(request: RecordedRequest) -> Reply:
            return error(400, "out of order") if "number2?" in request.last_message else read_or_judge(request)

        with reading_server(third_fails) as (_, models):
            ended = groupmem("run", doors, "--system", DIARY, *models, "--append-answers", "--out", "run")
        assert ended.code == 1
        assert "out of order" in ended.err
        assert list(lines(RUN, DIARY).answers) == ["q0", "q1"]

    def test_through_a_batch_every_answer_is_a_wave(self, groupmem: CommandLine, doors: Path) -> None:
        model = "batch:door-reader@waves"
        command = ("run", doors, "--system", DIARY, "--reader", model, "--judge", model, "--append-answers")
        codes = []
        while not codes or codes[-1] == 3:
            codes.append(groupmem(*command, "--out", "run").code)
            answer_wave(Path("waves"))
        assert codes == [*[3] * (QUESTIONS + 1), 0]
        assert {verdict[0] for verdict in lines(RUN, DIARY).verdicts.values()} == {"right"}

    def test_the_whole_context_holds_the_answers_too(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            groupmem("run", doors, "--system", "full-context", *models, "--append-answers", "--out", "run")
            reads = [request.last_message for request in server.requests if not is_judge(request)]
        assert [text.count("msg_node=answer:") for text in reads] == list(range(QUESTIONS))


class TestOwnAnswers:
    def test_are_judged_alike_and_the_reader_is_not_asked(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            ended = groupmem("run", doors, "--system", "diary.py:Oracle", "--system", "bm25", *models, "--out", "run")
            assert ended.code == 0
            assert counted(server).reads == QUESTIONS
        cells = {cell.system: cell.answers_by_itself for cell in RunFolder(RUN).cells()}
        assert cells == {"diary.py:Oracle": True, "bm25": False}
        assert {verdict[0] for verdict in lines(RUN, "diary.py:Oracle").verdicts.values()} == {"right"}

    def test_need_a_judge_and_no_reader(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            groupmem("run", doors, "--system", "diary.py:Oracle", *models[2:], "--out", "run")
            assert counted(server).reads == 0
        assert len(lines(RUN, "diary.py:Oracle").verdicts) == QUESTIONS

    def test_that_a_provider_failed_on_are_asked_for_again(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (_, models):
            command = ("run", doors, "--system", "diary.py:Unlucky", *models, "--out", "run")
            assert groupmem(*command).code == 0
            assert lines(RUN, "diary.py:Unlucky").answers["q3"] == ("", "provider_error")
            assert lines(RUN, "diary.py:Unlucky").verdicts["q3"][:2] == ("unscored", "provider_error")
            Path("lucky").touch()
            Path("diary.jsonl").unlink()
            assert groupmem(*command).code == 0
        assert [entry["question"][-8:] for entry in _entries() if entry["event"] == "recall"] == ["number3?"]
        assert {verdict[0] for verdict in lines(RUN, "diary.py:Unlucky").verdicts.values()} == {"right"}

    def test_are_not_asked_for_in_a_run_that_only_retrieves(self, groupmem: CommandLine, doors: Path) -> None:
        groupmem("run", doors, "--system", "diary.py:Oracle", "--out", "run")
        assert lines(RUN, "diary.py:Oracle").answers == {}


class TestOwnCalls:
    def test_are_booked_on_the_cell_and_the_phase_in_which_they_are_made(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        with reading_server(lambda request: Reply("noted")) as (server, models):
            system = f"diary.py:Calling:chat={models[1]}"
            assert groupmem("run", doors, "--system", system, "--out", "run").code == 0
            assert {request.last_message.split()[0] for request in server.requests} == {"ingest", "recall"}
        log = CallLog(RunFolder(RUN).calls_path)
        try:
            calls = {
                phase: log.totals(cell=f"doors/{system}", phase=phase).usage.calls for phase in ("ingest", "recall")
            }
        finally:
            log.close()
        assert calls == {"ingest": 1, "recall": QUESTIONS}
        assert set(RunFolder(RUN).read_run().models) == {models[1]}


class TestInterrupted:
    def test_a_system_that_can_goes_on_in_its_store_and_the_record_says_so(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        command = ("run", doors, "--system", "diary.py:Lasting", "--out", "run")
        ended = groupmem(*command)
        assert ended.code == 130
        assert ended.err.endswith("interrupted; the same command resumes\n")
        assert _events()[-1] == "close"
        Path("diary.jsonl").unlink()
        assert groupmem(*command).code == 0
        opened, ingested = _entries()[:2]
        assert opened["store"] == ["interrupted", "m0", "m1", "m2"]
        assert ingested["ids"] == [f"m{n}" for n in range(QUESTIONS)]
        cell = RunFolder(RUN).read_cell("doors", "diary.py:Lasting")
        assert cell is not None
        assert cell.notes == (CUT_OFF,)
        assert cell.store_bytes == sum(
            file.stat().st_size for file in RunFolder(RUN).store_path("doors", "diary.py:Lasting").iterdir()
        )
