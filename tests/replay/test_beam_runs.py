"""BEAM from the command line to the record, over loopback HTTP: run, killed and resumed, planned and capped."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replay_support import CommandLine

from groupmem.lab.benchmarks.registry import find_set
from groupmem.lab.records import RunFolder
from support.beam_model import BeamModel
from support.openai_server import OpenAIServer, RecordedRequest, Reply

pytestmark = pytest.mark.data
RUN = Path("run")
ALONE = ("--no-cache", "--concurrency", "1", "--out", "run")


@pytest.fixture(autouse=True)
def data(public_data: Callable[[str], Path]) -> None:
    public_data("beam")


@pytest.fixture
def model_of(public_data: Callable[[str], Path]) -> Callable[[str], BeamModel]:
    """The stand-in for the models of a run of a set, or of one conversation."""

    def made(name: str) -> BeamModel:
        kind, unit = find_set(f"beam:{name}")
        units = kind.open(public_data("beam"), unit=unit).units()
        return BeamModel([question for unit in units for question in unit.questions()])

    return made


def models(server: OpenAIServer) -> tuple[str, ...]:
    return ("--reader", f"openai:reader@{server.url}", "--judge", f"openai:judge@{server.url}")


def record_of(system: str) -> Any:
    return json.loads((RUN / "report" / "beam" / system / "record.json").read_text())


def is_judge(request: RecordedRequest) -> bool:
    return request.body["model"] == "judge"


@pytest.mark.parametrize("name", ["lite", "full"])
def test_a_run_ends_with_the_scores_that_the_rubrics_say(
    name: str, groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of(name)
    with OpenAIServer(model.reply) as server:
        ended = groupmem("run", f"beam:{name}", "--system", "bm25", *models(server), "--no-cache", "--out", "run")
        assert ended.code == 0, ended.err
        assert (
            sum(not is_judge(request) for request in server.requests),
            sum(map(is_judge, server.requests)),
        ) == (model.reads, model.judgements)
        assert {request.body["temperature"] for request in server.requests if is_judge(request)} == {0}
    record = record_of("bm25")
    found = {question["id"]: question for question in record["questions"]}
    for question in model.questions.values():
        row, kind = found[question.id], model.kind(question)
        expected = model.scores(question)
        assert {metric: row["scores"][metric] for metric in expected} == pytest.approx(expected, abs=1e-4)
        assert row["llm_calls"] == {"answer": 1, "judge": model.calls(question)}
        assert row["status"] == ("agent_failure" if kind == "empty" else "ok")
        itemised = question.category != "event_ordering"
        assert ("parse_error" in row["flags"]) == (kind == "malformed" and itemised)
        assert ("known_bad_rubric" in row["flags"]) == bool(question.known_bad)
        bad_and_answered = question.known_bad and kind != "empty"
        assert ("score_excluding_known_bad" in row["scores"]) != bool(bad_and_answered)
    means = record["scores"]["aggregate"]
    assert means["score"] == {"mean": pytest.approx(model.mean("score"), abs=1e-4), "n": len(found)}
    assert means["official_score"]["mean"] == pytest.approx(model.mean("official_score"), abs=1e-4)


def test_the_record_says_what_the_run_was_of_and_what_it_took(
    groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of("lite")
    with OpenAIServer(model.reply) as server:
        groupmem("run", "beam:lite", "--system", "bm25", *models(server), "--no-cache", "--out", "run")
    record = record_of("bm25")
    assert record["dataset"]["manifest_sha256"].startswith("31b703934cbe9a0f")
    assert record["dataset"]["question_ids_sha256"].startswith("8b9af61c501dc6a3")
    assert (record["mode"], record["domain"], record["schema_version"]) == ("lite", "memory", 1)
    (corpus,) = record["corpora"]
    assert (corpus["corpus_tokens"], corpus["n_documents"], corpus["planned_chunks"]) == (1279, 2, 3)
    assert (corpus["chunks"], corpus["graph"], corpus["empty_extractions"]) == (None, None, None)
    calls = {path: usage["calls"] for path, usage in record["by_path"].items()}
    assert calls == {"agent": model.reads, "judge": model.judgements}
    assert record["usage"]["llm_calls"] == model.reads + model.judgements
    assert record["usage"]["usage_complete"] is True
    assert record["models"]["judge_profile"] == "beam"
    trace = RUN / record["trace"]["path"]
    lines = [json.loads(line) for line in gzip.decompress(trace.read_bytes()).splitlines()]
    assert len(lines) == model.reads + model.judgements
    assert "CC BY-SA 4.0" in trace.with_name("NOTICE").read_text()
    assert not any(question.text in json.dumps(record) for question in model.questions.values())


def test_a_provider_that_counts_nothing_marks_the_record(
    groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of("lite")
    with OpenAIServer(lambda request: Reply(model.reply(request).text, usage=None)) as server:
        groupmem("run", "beam:lite", "--system", "bm25", *models(server), "--no-cache", "--out", "run")
    record = record_of("bm25")
    assert record["usage"]["usage_complete"] is False
    assert record["usage"]["input_tokens"] is None
    assert any(mark.startswith("incomplete usage") for mark in record["marks"])


def test_killed_while_judging_the_same_command_ends_where_an_undisturbed_run_ends(
    groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of("conv17")
    victim: list[int] = []
    deadly = {"left": 0}

    def reply(request: RecordedRequest) -> Reply:
        deadly["left"] -= 1
        if deadly["left"] == 0:
            os.kill(victim[-1], signal.SIGKILL)
        return model.reply(request)

    with OpenAIServer(reply) as server:
        command = ("run", "beam:conv17", "--system", "bm25", *models(server), *ALONE)
        for calls in (9, 25):
            deadly["left"] = calls
            with subprocess.Popen([sys.executable, "-m", "groupmem", *command]) as process:
                victim.append(process.pid)
                assert process.wait(timeout=120) == -signal.SIGKILL
        ended = groupmem(*command)
        assert ended.code == 0, ended.err
        lost = len(server.requests) - model.reads - model.judgements
    record = record_of("bm25")
    assert record["scores"]["aggregate"]["score"]["mean"] == pytest.approx(model.mean("score"), abs=1e-4)
    assert 0 <= lost <= 2 + max(map(model.calls, model.questions.values())), "a question that was judged is not again"
    lines = gzip.decompress((RUN / "trace" / "trace.jsonl.gz").read_bytes()).splitlines()
    assert len(lines) == len(server.requests) - 2, "the two calls that were under way were never answered"


def test_a_cap_stops_a_run_under_way_and_a_higher_one_goes_on(
    groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of("lite")
    needed = model.reads + model.judgements
    used = {"prompt_tokens": 2_000, "completion_tokens": 1_000}
    with OpenAIServer(lambda request: Reply(model.reply(request).text, usage=used)) as server:
        command = ("run", "beam:lite", "--system", "bm25", *models(server), *ALONE)
        refused = groupmem(*command, "--max-calls", needed - 1)
        assert (refused.code, len(server.requests)) == (4, 0), "refused before the first call"
        assert f"--max-calls is {needed - 1}" in refused.err
        planned = groupmem("plan", "beam:lite", "--system", "bm25", *models(server), "--json").object["total"]
        assert planned["calls"] >= needed
        stopped = groupmem(*command, "--max-tokens", planned["tokens"])
        assert stopped.code == 4
        assert 0 < len(server.requests) < needed
        assert groupmem(*command).code == 0
        assert len(server.requests) == needed
    assert RunFolder(RUN).read_run().spend_cap.tokens is None


@pytest.mark.parametrize(
    ("name", "calls", "tokens", "cap", "chunks"),
    [
        ("lite", 24, 78_000, (40, 120_000), {"conv17": 3}),
        (
            "full",
            11_323,
            89_245_000,
            (17_000, 133_900_000),
            {"conv1": 121, "conv4": 99, "conv6": 122, "conv13": 119, "conv17": 128},
        ),
    ],
)
def test_the_plan_of_an_agent_over_a_graph_is_the_published_one(
    name: str, calls: int, tokens: int, cap: tuple[int, int], chunks: dict[str, int], groupmem: CommandLine
) -> None:
    command = ("plan", f"beam:{name}", "--system", "agentic-graphrag:chat=openai:gpt-5-mini")
    shown = groupmem(*command, "--json").object
    assert (shown["total"]["calls"], shown["total"]["tokens"], shown["chunks"]) == (calls, tokens, chunks)
    assert shown["total"]["cost_usd"] > 0
    assert shown["cap"] == {"calls": cap[0], "tokens": cap[1], "usd": None, "overridden": []}
    assert shown["unplanned"] == []
    for option, limit, refused in (("--max-calls", calls, 0), ("--max-calls", calls - 1, 4), ("--max-tokens", 1, 4)):
        ended = groupmem(*command, option, limit, "--json")
        assert ended.code == refused
        assert ended.object["cap"]["overridden"] == [option.removeprefix("--max-")]
    assert groupmem(*command, "--max-usd", 0.001).code == 4


AGENT = """
from groupmem.lab.systems.base import BaseSystem, Capabilities, passage_of
from groupmem.types import Answer, Recall


class Agent(BaseSystem):
    capabilities = Capabilities(answers=True)

    def ingest(self, messages):
        self.messages = list(messages)

    def recall(self, question, *, asker, limit, asked_at):
        return Recall(passages=tuple(map(passage_of, self.messages[:limit])))

    def answer(self, question, *, asker, asked_at):
        late = "July 5" in question
        return Answer(text="" if late else "On Tuesdays and Thursdays.", finish_reason="timeout" if late else "stop")

    def figures(self):
        return {"chunks": 3, "empty_extractions": 1, "entities": {"Person": 2, "Fact": 4}, "relations": {"ABOUT": 5}}
"""


def test_an_agent_that_runs_out_of_time_fails_and_its_graph_is_in_the_record(groupmem: CommandLine) -> None:
    Path("agent.py").write_text(AGENT)
    with OpenAIServer(lambda _: Reply('{"score": "1.0"}')) as server:
        judge = f"openai:judge@{server.url}"
        ended = groupmem("run", "beam:lite", "--system", "agent.py:Agent", "--judge", judge, *ALONE)
        assert ended.code == 0, ended.err
    record = record_of("agent.py%3AAgent")
    first, second = record["questions"]
    assert (first["status"], first["flags"], first["scores"]["score"]) == ("ok", [], 1)
    assert (second["status"], second["flags"]) == ("agent_failure", ["timeout"])
    assert [found["finish_reason"] for found in (first, second)] == ["stop", "timeout"]
    assert (record["config"]["question_concurrency"], record["config"]["question_timeout_s"]) == (2, 900)
    assert record["usage"]["wall_seconds"] > 0
    assert set(second["scores"].values()) == {0}
    (corpus,) = record["corpora"]
    assert (corpus["chunks"], corpus["empty_extractions"]) == (3, 1)
    assert corpus["graph"] == {"entities_by_label": {"Person": 2, "Fact": 4}, "relations_by_type": {"ABOUT": 5}}
    shown = groupmem("report", "run", "--like", "beam").out
    assert [line.split() for line in shown.splitlines() if line.startswith("agent.py:Agent    ")] != []
    graphs = shown.partition("\nGraphs\n")[2]
    assert ["agent.py:Agent", "1", "2", "3", "6", "5", "1"] in [line.split()[:7] for line in graphs.splitlines()]


def test_light_writes_its_memories_and_answers_by_itself(groupmem: CommandLine) -> None:
    def reply(request: RecordedRequest) -> Reply:
        text = request.last_message
        if "Requirement:" in text:
            return Reply('{"score": 1}')
        if "A part of the notes" in text:
            return Reply("yes")
        return Reply("On Tuesdays and Thursdays. Twelve scenes are left.")

    with OpenAIServer(reply) as server:
        light, judge = f"light:chat=openai:small@{server.url}", f"openai:judge@{server.url}"
        ended = groupmem("run", "beam:lite", "--system", light, "--judge", judge, *ALONE)
        assert ended.code == 0, ended.err
        asked = [request.last_message for request in server.requests if not is_judge(request)]
    written = [text for text in asked if "<exchange" in text]
    assert len(written) == 2 * 2, "the message alone, and the exchange, twice each"
    (record,) = [json.loads(path.read_text()) for path in (RUN / "report" / "beam").glob("*/record.json")]
    assert record["models"]["agent"].startswith("openai:small@")
    assert [found["scores"]["score"] for found in record["questions"]] == [1, 1]
    calls = {path: usage["calls"] for path, usage in record["by_path"].items()}
    assert calls["ingest"] == 4
    assert calls["agent"] == sum(found["llm_calls"]["answer"] for found in record["questions"]) >= len(asked) - 4
    assert {"light/episode", "light/answer"} <= set(record["config"]["prompts"])


def test_the_report_warns_of_a_judge_that_grades_its_own_answers(
    groupmem: CommandLine, model_of: Callable[[str], BeamModel]
) -> None:
    model = model_of("lite")
    with OpenAIServer(lambda request: model.reply(request)) as server:
        same = f"openai:one@{server.url}"
        groupmem("run", "beam:lite", "--system", "bm25", "--reader", same, "--judge", same, *ALONE)
    assert "judge and reader are the same model" in groupmem("report", "run").out
    assert "biased upward" in groupmem("report", "run", "--like", "beam").out


def test_tables_of_beam_are_made_of_beam_alone(groupmem: CommandLine) -> None:
    groupmem("run", "sample", "--system", "bm25", "--questions", 2, "--out", "run")
    ended = groupmem("report", "run", "--like", "beam")
    assert ended.code == 1
    assert "is a run of sample" in ended.err
