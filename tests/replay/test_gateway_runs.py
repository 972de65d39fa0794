"""Runs of a system that calls models over the gateway: what is booked, and what happens when a call fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from replay_support import COLOURS, CommandLine, Ended, lines

from groupmem.lab.records import CellRecord, RunFolder
from groupmem.models.calllog import CallLog
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error

PEER = Path(__file__).with_name("peer_memory.py")
MESSAGES = QUESTIONS = len(COLOURS)
RUN = Path("run")


def notes_and_answers(request: RecordedRequest) -> Reply:
    return Reply(request.last_message.removeprefix("note: "))


def system(server: OpenAIServer) -> str:
    return f"{PEER}:Peer:chat=openai:gpt-4o-mini@{server.url}"


def run(groupmem: CommandLine, doors: Path, server: OpenAIServer, *more: object) -> Ended:
    judge = f"openai:judge@{server.url}"
    return groupmem("run", doors, "--system", system(server), "--out", RUN, "--judge", judge, *more)


def cell_of(server: OpenAIServer) -> CellRecord:
    cell = RunFolder(RUN).read_cell("doors", system(server))
    assert cell is not None
    return cell


def failing(fails: Callable[[RecordedRequest], bool], status: int = 401) -> Callable[[RecordedRequest], Reply]:
    """A server that refuses some requests, at once: the lab does not try those again."""
    return lambda request: error(status, "not today") if fails(request) else notes_and_answers(request)


def test_calls_are_booked_by_phase_and_step(groupmem: CommandLine, doors: Path) -> None:
    with OpenAIServer(notes_and_answers) as server:
        assert run(groupmem, doors, server).code == 0
        cell = cell_of(server)
    log = CallLog(RunFolder(RUN).calls_path, read_only=True)
    calls = {
        phase: log.totals(cell=f"doors/{system(server)}", phase=phase).usage.calls
        for phase in ("ingest", "recall", "answer", "answer/agent", "judge")
    }
    assert calls == {
        "ingest": 3 * MESSAGES,
        "recall": QUESTIONS,
        "answer": QUESTIONS,
        "answer/agent": QUESTIONS,
        "judge": QUESTIONS,
    }
    assert [note for note in cell.notes if "gpt-4o (16 times)" in note]
    assert len(lines(RUN, system(server)).answers) == QUESTIONS


def test_a_budget_that_the_package_hides_stops_the_ingest(groupmem: CommandLine, doors: Path) -> None:
    """What was ingested by then has holes, so it goes; the calls that were paid for are not paid for again."""
    with OpenAIServer(notes_and_answers) as server:
        command = ("run", doors, "--system", system(server), "--out", RUN)
        stopped = groupmem(*command, "--max-calls", MESSAGES - 3)
        assert stopped.code == 4 and "the budget is reached" in stopped.err
        assert len(server.requests) == MESSAGES - 3
        assert not RunFolder(RUN).store_path("doors", system(server)).exists()
        assert not lines(RUN, system(server)).recalled
        assert groupmem(*command, "--max-calls", MESSAGES).code == 0
        assert cell_of(server).status == "done"
    assert len(server.requests) == MESSAGES


def test_a_budget_that_is_reached_by_an_answer_keeps_those_before(groupmem: CommandLine, doors: Path) -> None:
    with OpenAIServer(notes_and_answers) as server:
        assert run(groupmem, doors, server, "--max-calls", MESSAGES + 3).code == 4
        assert len(lines(RUN, system(server)).answers) == 3
        assert run(groupmem, doors, server, "--max-calls", MESSAGES + 2 * QUESTIONS).code == 0
        assert all(text and not problem for text, problem in lines(RUN, system(server)).answers.values())
    assert len(server.requests) == MESSAGES + 2 * QUESTIONS


def test_a_provider_that_is_out_of_reach_fails_the_cell(groupmem: CommandLine, doors: Path) -> None:
    with OpenAIServer(failing(lambda request: True)) as server:
        run(groupmem, doors, server)
        cell = cell_of(server)
    assert cell.status == "failed"
    assert "model calls were not answered (ingest)" in (cell.failure or "")
    assert not lines(RUN, system(server)).recalled


def test_an_ingest_that_lost_some_calls_says_so(groupmem: CommandLine, doors: Path) -> None:
    with OpenAIServer(failing(lambda request: request.last_message.startswith("note: The door number3"))) as server:
        assert run(groupmem, doors, server).code == 0
        cell = cell_of(server)
    assert cell.status == "done"
    assert [note for note in cell.notes if note.startswith("1 model calls of its ingest were never answered")]
    assert [note for note in cell.notes if "HTTP 401" in note]


def test_an_interrupt_does_not_make_lost_calls_forgotten(groupmem: CommandLine, doors: Path) -> None:
    """A system that goes on in its store lacks the message whose call was lost, and never asks for it again."""
    lost = ("note: The door number3", "note: The door number6")
    with OpenAIServer(failing(lambda request: request.last_message.startswith(lost))) as server:
        name = f"{PEER}:InterruptedPeer:chat=openai:gpt-4o-mini@{server.url}"
        command = ("run", doors, "--system", name, "--out", RUN)
        assert groupmem(*command).code == 130
        before = RunFolder(RUN).read_cell("doors", name)
        assert before is not None
        assert (before.status, before.lost_ingest_calls) == ("ingesting", 1)
        assert groupmem(*command).code == 0
        cell = RunFolder(RUN).read_cell("doors", name)
    assert cell is not None
    assert (cell.status, cell.lost_ingest_calls) == ("done", 2)
    told = [note for note in cell.notes if "were never answered" in note]
    assert told == ["2 model calls of its ingest were never answered: its memory lacks them"]


def test_an_answer_that_lost_its_call_is_asked_for_again(groupmem: CommandLine, doors: Path) -> None:
    """The package answers with nothing, which would be judged as wrong."""
    down = True

    def reply(request: RecordedRequest) -> Reply:
        asked = request.last_message == "What colour has the door number5?"
        return error(401, "not today") if asked and down else notes_and_answers(request)

    with OpenAIServer(reply) as server:
        run(groupmem, doors, server)
        assert lines(RUN, system(server)).answers["q5"] == ("", "provider_error")
        down = False
        assert run(groupmem, doors, server).code == 0
    assert lines(RUN, system(server)).answers["q5"] == ("What colour has the door number5?", None)
