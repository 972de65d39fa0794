"""Runs that stop (a budget, a batch, a provider, a broken system, a refusal) and go on where they stopped."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from replay_support import (
    COLOURS,
    CommandLine,
    Counted,
    answer_wave,
    batch_requests,
    counted,
    is_judge,
    lines,
    read_or_judge,
    reading_server,
    write_conversation,
)

from groupmem.lab.records import RunFolder
from support.openai_server import RecordedRequest, Reply, error

QUESTIONS = len(COLOURS)
RUN = Path("run")


def _online(groupmem: CommandLine, doors: Path, system: str = "bm25") -> tuple[object, object]:
    """Answers and verdicts of the same run, undisturbed and over HTTP."""
    with reading_server() as (_, models):
        groupmem("run", doors, "--system", system, *models, "--out", "undisturbed", "--no-cache")
    undisturbed = lines(Path("undisturbed"), system)
    return undisturbed.answers, undisturbed.verdicts


class TestBatch:
    def test_waves_end_where_http_ends(self, groupmem: CommandLine, doors: Path) -> None:
        model = "batch:door-reader@waves"
        command = ("run", doors, "--system", "bm25", "--system", "oracle", "--reader", model, "--judge", model)
        # Both systems are read; they answer alike, so that one request judges both.
        for waiting in (2 * QUESTIONS, QUESTIONS):
            ended = groupmem(*command, "--out", "run", "--quiet")
            assert ended.code == 3
            assert ended.err.startswith(f"{waiting} requests in")
            assert "run again when answered" in ended.err
            answer_wave(Path("waves"))
        assert groupmem(*command, "--out", "run").code == 0
        assert len(list(Path("waves").glob("requests-*.jsonl"))) == 2
        assert (lines(RUN, "bm25").answers, lines(RUN, "bm25").verdicts) == _online(groupmem, doors)
        assert {outcome for outcome, _, _ in lines(RUN, "oracle").verdicts.values()} == {"right"}

    def test_started_again_too_early_nothing_is_asked_twice(self, groupmem: CommandLine, doors: Path) -> None:
        command = ("run", doors, "--system", "bm25", "--reader", "batch:door-reader@waves", "--out", "run")
        codes = [groupmem(*command).code for _ in range(3)]
        assert codes == [3, 3, 3]
        assert len(batch_requests(Path("waves"))) == QUESTIONS


class TestBudget:
    def test_a_plan_above_the_cap_is_refused_before_any_call(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            ended = groupmem("run", doors, "--system", "bm25", *models, "--max-calls", 15, "--out", "run")
            assert server.requests == []
        assert ended.code == 4
        assert f"about {2 * QUESTIONS} calls" in ended.err
        assert "--max-calls is 15" in ended.err

    def test_a_price_that_nobody_knows_cannot_be_capped(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server() as (server, models):
            ended = groupmem("run", doors, "--system", "bm25", *models, "--max-usd", 5, "--out", "run")
            assert server.requests == []
        assert ended.code == 4
        assert "--prices" in ended.err

    def test_reached_while_running_the_run_stops_and_a_higher_cap_goes_on(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        def costly(request: RecordedRequest) -> Reply:
            reply = read_or_judge(request)
            return Reply(reply.text, usage={"prompt_tokens": 30_000, "completion_tokens": 10})

        with reading_server(costly) as (server, models):
            command = ("run", doors, "--system", "bm25", *models, "--out", "run", "--concurrency", 1, "--no-cache")
            stopped = groupmem(*command, "--max-tokens", 100_000)
            assert stopped.code == 4
            assert "the budget is reached" in stopped.err
            kept = len(lines(RUN, "bm25").answers)
            assert 0 < kept == len(server.requests) < QUESTIONS
            assert groupmem(*command, "--max-tokens", 10_000_000).code == 0
            assert counted(server) == Counted(QUESTIONS, QUESTIONS)
        assert (lines(RUN, "bm25").answers, lines(RUN, "bm25").verdicts) == _online(groupmem, doors)


class TestProvider:
    def test_a_wrong_model_name_is_one_clear_error_and_no_verdict(self, groupmem: CommandLine, doors: Path) -> None:
        def unknown(request: RecordedRequest) -> Reply:
            return error(404, "The model door-reader does not exist")

        with reading_server(unknown) as (_, models):
            ended = groupmem("run", doors, "--system", "bm25", *models, "--out", "run")
        assert ended.code == 1
        assert "The model door-reader does not exist" in ended.err
        assert lines(RUN, "bm25").verdicts == {}

    def test_single_failures_are_unscored_and_tried_again_by_the_next_start(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        broken = True

        def sometimes(request: RecordedRequest) -> Reply:
            # q1 cannot be read, q2 cannot be judged, while the provider is broken.
            if broken and ("number1?" in request.last_message) and not is_judge(request):
                return error(400, "out of order")
            if broken and ("number2?" in request.last_message) and is_judge(request):
                return error(400, "out of order")
            return read_or_judge(request)

        with reading_server(sometimes) as (server, models):
            command = ("run", doors, "--system", "bm25", *models, "--out", "run", "--json", "--no-cache")
            assert groupmem(*command).code == 0
            first = lines(RUN, "bm25")
            assert first.answers["q1"] == ("", "provider_error")
            assert {key: reason for key, (_, reason, _) in first.verdicts.items() if reason} == {
                "q1": "provider_error",
                "q2": "provider_error",
            }
            broken = False
            calls = len(server.requests)
            assert groupmem(*command).code == 0
            assert len(server.requests) == calls + 3  # one answer, its verdict, and the other verdict
        assert (lines(RUN, "bm25").answers, lines(RUN, "bm25").verdicts) == _online(groupmem, doors)

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            (Reply("GRID: C"), "unparsable"),
            (Reply(""), "unparsable"),
            (Reply('thought\n{"score":', finish_reason="length"), "truncated"),
            (Reply("Final: Correct", finish_reason="content_filter"), "refused"),
        ],
    )
    def test_a_verdict_that_cannot_be_read_is_unscored_with_its_reply(
        self, groupmem: CommandLine, doors: Path, reply: Reply, reason: str
    ) -> None:
        def judged_so(request: RecordedRequest) -> Reply:
            return reply if is_judge(request) else read_or_judge(request)

        with reading_server(judged_so) as (server, models):
            command = ("run", doors, "--system", "bm25", *models, "--out", "run", "--json")
            shown = groupmem(*command).object
            calls = len(server.requests)
            groupmem(*command)
            assert len(server.requests) == calls  # it was said, and is not asked until it pleases
        assert set(lines(RUN, "bm25").verdicts.values()) == {("unscored", reason, reply.text)}
        (total,) = (row for row in shown["rows"] if (row["unit"], row["category"]) == ("all", "all"))
        assert (total["accuracy"], total["scored"], total["unscored"]) == (None, 0, QUESTIONS)

    def test_an_answer_that_was_cut_off_is_unscored_without_a_judge(self, groupmem: CommandLine, doors: Path) -> None:
        def cut(request: RecordedRequest) -> Reply:
            return Reply("Let me think about the", finish_reason="length")

        with reading_server(cut) as (server, models):
            assert groupmem("run", doors, "--system", "bm25", *models, "--out", "run").code == 0
            assert counted(server).judgements == 0
        assert {reason for _, reason, _ in lines(RUN, "bm25").verdicts.values()} == {"truncated"}

    def test_half_a_character_in_a_reply_breaks_nothing(self, groupmem: CommandLine, doors: Path) -> None:
        def torn(request: RecordedRequest) -> Reply:
            return Reply(f"\ud83d {read_or_judge(request).text} \ud83d")

        with reading_server(torn) as (_, models):
            command = ("run", doors, "--system", "bm25", *models, "--out", "run")
            assert groupmem(*command).code == 0
        assert lines(RUN, "bm25").answers["q0"] == ("ochre ?", None)

    def test_an_empty_answer_is_wrong_without_a_judge(self, groupmem: CommandLine, doors: Path) -> None:
        with reading_server(lambda request: Reply("")) as (server, models):
            groupmem("run", doors, "--system", "bm25", *models, "--out", "run")
            assert counted(server) == Counted(QUESTIONS, 0)
        assert {outcome for outcome, _, _ in lines(RUN, "bm25").verdicts.values()} == {"wrong"}


BROKEN = """
from groupmem.lab.systems.base import BaseSystem, passage_of
from groupmem.types import Recall


class Shaky(BaseSystem):
    def ingest(self, messages):
        self.messages = list(messages)

    def recall(self, question, *, asker, limit, asked_at):
        if "number5" in question:
            {fault}
        return Recall(passages=tuple(passage_of(m) for m in self.messages[:limit]))
"""


class TestBrokenSystem:
    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            ('raise KeyError("nothing there")', "KeyError: 'nothing there'"),
            ("limit += 3", "SystemFailure: recall() was asked for 4 and returned 7 passages"),
            ("return []", "SystemFailure: recall() must return a Recall, not list"),
            ("raise SystemExit(3)", "SystemExit: 3"),
        ],
    )
    def test_its_cell_fails_with_the_reason_the_others_go_on_and_mended_it_starts_over(
        self, groupmem: CommandLine, doors: Path, fault: str, reason: str
    ) -> None:
        Path("shaky.py").write_text(BROKEN.format(fault=fault))
        command = ("run", doors, "--system", "shaky.py:Shaky", "--system", "bm25", "--limit", 4, "--out", "run")
        ended = groupmem(*command, "--json")
        assert ended.code == 1
        assert reason in ended.err
        cells = {cell.system: cell for cell in RunFolder(RUN).cells()}
        assert cells["shaky.py:Shaky"].status == "failed"
        assert str(cells["shaky.py:Shaky"].failure).startswith(reason)
        report = RunFolder(RUN).failure_path("doors", "shaky.py:Shaky")
        assert "Traceback" in report.read_text()
        assert f"(traceback in {report})" in ended.err
        assert cells["bm25"].status == "done"
        assert len(lines(RUN, "bm25").recalled) == QUESTIONS

        Path("shaky.py").write_text(BROKEN.format(fault="pass"))
        assert groupmem(*command).code == 0
        assert len(lines(RUN, "shaky.py:Shaky").recalled) == QUESTIONS
        assert not RunFolder(RUN).failure_path("doors", "shaky.py:Shaky").exists()

    def test_a_changed_file_starts_its_finished_cell_over_and_no_other(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        shaky, command = (
            Path("shaky.py"),
            ("run", doors, "--system", "shaky.py:Shaky", "--system", "bm25", "--out", "run"),
        )
        shaky.write_text(BROKEN.format(fault="pass"))
        assert groupmem(*command).code == 0
        before = lines(RUN, "shaky.py:Shaky").recalled
        kept = RunFolder(RUN).stage_path("doors", "bm25", "recalled").stat().st_mtime_ns

        shaky.write_text(BROKEN.format(fault="return Recall()"))
        ended = groupmem(*command)
        assert ended.code == 0
        assert "doors/shaky.py:Shaky: its file has changed since, so the cell starts over" in ended.err
        assert [key for key, found in lines(RUN, "shaky.py:Shaky").recalled.items() if found != before[key]] == ["q5"]
        assert RunFolder(RUN).stage_path("doors", "bm25", "recalled").stat().st_mtime_ns == kept
        sha256 = hashlib.sha256(shaky.read_bytes()).hexdigest()
        assert RunFolder(RUN).read_run().systems == {"shaky.py:Shaky": sha256}
        assert {cell.sha256 for cell in RunFolder(RUN).cells()} == {sha256, None}
        assert "starts over" not in groupmem(*command).err

    def test_a_file_that_changes_under_way_ends_the_run(self, groupmem: CommandLine, doors: Path) -> None:
        ingest = "self.messages = list(messages)"
        Path("shaky.py").write_text(
            BROKEN.format(fault="pass").replace(ingest, f"{ingest}; open('shaky.py', 'a').write('# more')")
            + "\n\nclass Other(Shaky):\n    pass\n"
        )
        ended = groupmem("run", doors, "--system", "shaky.py:Shaky", "--system", "shaky.py:Other", "--out", "run")
        assert ended.code == 1
        assert "error: shaky.py:Other: its file was changed while the run was under way" in ended.err

    def test_what_a_system_prints_does_not_stand_among_the_results(self, groupmem: CommandLine, doors: Path) -> None:
        Path("shaky.py").write_text("print('loading')\n" + BROKEN.format(fault="print('recalling')"))
        ended = groupmem("run", doors, "--system", "shaky.py:Shaky", "--out", "run", "--json", "--quiet")
        assert ended.object["run"] == "run"
        assert ended.err == "loading\nrecalling\n"

    def test_a_failed_cell_is_neither_read_nor_judged(self, groupmem: CommandLine, doors: Path) -> None:
        Path("shaky.py").write_text(BROKEN.format(fault="1 / 0"))
        with reading_server() as (server, models):
            groupmem("run", doors, "--system", "shaky.py:Shaky", *models, "--out", "run")
            assert server.requests == []


class TestFullDisk:
    def test_it_is_told_in_one_line_fails_no_system_and_the_same_command_goes_on(
        self, groupmem: CommandLine, doors: Path
    ) -> None:
        command = ("run", "handwritten", "--system", "bm25", "--out", "run", "--quiet")

        def allow_few_bytes() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        ended = subprocess.run(
            [sys.executable, "-m", "groupmem", *command],
            preexec_fn=allow_few_bytes,
            capture_output=True,
            text=True,
            check=False,
        )
        recalled = RunFolder(RUN).stage_path("handwritten", "bm25", "recalled")
        assert (ended.returncode, ended.stderr) == (1, f"error: {recalled} cannot be written: File too large\n")
        before = len(lines(RUN, "bm25", "handwritten").recalled)
        assert groupmem(*command).code == 0
        assert (
            before
            < len(lines(RUN, "bm25", "handwritten").recalled)
            == len(RunFolder(RUN).read_questions("handwritten"))
        )

    def test_a_folder_that_is_a_file_is_refused(self, groupmem: CommandLine, doors: Path) -> None:
        ended = groupmem("run", doors, "--system", "bm25", "--out", doors / "run")
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == f"error: {doors / 'run'} cannot be written: Not a directory\n"


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (("--system", "bm52"), "unknown system 'bm52': choose from bm25"),
            (("--system", "bm25:k7=1"), "k7"),
            (("--system", "nowhere.py:Mine"), "nowhere.py"),
            (("--system", "bm25", "--reader", "opnai:gpt-5"), "unknown model 'opnai:gpt-5'"),
            (("--system", "bm25", "--reader", "openai:gpt-5"), "OPENAI_API_KEY"),
            (("--system", "dense:embedding=minilmm"), "minilmm"),
            (("--system", "bm25", "--types", "temporl"), "unknown question type 'temporl': choose from temporal"),
            (("--system", "bm25", "--system", "bm25"), "bm25 is named twice"),
            (("--system", "bm25", "--judge", "openai:gpt-5"), "--reader"),
            (("--system", "bm25", "--append-answers"), "--reader"),
            (("--system", "bm25", "--profile", "strict"), "unknown judge profile 'strict'"),
            (("--system", "bm25", "--prompts", "nowhere"), "nowhere is no folder"),
            (("--system", "bm25", "--limit", "0"), "--limit 0"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_a_wrong_name_is_one_line_that_lists_the_choices(
        self, groupmem: CommandLine, doors: Path, arguments: tuple[str, ...], complaint: str
    ) -> None:
        ended = groupmem("run", doors, *arguments, "--out", "run")
        assert ended.code == 1
        assert complaint in ended.err
        assert ended.err.startswith("error: ")
        assert ended.err.count("\n") == 1
        assert ended.out == ""

    @pytest.mark.parametrize("target", ["smaple", "locomoo", "nowhere/at/all"])
    def test_so_is_an_unknown_benchmark(self, groupmem: CommandLine, target: str) -> None:
        ended = groupmem("run", target, "--system", "bm25")
        assert ended.code == 1
        assert "sample" in ended.err
        assert not Path("runs").exists()

    def test_another_spec_in_the_same_folder(self, groupmem: CommandLine, doors: Path) -> None:
        groupmem("run", doors, "--system", "bm25", "--out", "run")
        ended = groupmem("run", doors, "--system", "bm25", "--limit", 5, "--out", "run")
        assert ended.code == 1
        assert "limit was 10 and is 5" in ended.err

    def test_other_data_in_the_same_folder(self, groupmem: CommandLine, doors: Path) -> None:
        groupmem("run", doors, "--system", "bm25", "--out", "run")
        doors.write_text(doors.read_text().replace("ochre", "amber"))
        ended = groupmem("run", doors, "--system", "bm25", "--out", "run")
        assert ended.code == 1
        assert "data doors.jsonl was" in ended.err

    def test_other_prompts_in_the_same_folder(self, groupmem: CommandLine, doors: Path) -> None:
        prompt = Path("prompts/judge/system.txt")
        prompt.parent.mkdir(parents=True)
        prompt.write_text("one")
        with reading_server() as (_, models):
            command = ("run", doors, "--system", "bm25", *models, "--prompts", "prompts", "--out", "run")
            assert groupmem(*command).code == 0
            prompt.write_text("two")
            ended = groupmem(*command)
        assert ended.code == 1
        assert "prompt judge/system was" in ended.err


def test_the_fixture_asks_what_it_claims(tmp_path: Path) -> None:
    assert write_conversation(tmp_path).with_name("doors.questions.jsonl").read_text().count("\n") == QUESTIONS
