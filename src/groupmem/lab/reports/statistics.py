"""Intervals and tests: how sure a table may be of its figures.

All of them take one value a question. Questions of one unit share a conversation, which none of these models: with few
units the intervals are narrower than another draw of conversations would give (docs/reports.md says so to the reader).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap, permutation_test

from groupmem.types import Record

CONFIDENCE = 0.95
RESAMPLES = 10_000
_BATCH = 500
"""Resamples held in memory at once: 500 x 2,000 questions are 8 MB."""

_PLACES = 12
"""Decimal places that count when two means are compared: beyond them, equal means of thirds and quarters differ."""

Interval = tuple[float, float]


class Difference(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One paired comparison. `difference` is the mean of left - right; `p` is two-sided, 1 where nothing differs.

    `wins` counts the questions on which left is better. `interval` is of the difference, None for a single question.
    """

    questions: int
    left_mean: float
    right_mean: float
    difference: float
    interval: Interval | None
    p: float
    wins: int
    ties: int
    losses: int


def wilson_interval(right: int, scored: int) -> Interval | None:
    """The 95 % score interval of a proportion (Wilson 1927), within [0, 1]; None for no questions.

    centre (p + z^2/2n) / (1 + z^2/n), half width z / (1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2), with z = 1.96.
    """
    if scored == 0:
        return None
    found = binomtest(right, scored).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval | None:
    """The 95 % percentile bootstrap interval of a mean over questions; None for fewer than two."""
    return _interval_of_mean(np.asarray(values, dtype=np.float64), seed)


def compare_values(
    left: Sequence[float], right: Sequence[float], *, lower_is_better: bool = False, seed: int = 0
) -> Difference:
    """A measure of two sides on the same questions: paired bootstrap interval, paired randomisation test.

    The interval holds the 2.5 % and 97.5 % quantiles of the mean difference over questions drawn again with replacement
    (Efron and Tibshirani 1993, ch. 13). p is the share of sign flips of the differences whose mean is as far from 0 as
    the one found: all of them where there are at most `RESAMPLES`, else as many drawn (Smucker et al. 2007, the
    randomisation test). Raises ValueError where the lengths differ or nothing is compared.
    """
    if len(left) != len(right) or not left:
        raise ValueError(f"paired values on the same questions are needed, not {len(left)} and {len(right)}")
    ours, theirs = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    differences = ours - theirs
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    wins, losses = (worse, better) if lower_is_better else (better, worse)
    return Difference(
        questions=len(differences),
        left_mean=float(ours.mean()),
        right_mean=float(theirs.mean()),
        difference=float(differences.mean()),
        interval=_interval_of_mean(differences, seed),
        p=_randomisation_p(differences, seed),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )


def compare_outcomes(left: Sequence[bool], right: Sequence[bool], *, seed: int = 0) -> Difference:
    """Right and wrong on the same questions: exact McNemar test, with the paired bootstrap interval of the difference.

    With b and c the questions that only one side got right, p is the two-sided binomial probability of b among b + c at
    one half (McNemar 1947, exact form).
    """
    paired = compare_values([float(value) for value in left], [float(value) for value in right], seed=seed)
    discordant = paired.wins + paired.losses
    p = float(binomtest(paired.wins, discordant).pvalue) if discordant else 1.0
    return msgspec.structs.replace(paired, p=p)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for all comparisons of one table (Holm 1979), in the order given.

    The i-th smallest of m (from 0) becomes the greatest (m - j) p_j over j <= i, at most 1.
    """
    adjusted = [1.0] * len(p_values)
    reached = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        reached = max(reached, (len(p_values) - place) * p_values[index])
        adjusted[index] = min(1.0, reached)
    return adjusted


def _interval_of_mean(values: NDArray[np.float64], seed: int) -> Interval | None:
    if len(values) < 2:
        return None
    drawn = bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(drawn.low), float(drawn.high)


def _randomisation_p(differences: NDArray[np.float64], seed: int) -> float:
    moved = differences[differences != 0]  # a tie stays one under every flip
    if len(moved) < 2:  # both signs of one difference are equally far from 0
        return 1.0
    found = permutation_test(
        (moved,),
        lambda values, axis: values.mean(axis=axis).round(_PLACES),
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)
