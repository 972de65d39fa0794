"""Choosing the best of many scores."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.systems.ranked import best_first


@given(st.lists(st.integers(-3, 3).map(float), max_size=60), st.integers(1, 80))
def test_the_best_are_those_of_a_full_stable_sort(scores: list[float], limit: int) -> None:
    expected = sorted(range(len(scores)), key=lambda position: -scores[position])[:limit]
    assert best_first(np.array(scores), limit).tolist() == expected
