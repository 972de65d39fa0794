"""Systems against each other, within a run and between two."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_builder import QUESTIONS, RunBuilder, question

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.records import RunFolder
from groupmem.lab.reports import compare_runs, compare_systems, comparison_table
from groupmem.lab.reports.statistics import holm
from groupmem.lab.reports.table import write_value


def pairs(comparison: object) -> list[tuple[str, str]]:
    return [(pair.left, pair.right) for pair in comparison.pairs]  # type: ignore[attr-defined]


def test_memory_systems_against_each_other(retrieval_run: RunFolder) -> None:
    found = compare_systems(retrieval_run)
    (pair,) = found.pairs
    assert (pair.left, pair.right) == ("alpha", "beta")
    result = pair.result
    assert (result.questions, result.left_mean, result.right_mean, result.difference) == (4, 0.75, 0.25, 0.5)
    assert (result.wins, result.ties, result.losses) == (3, 1, 0)
    # Three questions differ, all one way: 2 of 8 sign flips are as far out.
    assert result.p == pytest.approx(0.25)
    assert found.notes == ("gamma: left out, no recall@10 was measured",)


def test_a_baseline_faces_all_others(retrieval_run: RunFolder) -> None:
    found = compare_systems(retrieval_run, "leak@10", "oracle")
    assert pairs(found) == [("alpha", "oracle"), ("beta", "oracle")]
    alpha = found.pairs[0].result
    assert alpha.difference == pytest.approx(0.1 / 6)
    assert (alpha.wins, alpha.losses) == (0, 1)  # a greater leak is a loss


def test_accuracy_leaves_out_what_either_side_has_no_verdict_on(answered_run: RunFolder) -> None:
    found = compare_systems(answered_run, "accuracy", "no-memory")
    results = {pair.left: pair.result for pair in found.pairs}
    assert {system: result.questions for system, result in results.items()} == {"alpha": 5, "beta": 1, "chat": 6}
    alpha = results["alpha"]  # q4 is unscored; of the rest alpha alone has q1 and q2, no-memory alone q6
    assert (alpha.left_mean, alpha.right_mean) == (0.6, 0.4)
    assert (alpha.wins, alpha.ties, alpha.losses, alpha.p) == (2, 2, 1, 1.0)


def test_p_values_are_adjusted_for_all_pairs_of_the_table(build: RunBuilder) -> None:
    asked = [question(f"q{number}", "x", [f"m{number}"]) for number in range(10)]
    build.run(["a", "b", "c"], {"u1": asked})
    for system, count in {"a": 10, "b": 5, "c": 0}.items():
        build.cell(system)
        for number, one in enumerate(asked):
            build.recall(system, one.id, [f"m{number}"] if number < count else [])
    found = compare_systems(build.folder, "mrr")
    assert pairs(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.p_holm for pair in found.pairs] == holm([pair.result.p for pair in found.pairs])
    assert found.pairs[1].p_holm > found.pairs[1].result.p


def second_run(tmp_path: Path) -> RunBuilder:
    """Shares q2 and q3 with the small run; q1 has other gold, q4 to q6 are missing, q9 is new."""
    build = RunBuilder(tmp_path / "second")
    asked = [question("q1", "multi_hop", ["m1"]), *QUESTIONS[1:3], question("q9", "temporal", ["m9"])]
    build.run(["alpha", "delta"], {"u1": asked}).cell("alpha").cell("delta")
    for system in ("alpha", "delta"):
        for one in asked:
            build.recall(system, one.id, one.evidence)
    return build


def test_two_runs_are_compared_on_the_questions_that_both_asked_alike(retrieval_run: RunFolder, tmp_path: Path) -> None:
    found = compare_runs(retrieval_run, second_run(tmp_path).folder, "mrr")
    (pair,) = found.pairs
    assert (pair.left, pair.right) == ("alpha (second)", "alpha (first)")
    assert (pair.result.questions, pair.result.left_mean, pair.result.right_mean) == (2, 1.0, 0.75)
    assert found.notes == (
        "2 questions in both runs; left out: 3 only in the first run, 1 only in the second run, "
        "1 with other words, asker or gold under the same id",
        "gamma (first): left out, no mrr was measured",
    )


def test_two_runs_against_one_baseline(retrieval_run: RunFolder, tmp_path: Path) -> None:
    found = compare_runs(retrieval_run, second_run(tmp_path).folder, "mrr", "beta")
    lefts = [left for left, _ in pairs(found)]
    assert lefts == ["alpha (first)", "oracle (first)", "alpha (second)", "delta (second)"]
    assert {right for _, right in pairs(found)} == {"beta (first)"}


@pytest.mark.parametrize("metric", ["recall@5", "recall@10", "hit@10", "all@10", "mrr", "ndcg@10", "leak@10"])
def test_exchanging_the_runs_turns_the_comparison_round(retrieval_run: RunFolder, tmp_path: Path, metric: str) -> None:
    other = second_run(tmp_path).folder
    (there,), (back,) = (
        compare_runs(retrieval_run, other, metric).pairs,
        compare_runs(other, retrieval_run, metric).pairs,
    )
    assert back.result.difference == pytest.approx(-there.result.difference)
    assert (back.result.wins, back.result.losses) == (there.result.losses, there.result.wins)
    assert back.p_holm == pytest.approx(there.p_holm)


def test_a_run_against_itself_differs_in_nothing(retrieval_run: RunFolder) -> None:
    for pair in compare_runs(retrieval_run, retrieval_run).pairs:
        assert (pair.result.difference, pair.p_holm, pair.result.ties) == (0.0, 1.0, pair.result.questions)


def test_wrong_names_list_the_choices(retrieval_run: RunFolder) -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'recall': choose from recall@5, recall@10"):
        compare_systems(retrieval_run, "recall")
    with pytest.raises(UnknownNameError, match="unknown baseline 'alpa': choose from alpha"):
        compare_systems(retrieval_run, "mrr", "alpa")


def test_a_baseline_without_the_metric_is_refused(retrieval_run: RunFolder) -> None:
    with pytest.raises(InputError, match="gamma: mrr was measured on none of the questions"):
        compare_systems(retrieval_run, "mrr", "gamma")


def test_nothing_to_compare_says_what_to_do(retrieval_run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a --baseline or a second run"):
        compare_systems(retrieval_run, "accuracy")
    stranger = RunBuilder(tmp_path / "other").run(["omega"], {"u1": QUESTIONS[:1]}).cell("omega")
    with pytest.raises(InputError, match="name a --baseline to compare different systems"):
        compare_runs(retrieval_run, stranger.folder)


def test_systems_without_a_common_question_are_said_to_be_so(build: RunBuilder) -> None:
    build.run(["a", "b", "c"], {"u1": QUESTIONS[:2]}).cell("a").cell("b", status="ingested").cell("c")
    build.recall("a", "q1", ["m1"]).recall("b", "q2", ["m3"]).recall("c", "q1", []).recall("c", "q2", [])
    found = compare_systems(build.folder)
    assert pairs(found) == [("a", "c"), ("b", "c")]
    assert found.notes == ("a, b: no question was measured on both",)


def test_the_table_of_a_comparison(retrieval_run: RunFolder) -> None:
    table = comparison_table(compare_systems(retrieval_run))
    (row,) = table.rows()
    cells = [write_value(value, column) for value, column in zip(row, table.columns, strict=True)]
    assert cells[:6] == ["alpha", "beta", "4", "0.750", "0.250", "+0.500"]
    assert cells[7:] == ["0.250", "3/1/0"]
    assert table.notes[0].startswith("p: randomisation test on the same questions, adjusted by Holm over 1 pair;")
