"""Each measure against values worked out by hand, and what must hold for all rankings."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.measures import (
    RETRIEVAL_MEASURES,
    all_evidence_at_k,
    hit_at_k,
    leak_at_k,
    ndcg_at_k,
    recall_at_k,
    recall_ceiling,
    reciprocal_rank,
    retrieval_scores,
)
from groupmem.types import Passage, passage_ids

AT_K: tuple[Callable[[list[str], list[str], int], float], ...] = (recall_at_k, hit_at_k, all_evidence_at_k, ndcg_at_k)
message_ids = st.integers(0, 30).map(lambda number: f"Msg_{number}")
rankings = st.lists(message_ids, unique=True, max_size=25)
golds = st.lists(message_ids, unique=True, min_size=1, max_size=25)
depths = st.integers(1, 30)


@pytest.mark.parametrize(
    ("ranked", "gold", "k", "recall", "hit", "all_evidence", "ndcg"),
    [
        ("abcde", "b", 5, 1.0, 1.0, 1.0, 1 / log2(3)),
        ("abcde", "ae", 5, 1.0, 1.0, 1.0, (1 + 1 / log2(6)) / (1 + 1 / log2(3))),
        ("abcde", "ax", 5, 0.5, 1.0, 0.0, 1 / (1 + 1 / log2(3))),
        ("abcde", "c", 2, 0.0, 0.0, 0.0, 0.0),
        ("ab", "abxy", 2, 0.5, 1.0, 0.0, 1.0),
        ("", "a", 3, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_values_worked_out_by_hand(
    ranked: str, gold: str, k: int, recall: float, hit: float, all_evidence: float, ndcg: float
) -> None:
    values = [measure(list(ranked), list(gold), k) for measure in AT_K]
    assert values == pytest.approx([recall, hit, all_evidence, ndcg])


@pytest.mark.parametrize(
    ("ranked", "gold", "value"), [("abc", "a", 1), ("abc", "cb", 1 / 2), ("abc", "x", 0), ("", "a", 0)]
)
def test_reciprocal_rank_by_hand(ranked: str, gold: str, value: float) -> None:
    assert reciprocal_rank(list(ranked), list(gold)) == pytest.approx(value)


@given(rankings, golds, depths)
def test_measures_lie_between_0_and_1_and_agree_with_each_other(ranked: list[str], gold: list[str], k: int) -> None:
    recall, hit, all_evidence, ndcg = (measure(ranked, gold, k) for measure in AT_K)
    assert all(0 <= value <= 1 for value in (recall, hit, all_evidence, ndcg, reciprocal_rank(ranked, gold)))
    assert recall <= recall_ceiling(gold, k) <= 1
    assert all_evidence <= recall <= hit
    assert (hit == 0) == (recall == 0) == (ndcg == 0)
    assert (all_evidence == 1) == (recall == 1)
    assert hit == float(reciprocal_rank(ranked[:k], gold) > 0)


@given(rankings, golds, depths)
def test_more_ranks_never_lower_recall_hit_and_all_evidence(ranked: list[str], gold: list[str], k: int) -> None:
    for measure in (recall_at_k, hit_at_k, all_evidence_at_k):
        assert measure(ranked, gold, k) <= measure(ranked, gold, k + 1)


@given(rankings, golds, depths, st.randoms(use_true_random=False))
def test_the_order_of_the_gold_ids_and_what_comes_after_k_do_not_matter(ranked, gold, k, random) -> None:
    shuffled = random.sample(gold, len(gold))
    tail = random.sample(ranked[k:], len(ranked[k:]))
    for measure in AT_K:
        assert measure(ranked, gold, k) == measure(ranked[:k] + tail, shuffled * 2, k)


@given(golds, depths)
def test_a_ranking_that_starts_with_all_gold_ids_reaches_the_ceiling(gold: list[str], k: int) -> None:
    ranked = [*gold, "other"]
    assert recall_at_k(ranked, gold, k) == recall_ceiling(gold, k)
    assert ndcg_at_k(ranked, gold, k) == pytest.approx(1)
    assert reciprocal_rank(ranked, gold) == 1


@given(rankings, golds, depths)
def test_moving_a_gold_id_up_never_lowers_ndcg(ranked: list[str], gold: list[str], k: int) -> None:
    for place in range(1, len(ranked)):
        if ranked[place] in gold and ranked[place - 1] not in gold:
            better = [*ranked[: place - 1], ranked[place], ranked[place - 1], *ranked[place + 1 :]]
            assert ndcg_at_k(better, gold, k) >= ndcg_at_k(ranked, gold, k)


@given(rankings, st.lists(message_ids), depths)
def test_leak_counts_hidden_ids_among_the_first_k(ranked: list[str], hidden: list[str], k: int) -> None:
    assert leak_at_k(ranked, hidden, k) * k == pytest.approx(sum(found in hidden for found in ranked[:k]))
    assert leak_at_k(ranked, [], k) == 0


def test_a_question_without_gold_cannot_be_measured() -> None:
    for measure in AT_K:
        with pytest.raises(ValueError, match="no gold evidence"):
            measure(["a"], [], 5)
    with pytest.raises(ValueError, match="no gold evidence"):
        reciprocal_rank(["a"], [])
    with pytest.raises(ValueError, match="no gold evidence"):
        recall_ceiling([], 5)


@pytest.mark.parametrize("k", [0, -1])
def test_at_least_one_rank_must_count(k: int) -> None:
    for measure in (*AT_K, leak_at_k):
        with pytest.raises(ValueError, match="at least one rank"):
            measure(["a"], ["a"], k)
    with pytest.raises(ValueError, match="at least one rank"):
        recall_ceiling(["a"], k)


def test_scores_are_the_columns_of_the_tables() -> None:
    scores = retrieval_scores(["x", "a", "b", "h"], ["a", "b"], ["h", "unseen"])
    assert tuple(scores) == RETRIEVAL_MEASURES
    assert scores["mrr"] == 0.5
    assert scores["recall@5"] == scores["recall@10"] == scores["all@10"] == scores["hit@10"] == 1
    assert scores["leak@10"] == 0.1


def test_without_gold_only_the_leak_is_measured() -> None:
    assert retrieval_scores(["a", "h"], [], ["h"]) == {"leak@10": 0.1}


def test_a_passage_of_many_messages_takes_as_many_ranks() -> None:
    summary = Passage(text="summary", source_ids=tuple(f"Msg_{number}" for number in range(10)))
    answer = Passage(text="answer", source_ids=("Msg_99",))
    scores = retrieval_scores(passage_ids([summary, answer]), ["Msg_99"], [])
    assert scores["recall@10"] == 0
    assert scores["mrr"] == pytest.approx(1 / 11)
