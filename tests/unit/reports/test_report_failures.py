"""Where answers fail: shares worked out by hand."""

from __future__ import annotations

import msgspec
import pytest
from run_builder import QUESTIONS, RunBuilder, question

from groupmem.lab.records import RunFolder, RunSpec
from groupmem.lab.reports import leaderboard
from groupmem.lab.reports.failures import failure_tables


@pytest.fixture
def failing_run(build: RunBuilder) -> RunFolder:
    """`alpha`: q1 right with gold, q2 wrong with gold, q3 wrong without, q4 right without; refuses nothing."""
    build.run(["alpha", "no-memory"], {"u1": QUESTIONS}, reader="scripted:replies.jsonl")
    build.cell("alpha")
    for name, found, outcome in (
        ("q1", ["x1", "m2"], "right"),
        ("q2", ["m3"], "wrong"),
        ("q3", ["x1"], "wrong"),
        ("q4", [], "right"),
        ("q5", ["x1"], "right"),
        ("q6", ["x1"], "wrong"),
    ):
        build.recall("alpha", name, found).answer("alpha", name, "Friday", outcome)
    build.cell("no-memory", reference=True, ranked=False)
    for asked in QUESTIONS:
        build.recall("no-memory", asked.id, []).answer("no-memory", asked.id, "Friday", "wrong")
    return build.folder


def test_every_answer_to_an_answerable_question_is_one_of_four(failing_run: RunFolder) -> None:
    total = leaderboard(failing_run).total("alpha")
    names = ("analysed", "right_with_gold", "right_without_gold", "reasoning_failures", "retrieval_failures")
    assert [total[name] for name in names] == [4, 1, 1, 1, 1]
    assert (total["gold_read"], total["accuracy_with_gold"]) == (2, 0.5)


def test_the_tables_hold_shares_and_what_gold_does_by_type(failing_run: RunFolder) -> None:
    shares, given_gold = failure_tables(leaderboard(failing_run))
    assert {row[0]: row[1:] for row in shares.rows()}["alpha"] == (0.25, 0.25, 0.25, 0.25, 0.5, 4)
    assert [column.header for column in given_gold.columns] == ["system", "multi_hop", "all"]
    assert given_gold.rows()[0] == ("alpha", 0.5, 0.5)


def test_rows_that_rank_nothing_are_not_analysed(failing_run: RunFolder) -> None:
    assert leaderboard(failing_run).total("no-memory")["analysed"] == 0


def test_gold_beyond_what_the_reader_was_handed_was_not_read(build: RunBuilder) -> None:
    asked = question("q1", "multi_hop", ["m1"])
    build.run(["alpha"], {"u1": [asked]}, reader="scripted:replies.jsonl")
    record = build.folder.read_run()
    spec = RunSpec(benchmark="sample", systems=("alpha",), limit=2, depth=100, reader="r", judge="r")
    build.folder.write_run(msgspec.structs.replace(record, spec=spec))
    build.cell("alpha")
    build.recall("alpha", "q1", ["x1", "x2", "m1"]).answer("alpha", "q1", "Monday", "wrong")
    total = leaderboard(build.folder).total("alpha")
    assert (total["hit@10"], total["retrieval_failures"], total["reasoning_failures"]) == (1.0, 1, 0)


def test_a_run_without_answers_has_no_such_table(retrieval_run: RunFolder) -> None:
    assert failure_tables(leaderboard(retrieval_run)) == []
