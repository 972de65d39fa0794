"""Further measures of answers: shown where a benchmark gives them, each over the answers that have it."""

from __future__ import annotations

import io

import polars as pl
import pytest
from rich.console import Console
from run_builder import RunBuilder, question

from groupmem.lab.records import RunFolder
from groupmem.lab.reports import leaderboard, print_question, report_object, text_of, view_question


@pytest.fixture
def scored_run(build: RunBuilder) -> RunFolder:
    asked = {
        unit: [question("q1", "summary"), question("q2", "order"), question("q3", "order")] for unit in ("u1", "u2")
    }
    build.run(["alpha", "beta"], asked, reader="scripted:x", profile="rubric")
    for unit in asked:
        build.cell("alpha", unit=unit).cell("beta", unit=unit)
    build.answer("alpha", "q1", "yes", "right", rubric=1.0).answer(
        "alpha", "q2", "a", "right", rubric=0.5, event_f1=0.8
    )
    build.answer("alpha", "q2", "b", "wrong", unit="u2", rubric=0.0, event_f1=0.4)
    build.answer("beta", "q1", "no", "wrong")
    return build.folder


def test_means_are_over_the_answers_that_have_the_score(scored_run: RunFolder) -> None:
    scores = leaderboard(scored_run).scores.filter(pl.col("unit") == "all")
    assert scores.drop("unit").rows() == [
        ("alpha", "summary", "rubric", 1.0, 1),
        ("alpha", "order", "rubric", 0.25, 2),
        ("alpha", "order", "event_f1", pytest.approx(0.6), 2),
        ("alpha", "all", "rubric", 0.5, 3),
        ("alpha", "all", "event_f1", pytest.approx(0.6), 2),
    ]
    assert len(report_object(leaderboard(scored_run))["scores"]) == leaderboard(scored_run).scores.height


def test_they_are_a_table_and_stand_beside_a_verdict(scored_run: RunFolder) -> None:
    text = text_of(leaderboard(scored_run))
    rows = [line.split() for line in text.split("Scores of answers")[1].splitlines()]
    assert ["system", "rubric", "n", "event_f1", "n"] in rows
    assert ["alpha", "(incomplete)", "0.500", "3", "0.600", "2"] in rows or [
        "alpha",
        "0.500",
        "3",
        "0.600",
        "2",
    ] in rows
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_question(view_question(scored_run, "q2", unit="u1"), console)
    assert "rubric 0.500, event_f1 0.800" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_run_without_any_has_no_such_table(answered_run: RunFolder) -> None:
    assert leaderboard(answered_run).scores.is_empty()
    assert "Scores of answers" not in text_of(leaderboard(answered_run))
