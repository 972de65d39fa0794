"""From ratings to scores: mean and standard deviation over the seeds, and what could not be scored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from groupmem.lab.judging.quality.rating import DIMENSIONS, Dimension, Rating
from groupmem.types import Record, Usage


class Score(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`mean` and sample standard deviation `std` over the `scored` seeds; None where too few are scored.

    `unscored` counts ratings by reason: they are in no mean.
    """

    mean: float | None
    std: float | None
    scored: int
    unscored: Mapping[str, int] = {}


class QualityScores(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The scores of one conversation. `overall.mean` is the mean of the six dimensions, None where one of them has no
    score; its deviation is over the seeds on which all six were scored."""

    dimensions: Mapping[Dimension, Score]
    overall: Score
    usage: Usage


def score_ratings(ratings: Sequence[Rating]) -> QualityScores:
    """Sums up the ratings of one conversation."""
    dimensions = {name: _score(rating for rating in ratings if rating.dimension == name) for name in DIMENSIONS}
    means = [score.mean for score in dimensions.values() if score.mean is not None]
    whole = _whole_seeds(ratings)
    overall = Score(
        mean=fmean(means) if len(means) == len(DIMENSIONS) else None,
        std=_std(whole),
        scored=len(whole),
        unscored=_unscored(ratings),
    )
    return QualityScores(
        dimensions=dimensions, overall=overall, usage=sum((rating.usage for rating in ratings), Usage())
    )


def _score(ratings: Iterable[Rating]) -> Score:
    listed = list(ratings)
    scores = [rating.score for rating in listed if rating.score is not None]
    return Score(
        mean=fmean(scores) if scores else None, std=_std(scores), scored=len(scores), unscored=_unscored(listed)
    )


def _whole_seeds(ratings: Iterable[Rating]) -> list[float]:
    """The mean over the dimensions of each seed that has them all."""
    by_seed: defaultdict[int, list[int]] = defaultdict(list)
    for rating in ratings:
        if rating.score is not None:
            by_seed[rating.seed].append(rating.score)
    return [fmean(scores) for scores in by_seed.values() if len(scores) == len(DIMENSIONS)]


def _unscored(ratings: Iterable[Rating]) -> dict[str, int]:
    return dict(Counter(rating.unscored for rating in ratings if rating.unscored is not None))


def _std(values: Sequence[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None
