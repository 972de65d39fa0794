"""The figures of a table, worked out by hand from the small runs of conftest."""

from __future__ import annotations

from math import log2
from typing import Any

import polars as pl
import pytest
from run_builder import NOTHING, QUESTIONS, RunBuilder, question

from groupmem.errors import InputError
from groupmem.lab.records import AnswerLine, RunFolder
from groupmem.lab.reports.frames import read_frames
from groupmem.lab.reports.objects import run_object
from groupmem.lab.reports.summary import PUBLISHED_ORDER, categories_of, summarise, units_of
from groupmem.types import Answer


def row(folder: RunFolder, system: str, category: str = "all", unit: str = "all") -> dict[str, Any]:
    rows = summarise(read_frames(folder))
    wanted = (pl.col("system") == system) & (pl.col("category") == category) & (pl.col("unit") == unit)
    return rows.row(by_predicate=wanted, named=True)


def test_retrieval_is_the_mean_over_questions_with_evidence(retrieval_run: RunFolder) -> None:
    found = row(retrieval_run, "alpha")
    third = 1 / log2(3)
    ndcg = (1 / (1 + third) + third + 1 + (1 + third) / (1 + third + 1 / 2 + 1 / log2(5))) / 4
    expected = {
        "recall@5": (0.5 + 1 + 1 + 0.5) / 4,
        "recall@10": (0.5 + 1 + 1 + 0.5) / 4,
        "hit@10": 1.0,
        "all@10": 2 / 4,
        "mrr": (1 + 1 / 2 + 1 + 1) / 4,
        "ndcg@10": ndcg,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert (found["questions"], found["with_evidence"], found["measured"]) == (6, 4, 4)


def test_the_leak_is_over_all_questions(retrieval_run: RunFolder) -> None:
    assert row(retrieval_run, "alpha")["leak@10"] == pytest.approx(1 / 10 / 6)
    assert row(retrieval_run, "alpha", "abstention")["leak@10"] == pytest.approx(1 / 10 / 2)
    assert row(retrieval_run, "alpha")["hidden"] == pytest.approx(1 / 6)


def test_times_and_context(retrieval_run: RunFolder) -> None:
    found = row(retrieval_run, "alpha")
    # Of 1..6 ms: the middle of 3 and 4; and 95 % of the way from 1 to 6.
    assert (found["recall_p50_ms"], found["recall_p95_ms"]) == pytest.approx((3.5, 5.75))
    assert found["context_tokens"] == pytest.approx(150 / 6)


def test_a_category_without_evidence_is_not_measured(retrieval_run: RunFolder) -> None:
    found = row(retrieval_run, "alpha", "abstention")
    assert found["recall@10"] is None and found["mrr"] is None
    assert (found["questions"], found["with_evidence"], found["measured"]) == (2, 0, 0)


def test_a_failed_cell_is_not_scored_on_what_it_wrote_before(retrieval_run: RunFolder) -> None:
    found = row(retrieval_run, "gamma")
    assert found["status"] == "failed"
    assert found["recall@10"] is None and found["leak@10"] is None and found["context_tokens"] is None
    assert (found["questions"], found["measured"]) == (6, 0)


def test_means_are_micro_over_the_questions_of_all_units(build: RunBuilder) -> None:
    few, many = [question("a", "x", ["m1"])], [question(name, "x", ["m1"]) for name in "bcd"]
    build.run(["alpha"], {"u1": few, "u2": many}).cell("alpha").cell("alpha", unit="u2")
    build.recall("alpha", "a", ["m1"])
    for name in "bcd":
        build.recall("alpha", name, ["x"], unit="u2")
    assert row(build.folder, "alpha", unit="u1")["recall@10"] == 1.0
    assert row(build.folder, "alpha", unit="u2")["recall@10"] == 0.0
    assert row(build.folder, "alpha")["recall@10"] == 1 / 4


def test_accuracy_is_over_scored_questions_alone(answered_run: RunFolder) -> None:
    found = row(answered_run, "alpha")
    assert (found["scored"], found["right"], found["accuracy"]) == (5, 3, 3 / 5)
    assert (found["unscored"], found["unscored_unparsable"], found["unanswered"]) == (1, 1, 0)


def test_the_published_summary_counts_unscored_as_missed(answered_run: RunFolder) -> None:
    found = row(answered_run, "alpha")
    assert (found["published_right"], found["published_total"], found["published_accuracy"]) == (3, 6, 3 / 6)


def test_abstention_stands_beside_false_abstention(answered_run: RunFolder) -> None:
    alpha, alone = row(answered_run, "alpha"), row(answered_run, "no-memory")
    assert (alpha["false_abstentions"], alpha["answerable"]) == (1, 4)
    assert alpha["abstention_accuracy"] == 1 / 2
    # Refusing everything wins all of the abstention category and pays with every other question.
    assert (alone["abstention_accuracy"], alone["false_abstention_rate"]) == (1.0, 1.0)


def test_what_is_not_answered_yet_is_neither_right_nor_wrong_nor_unscored(answered_run: RunFolder) -> None:
    found = row(answered_run, "beta")
    assert (found["scored"], found["unscored"], found["unanswered"]) == (1, 1, 4)
    assert found["unscored_provider_error"] == 1
    assert found["status"] == "incomplete"


def test_a_problem_of_the_reader_is_unscored_before_any_verdict(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, reader="scripted:x").cell("alpha", status="answered")
    build.folder.append("u1", "alpha", "answers", AnswerLine(question="q1", answer=Answer(text=""), problem="refused"))
    found = row(build.folder, "alpha")
    assert (found["unscored"], found["unscored_refused"], found["published_right"]) == (1, 1, 0)
    assert found["accuracy"] is None and found["answerable"] == 0


def test_the_published_summary_is_for_verdict_judges_only(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, reader="scripted:x", profile="rubric").cell("alpha")
    build.answer("alpha", "q1", "Friday", "right")
    found = row(build.folder, "alpha")
    assert found["accuracy"] == 1.0
    assert (found["published_total"], found["published_accuracy"]) == (0, None)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("done", "done"), "complete"),
        (("done", "recalled"), "complete"),
        (("done", "ingesting"), "incomplete"),
        (("done", "failed"), "incomplete"),
        (("failed", "failed"), "failed"),
        (("done", None), "incomplete"),
        ((None, None), "missing"),
    ],
)
def test_the_status_of_a_system_over_its_cells(
    build: RunBuilder, statuses: tuple[str | None, ...], expected: str
) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1], "u2": QUESTIONS[1:2]})
    for unit, status in zip(("u1", "u2"), statuses, strict=True):
        if status is not None:
            build.cell("alpha", unit=unit, status=status)
    assert row(build.folder, "alpha")["status"] == expected


def test_with_a_reader_a_recalled_cell_is_not_complete(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, reader="scripted:x").cell("alpha", status="recalled")
    assert row(build.folder, "alpha")["status"] == "incomplete"


def test_rows_that_rank_nothing_have_no_retrieval(build: RunBuilder) -> None:
    build.run(["full-context"], {"u1": QUESTIONS[:1]}).cell("full-context", reference=True, ranked=False)
    build.recall("full-context", "q1", [], context_tokens=900, hidden=("h1", "h2"), truncated=3)
    found = row(build.folder, "full-context")
    assert found["recall@10"] is None and found["leak@10"] is None
    assert (found["context_tokens"], found["hidden"], found["truncated"]) == (900.0, 2.0, 1)


def test_the_ceiling_is_that_of_the_questions(build: RunBuilder) -> None:
    many = question("many", "x", [f"m{number}" for number in range(40)])
    build.run(["alpha"], {"u1": [many, question("one", "x", ["m1"])]}).cell("alpha")
    assert row(build.folder, "alpha")["ceiling@10"] == pytest.approx((10 / 40 + 1) / 2)


def test_categories_in_the_order_of_the_published_tables(build: RunBuilder) -> None:
    names = ["zebra", *reversed(PUBLISHED_ORDER), "ant"]
    build.run(["alpha"], {"u1": [question(f"q{name}", name) for name in names]})
    assert categories_of(read_frames(build.folder)) == (*PUBLISHED_ORDER, "ant", "zebra")


def test_names_that_mean_the_total_are_told_apart(build: RunBuilder) -> None:
    asked = {"all": [question("a", "all", ["m1"])], "u2": [question("b", "x", ["m1"])]}
    build.run(["alpha"], asked).cell("alpha", unit="all").cell("alpha", unit="u2")
    build.recall("alpha", "a", ["m1"], unit="all").recall("alpha", "b", [], unit="u2")
    frames = read_frames(build.folder)
    assert units_of(frames) == ("all (unit)", "u2")
    assert categories_of(frames) == ("all (category)", "x")
    assert row(build.folder, "alpha")["recall@10"] == 1 / 2
    assert row(build.folder, "alpha", unit="all (unit)")["recall@10"] == 1.0


def test_one_unit_and_one_category_called_all_are_the_total(build: RunBuilder) -> None:
    build.run(["alpha"], {"all": [question("a", "all", ["m1"])]}).cell("alpha", unit="all")
    assert [(one["unit"], one["category"]) for one in run_object(build.folder)["rows"]] == [("all", "all")]


KEYS = ["benchmark", "unit", "system", "category", "status", "questions", "with_evidence",
        "recall@5", "recall@10", "hit@10", "all@10", "mrr", "ndcg@10", "leak@10", "value@1"]  # fmt: skip


def test_the_run_object_without_a_reader(retrieval_run: RunFolder) -> None:
    shown = run_object(retrieval_run)
    assert shown["run"] == str(retrieval_run.path)
    assert all(list(one) == KEYS for one in shown["rows"])
    keys = [(one["unit"], one["system"], one["category"]) for one in shown["rows"]]
    systems, categories = ("alpha", "beta", "gamma", "oracle"), ("multi_hop", "temporal", "abstention", "all")
    assert keys == [(unit, name, kind) for unit in ("u1", "all") for name in systems for kind in categories]


def test_the_run_object_with_a_reader(answered_run: RunFolder) -> None:
    rows = {(one["unit"], one["system"], one["category"]): one for one in run_object(answered_run)["rows"]}
    total = rows["all", "alpha", "all"]
    assert list(total) == [*KEYS, "accuracy", "interval", "scored", "unscored"]
    assert (total["accuracy"], total["scored"], total["unscored"]) == (0.6, 5, 1)
    assert total["interval"] == pytest.approx([0.2307, 0.8824], abs=1e-4)
    open_row = rows["u1", "beta", "abstention"]
    assert (open_row["accuracy"], open_row["interval"], open_row["scored"]) == (None, None, 0)


def test_the_last_line_of_a_question_counts(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]}, reader="scripted:x").cell("alpha")
    build.answer("alpha", "q1", "", "provider_error").answer("alpha", "q1", NOTHING, "wrong")
    found = row(build.folder, "alpha")
    assert (found["scored"], found["unscored"], found["accuracy"]) == (1, 0, 0.0)


def test_a_folder_that_is_no_run_is_refused(build: RunBuilder) -> None:
    with pytest.raises(InputError, match="not a run folder"):
        run_object(build.folder)
