"""The nearest neighbours of entities, beside a search that compares one by one."""

from __future__ import annotations

import numpy as np
import pytest
from adapter_modules import module_of
from hypothesis import given
from hypothesis import strategies as st

neighbours = module_of("hipporag", "neighbours")


def one_by_one(vectors: np.ndarray, k: int, lowest: float) -> dict[str, list[str]]:
    """Ids of the nearest, by similarity and then by position."""
    lengths = [max(float(np.linalg.norm(row)), 1e-12) for row in vectors]
    found = {}
    for i, query in enumerate(vectors):
        scored = [(float(query @ key) / lengths[i] / lengths[j], j) for j, key in enumerate(vectors)]
        near = sorted((-score, j) for score, j in scored if score >= lowest)
        found[f"e{i}"] = [f"e{j}" for _, j in near[:k]]
    return found


@given(
    count=st.integers(1, 25),
    k=st.integers(1, 30),
    batches=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    lowest=st.sampled_from([-1.1, 0.0, 0.8]),
    seed=st.integers(0, 2**16),
)
def test_they_are_those_that_comparing_each_with_each_finds(
    count: int, k: int, batches: tuple[int, int], lowest: float, seed: int
) -> None:
    vectors = np.random.default_rng(seed).normal(size=(count, 5))
    ids = [f"e{i}" for i in range(count)]
    found = neighbours.retrieve_knn(ids, ids, vectors, vectors, k, *batches, lowest)
    assert {name: near for name, (near, _) in found.items()} == one_by_one(vectors, k, lowest)
    for _, scores in found.values():
        assert scores == sorted(scores, reverse=True)
        assert all(lowest <= score <= 1 + 1e-5 for score in scores)


def test_equal_ones_come_in_their_order_whatever_the_batches() -> None:
    vectors = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0], [3.0, 0.0]])
    for size in (1, 2, 4):
        found = neighbours.retrieve_knn(list("abcd"), list("abcd"), vectors, vectors, 2, size, size, 0.8)
        assert found["c"] == (["a", "c"], [1.0, 1.0])
        assert found["b"] == (["b"], [1.0])


def test_a_vector_of_zeros_is_near_to_nothing() -> None:
    found = neighbours.retrieve_knn(["a", "b"], ["a", "b"], np.eye(2) * [[0], [1]], np.eye(2), 5, 10, 10, 0.8)
    assert found == {"a": ([], []), "b": (["b"], [1.0])}


@pytest.mark.parametrize("empty", [[], np.empty((0, 3))])
def test_without_entities_there_is_nothing_to_find(empty: object) -> None:
    assert neighbours.retrieve_knn([], [], empty, empty, 5, 10, 10, 0.8) == {}
