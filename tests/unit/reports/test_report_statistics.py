"""Intervals and tests, against formulas and enumeration written out here."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.reports.statistics import compare_outcomes, compare_values, holm, mean_interval, wilson_interval

Z = 1.959963984540054
VALUES = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=2, max_size=8)


def wilson_by_formula(right: int, scored: int) -> tuple[float, float]:
    share = right / scored
    centre = share + Z**2 / (2 * scored)
    half = Z * sqrt(share * (1 - share) / scored + Z**2 / (4 * scored**2))
    return (centre - half) / (1 + Z**2 / scored), (centre + half) / (1 + Z**2 / scored)


@given(st.integers(1, 400).flatmap(lambda scored: st.tuples(st.integers(0, scored), st.just(scored))))
def test_wilson_follows_its_formula_and_stays_within_bounds(counts: tuple[int, int]) -> None:
    right, scored = counts
    low, high = wilson_interval(right, scored) or (2.0, -1.0)
    assert (low, high) == pytest.approx(wilson_by_formula(right, scored), abs=1e-12)
    assert 0.0 <= low <= right / scored <= high <= 1.0


def test_nothing_scored_has_no_interval() -> None:
    assert wilson_interval(0, 0) is None


def test_the_interval_of_a_mean_lies_around_it_and_is_the_same_each_time() -> None:
    values = [0.02, 0.53, 0.97, 0.88, 0.21, 0.64, 0.35]
    low, high = mean_interval(values) or (2.0, -1.0)
    assert min(values) < low < sum(values) / 7 < high < max(values)
    assert mean_interval(values) == (low, high)
    assert mean_interval(values, seed=1) != (low, high)


def test_one_question_has_no_interval_and_equal_values_have_an_empty_one() -> None:
    assert mean_interval([0.5]) is None
    assert mean_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)


def p_by_enumeration(differences: list[float]) -> float:
    """Share of all sign flips whose mean is at least as far from 0, with the tolerance that floats need."""
    found = abs(sum(differences))
    flips = [sum(sign * one for sign, one in zip(signs, differences, strict=True))
             for signs in product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(abs(flip) >= found - 1e-9 for flip in flips) / len(flips)


@given(VALUES, st.data())
def test_the_randomisation_test_is_exact_on_few_questions(left: list[float], data: st.DataObject) -> None:
    right = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(left), max_size=len(left)))
    found = compare_values(left, right)
    assert found.p == pytest.approx(p_by_enumeration([a - b for a, b in zip(left, right, strict=True)]))


def test_equal_means_are_no_difference_whatever_their_floats_add_up_to() -> None:
    thirds = [0.0, 0.25, 1 / 3, 1 / 3, 1 / 3, 0.25]
    assert compare_values(thirds, [0.0, 0.0, 0.0, 0.0, 1.0, 0.5]).p == 1.0


@given(VALUES, st.data(), st.booleans())
def test_comparing_the_other_way_round_turns_everything_round(
    left: list[float], data: st.DataObject, lower_is_better: bool
) -> None:
    right = data.draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=len(left), max_size=len(left)))
    there = compare_values(left, right, lower_is_better=lower_is_better)
    back = compare_values(right, left, lower_is_better=lower_is_better)
    assert back.difference == pytest.approx(-there.difference)
    assert back.interval is not None and there.interval is not None
    assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]))
    assert back.p == pytest.approx(there.p)
    assert (back.wins, back.ties, back.losses) == (there.losses, there.ties, there.wins)
    assert there.wins + there.ties + there.losses == there.questions == len(left)


def test_a_lower_value_wins_where_lower_is_better() -> None:
    found = compare_values([0.0, 0.5, 0.5], [0.1, 0.5, 0.0], lower_is_better=True)
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.difference == pytest.approx(0.4 / 3)


def test_a_clear_difference_over_many_questions_is_found() -> None:
    found = compare_values([1.0] * 60 + [0.0] * 40, [0.0] * 100)
    assert found.difference == pytest.approx(0.6)
    assert found.interval is not None and 0.49 < found.interval[0] < 0.6 < found.interval[1] < 0.71
    assert found.p < 0.001


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_mcnemar_is_the_binomial_of_the_questions_that_differ(only_left: int, only_right: int, both: int) -> None:
    if only_left + only_right + both == 0:
        return
    left = [True] * only_left + [False] * only_right + [True] * both
    right = [False] * only_left + [True] * only_right + [True] * both
    differing = only_left + only_right
    tail = sum(comb(differing, k) for k in range(min(only_left, only_right) + 1)) / 2**differing
    found = compare_outcomes(left, right)
    assert found.p == pytest.approx(min(1.0, 2 * tail))
    assert (found.wins, found.losses, found.ties) == (only_left, only_right, both)


@pytest.mark.parametrize("values", [([], []), ([1.0], [1.0, 0.0])])
def test_values_that_are_not_paired_are_refused(values: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match="paired values"):
        compare_values(*values)


def test_a_single_question_proves_nothing() -> None:
    found = compare_values([1.0], [0.0])
    assert (found.interval, found.p, found.wins) == (None, 1.0, 1)


def test_holm_by_hand() -> None:
    # Sorted: .01 x 3 = .03, .03 x 2 = .06, .04 x 1 = .04, which may not fall below .06.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_raises_p_values_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    in_order = [adjusted[index] for index in sorted(range(len(p_values)), key=p_values.__getitem__)]
    assert in_order == sorted(adjusted)
