"""The weights of the graph walk, against the source's formulas worked out by hand, and drawing under w(m)."""

from __future__ import annotations

import random
from collections import Counter
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupmem.lab.synthesis.parents import Fenwick, ParentPool
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.weights import active_thread, parent_weight, phase_heat, post_need

WEIGHTS = load_policy().weights


@pytest.mark.parametrize(
    ("messages", "posts", "progress", "weight"),
    [
        (0, 0, 0.5, 10.0),
        (4, 0, 0.5, 8.0),
        (4, 1, 0.0, 3.5),
        (4, 1, 0.5, 5.5),
        (9, 2, 1.0, 2.0),
        (9, 3, 0.0, 1.0),
        (90, 30, 0.5, 3.0),
    ],
)
def test_post_need(messages: int, posts: int, progress: float, weight: float) -> None:
    assert isclose(post_need(WEIGHTS, messages, posts, progress), weight, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("messages", "unanswered", "progress", "weight"),
    [(0, 0, 0.0, 1.0), (4, 1, 0.0, 6.0), (10, 0, 0.5, 8.0), (400, 2, 0.5, 14.0), (400, 0, 1.0, 6.0)],
)
def test_phase_heat(messages: int, unanswered: int, progress: float, weight: float) -> None:
    assert isclose(phase_heat(WEIGHTS, messages, unanswered, progress), weight, abs_tol=1e-9)


@pytest.mark.parametrize(("messages", "weight"), [(0, 1.0), (5, 3.5), (15, 8.5), (400, 8.5)])
def test_active_thread(messages: int, weight: float) -> None:
    assert active_thread(WEIGHTS, messages) == weight


@pytest.mark.parametrize(
    ("replies", "age", "is_post", "weight"),
    [
        (0, 0, False, 1.0),
        (0, 0, True, 2.0),
        (1, 0, False, 2**1.3),
        (3, 10, True, 4**1.3 * 0.5 * 2),
        (4, 0, False, 5**1.3 * 0.35),
        (0, 17, False, 0.15),
        (0, 16, False, 0.2),
        (9, 400, True, 10**1.3 * 0.35 * 0.15 * 2),
    ],
)
def test_parent_weight(replies: int, age: int, is_post: bool, weight: float) -> None:
    assert isclose(parent_weight(WEIGHTS, replies, age, is_post), weight, rel_tol=1e-9)


@given(
    weights=st.lists(st.floats(0.01, 50), min_size=1, max_size=70),
    changes=st.lists(st.tuples(st.integers(0, 69), st.floats(0, 9))),
)
def test_the_tree_lays_weights_end_to_end(weights: list[float], changes: list[tuple[int, float]]) -> None:
    tree = Fenwick()
    for weight in weights:
        tree.append(weight)
    for index, more in changes:
        if index < len(weights):
            tree.add(index, more)
            weights[index] += more
    assert isclose(tree.total, sum(weights), rel_tol=1e-9)
    begin = 0.0
    for index, weight in enumerate(weights):
        assert tree.find(begin + weight / 2) == index
        begin += weight
    assert tree.find(begin + 1) == len(weights) - 1


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 60))
def test_a_pool_weighs_every_message_as_the_formula_does(seed: int, size: int) -> None:
    rng = random.Random(seed)
    pool, replies, posts = ParentPool(WEIGHTS), [], []
    for _ in range(size):
        if replies and rng.random() < 0.8:
            parent = pool.draw(rng)
            replies[parent] += 1
            pool.answered(parent)
        posts.append(rng.random() < 0.3)
        replies.append(0)
        pool.append(posts[-1])
    for position in range(size):
        weight = parent_weight(WEIGHTS, replies[position], size - 1 - position, posts[position])
        assert isclose(pool.weight(position), weight, rel_tol=1e-9)


def test_parents_are_drawn_in_proportion_to_their_weight() -> None:
    rng = random.Random(7)
    pool = ParentPool(WEIGHTS)
    for number in range(60):
        pool.append(number % 4 == 0)
        pool.answered(rng.randrange(number + 1))
    weights = [pool.weight(position) for position in range(60)]
    draws = 60_000
    counts = Counter(pool.draw(rng) for _ in range(draws))
    for position, weight in enumerate(weights):
        expected = draws * weight / sum(weights)
        assert abs(counts[position] - expected) < 5 * expected**0.5 + 5, position


def test_drawing_among_some_positions_leaves_out_the_others() -> None:
    rng = random.Random(1)
    pool = ParentPool(WEIGHTS)
    for _ in range(30):
        pool.append(True)
    assert {pool.draw_among((3, 29), rng) for _ in range(200)} == {3, 29}
