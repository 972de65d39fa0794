"""What is said above a table."""

from __future__ import annotations

import pytest
from run_builder import NOTHING, QUESTIONS, RunBuilder, question

from groupmem.lab.benchmarks.base import Repair
from groupmem.lab.records import RunFolder
from groupmem.lab.reports.leaderboard import Leaderboard, leaderboard


def texts(board: Leaderboard, kind: str) -> list[str]:
    return [notice.text for notice in board.notices if notice.kind == kind]


def test_a_failed_cell_is_named_with_its_reason(retrieval_run: RunFolder) -> None:
    board = leaderboard(retrieval_run)
    assert texts(board, "warning") == ["gamma failed on u1: ValueError: no index"]
    assert not board.invalid


def test_a_cell_that_was_never_begun_is_missing(build: RunBuilder) -> None:
    build.run(["alpha", "beta"], {"u1": QUESTIONS[:1], "u2": QUESTIONS[1:2]}).cell("alpha").cell("alpha", unit="u2")
    (text,) = texts(leaderboard(build.folder), "warning")
    assert text.startswith("beta was never begun on u1, u2;")


def test_what_many_cells_say_is_said_once(build: RunBuilder) -> None:
    units = {f"u{number}": [question(f"q{number}", "x")] for number in range(6)}
    build.run(["alpha", "beta"], units)
    for number, unit in enumerate(units):
        build.cell("alpha", unit=unit, notes=("a 1.0", *(["u0 alone"] if number == 0 else [])))
        if number < 5:
            build.cell("beta", unit=unit, status="failed", failure="ValueError: no index")
    board = leaderboard(build.folder)
    assert texts(board, "note") == ["alpha on all 6 units: a 1.0", "alpha on u0: u0 alone"]
    assert texts(board, "warning") == [
        "beta failed on 5 of 6 units (u0, u1, u2, u3, ...): ValueError: no index",
        "beta was never begun on u5; the same command goes on with the run",
    ]


@pytest.mark.parametrize(("broken", "invalid"), [(1, False), (2, True)])
def test_above_a_tenth_of_broken_answers_the_run_is_invalid(build: RunBuilder, broken: int, invalid: bool) -> None:
    asked = [question(f"q{number}", "x") for number in range(10)]
    build.run(["alpha"], {"u1": asked}, reader="scripted:x").cell("alpha")
    for number, one in enumerate(asked):
        build.answer("alpha", one.id, "Friday", "truncated" if number < broken else "right")
    board = leaderboard(build.folder)
    assert board.invalid is invalid
    if invalid:
        assert texts(board, "invalid") == [
            "alpha: 2 of 10 answers (20.0%) have no verdict, above 10%; mend the cause and run again"
        ]
    assert texts(board, "note") == [f"alpha: {broken} unscored ({broken} truncated), left out of the accuracy"]


@pytest.mark.parametrize("reason", ["no_judge", "no_gold"])
def test_answers_that_nobody_could_judge_do_not_make_a_run_invalid(build: RunBuilder, reason: str) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, reader="scripted:x").cell("alpha")
    build.answer("alpha", "q1", "Friday", reason)
    board = leaderboard(build.folder)
    assert not board.invalid
    assert texts(board, "note") == [f"alpha: 1 unscored (1 {reason}), left out of the accuracy"]


def test_a_memory_that_does_worse_than_none_is_suspect(answered_run: RunFolder) -> None:
    warnings = texts(leaderboard(answered_run), "warning")
    assert warnings == ["chat: accuracy 16.7% is below the no-memory row (33.3%); check its adapter"]


def test_a_memory_that_is_never_right_or_returns_nothing_is_suspect(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:2]}, reader="scripted:x").cell("alpha")
    for one in QUESTIONS[:2]:
        build.recall("alpha", one.id, []).answer("alpha", one.id, NOTHING, "wrong")
    assert texts(leaderboard(build.folder), "warning") == [
        "alpha: no answer of 2 is right; check its adapter",
        "alpha: returned nothing for any of 2 questions; check its adapter",
    ]


def test_an_unfinished_row_is_not_suspect_yet(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:2]}, reader="scripted:x").cell("alpha", status="recalled")
    build.recall("alpha", "q1", [])
    assert texts(leaderboard(build.folder), "warning") == []


def test_warnings_and_notes_of_the_run_are_shown(build: RunBuilder) -> None:
    build.run(["full-context"], {"u1": QUESTIONS[:1]}, warnings=("2 rows were set aside",))
    build.cell("full-context", reference=True, ranked=False, notes=("one text was cut",))
    build.recall("full-context", "q1", [], truncated=4)
    board = leaderboard(build.folder)
    assert texts(board, "warning") == ["2 rows were set aside"]
    assert texts(board, "note") == [
        "full-context: on 1 question not all messages fitted",
        "full-context on u1: one text was cut",
    ]


@pytest.mark.parametrize(
    ("status", "words"), [("unpinned", "UNPINNED"), ("pinned", "pinned: every file"), ("local", "local files")]
)
def test_the_state_of_the_data_and_its_repairs_are_always_there(build: RunBuilder, status: str, words: str) -> None:
    repairs = (Repair(question="q1", was="D1:0", became="dropped"),)
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, status=status, repairs=repairs)
    benchmark, data, counts, _ = leaderboard(build.folder).provenance
    assert benchmark == "A sample (sample), revision 1: 1 question in 1 unit"
    assert words in data and "sample.jsonl sha256 abababababab" in data
    assert counts == "1 repair of gold; 0 warnings"
