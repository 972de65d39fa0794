"""Plans: what they promise is what a run takes, and they touch nothing."""

from __future__ import annotations

from pathlib import Path

from replay_support import COLOURS, CommandLine, counted, is_judge, reading_server

from groupmem.models.calllog import CallLog
from groupmem.text import count_tokens

QUESTIONS = len(COLOURS)
SYSTEMS = ("--system", "bm25", "--system", "oracle", "--system", "full-context", "--system", "abstain")
ALONE = ("--no-cache", "--concurrency", 1)


def _stages(shown: dict[str, object]) -> dict[str, dict[str, float]]:
    return {stage["stage"]: stage for stage in shown["stages"]}  # type: ignore[attr-defined]


def test_the_calls_are_those_of_the_run_and_nothing_is_written(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (server, models):
        planned = groupmem("plan", doors, *SYSTEMS, *models, "--json")
        assert planned.code == 0, planned.err
        assert server.requests == []
        assert not Path("runs").exists()
        groupmem("run", doors, *SYSTEMS, *models, *ALONE, "--out", "run")
        stages = _stages(planned.object)
        assert (stages["answer"]["calls"], stages["judge"]["calls"]) == counted(server)
        prompts = {True: 0, False: 0}
        for request in server.requests:
            prompts[is_judge(request)] += sum(count_tokens(turn["content"]) for turn in request.body["messages"])
    assert abs(stages["answer"]["input_tokens"] / prompts[False] - 1) < 0.05
    assert abs(stages["judge"]["input_tokens"] / prompts[True] - 1) < 0.05
    assert planned.object["total"]["calls"] == len(server.requests)


def test_what_is_on_record_is_left_out(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (_, models):
        command = (doors, *SYSTEMS, *models, "--out", "run")
        groupmem("run", *command, *ALONE)
        assert groupmem("plan", *command, "--json").object["stages"] == []


def test_a_cell_that_starts_over_is_planned_anew(groupmem: CommandLine, doors: Path) -> None:
    Path("mine.py").write_text(
        "from groupmem.types import Recall\n"
        "class Quiet:\n"
        "    def ingest(self, messages): ...\n"
        "    def settle(self): ...\n"
        "    def recall(self, question, *, asker, limit, asked_at): return Recall()\n"
    )
    with reading_server() as (_, models):
        command = (doors, "--system", "mine.py:Quiet", *models, "--out", "run")
        groupmem("run", *command, *ALONE)
        assert groupmem("plan", *command, "--json").object["total"]["calls"] == 0
        Path("mine.py").write_text(Path("mine.py").read_text() + "# changed\n")
        assert groupmem("plan", *command, "--json").object["total"]["calls"] == 2 * QUESTIONS


def test_a_known_price_gives_dollars_and_an_unknown_one_none(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (_, models):
        assert groupmem("plan", doors, *models, "--json").object["total"]["cost_usd"] is None
        Path("prices.toml").write_text('["door-reader"]\ninput = 2.0\noutput = 8.0\n')
        shown = groupmem("plan", doors, *models, "--prices", "prices.toml", "--json").object
        for stage in shown["stages"]:
            assert stage["cost_usd"] == (stage["input_tokens"] * 2 + stage["output_tokens"] * 8) / 1_000_000
        refused = groupmem("plan", doors, *models, "--prices", "prices.toml", "--max-usd", 0.001)
    assert refused.code == 4
    assert "door-reader" in refused.out
    assert "--max-usd is 0.0010" in refused.err


def test_remote_embeddings_are_planned_and_booked(groupmem: CommandLine, doors: Path) -> None:
    with reading_server() as (server, _):
        command = (doors, "--system", f"dense:embedding=openai:vectors@{server.url}", "--out", "run")
        stages = _stages(groupmem("plan", *command, "--json").object)
        assert groupmem("run", *command).code == 0
    log = CallLog(Path("run/calls.sqlite"))
    try:
        booked = {phase: log.totals(phase=phase).usage.calls for phase in ("ingest", "recall", "answer")}
    finally:
        log.close()
    assert {phase: stage["calls"] for phase, stage in stages.items()} == {"ingest": 1, "recall": QUESTIONS}
    # One more finds out how long the vectors of a model are that nobody knows.
    assert booked == {"ingest": 2, "recall": QUESTIONS, "answer": 0}


def test_systems_that_call_by_themselves_are_named(groupmem: CommandLine, doors: Path) -> None:
    Path("mine.py").write_text(
        "from groupmem.lab.systems.base import BaseSystem, Capabilities\n"
        "from groupmem.types import Recall\n"
        "class Own(BaseSystem):\n"
        "    capabilities = Capabilities(answers=True)\n"
        "    def ingest(self, messages): ...\n"
        "    def recall(self, question, *, asker, limit, asked_at): return Recall()\n"
    )
    with reading_server() as (_, models):
        shown = groupmem("plan", doors, "--system", "mine.py:Own", "--system", "abstain", *models)
    assert "not in it: what mine.py:Own" in shown.out.replace("\n", " ")
