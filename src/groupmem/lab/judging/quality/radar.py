"""The six dimensions as a radar figure: one line a conversation, a band of one standard deviation around it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import tau
from pathlib import Path
from typing import cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from groupmem.errors import InputError
from groupmem.lab.judging.quality.rating import DIMENSIONS, HIGHEST, LOWEST
from groupmem.lab.judging.quality.scores import QualityScores, Score
from groupmem.lab.svg import write_svg

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito, which colour-blind readers can tell apart."""


def write_radar(scores: Mapping[str, QualityScores], path: Path) -> None:
    """Writes an SVG file; the same scores, by the name of their conversation, give the same bytes.

    A dimension without a score leaves a gap. Raises InputError for another kind of file, or where nothing was scored.
    """
    write_svg(path, partial(_draw, scores, path))


def _draw(scores: Mapping[str, QualityScores], path: Path) -> Figure:
    if not any(score.scored for each in scores.values() for score in each.dimensions.values()):
        raise InputError(f"{path}: not one rating could be scored; there is nothing to draw")
    figure = Figure(figsize=(6.4, 6.0), layout="constrained")
    axes = cast(PolarAxes, figure.add_subplot(projection="polar"))
    axes.set_theta_offset(tau / 4)
    axes.set_theta_direction(-1)
    axes.set_xticks(_angles()[:-1], [name.replace("_", " ") for name in DIMENSIONS])
    axes.tick_params(axis="x", pad=14)
    axes.set_ylim(LOWEST - 1, HIGHEST)
    axes.set_yticks(range(LOWEST, HIGHEST + 1))
    for place, (name, each) in enumerate(scores.items()):
        _draw_line(
            axes, name, [each.dimensions[dimension] for dimension in DIMENSIONS], _COLOURS[place % len(_COLOURS)]
        )
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _draw_line(axes: PolarAxes, name: str, scores: list[Score], colour: str) -> None:
    closed = [*scores, scores[0]]
    means = np.array([np.nan if score.mean is None else score.mean for score in closed])
    stds = np.array([score.std or 0.0 for score in closed])
    low, high = np.clip(means - stds, LOWEST, HIGHEST), np.clip(means + stds, LOWEST, HIGHEST)
    axes.plot(_angles(), means, "o-", color=colour, markersize=4, label=name)
    axes.fill_between(_angles(), low, high, color=colour, alpha=0.15, linewidth=0)


def _angles() -> list[float]:
    """The direction of each dimension, and of the first one again."""
    return [tau * place / len(DIMENSIONS) for place in range(len(DIMENSIONS) + 1)]
