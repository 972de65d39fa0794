"""The radar figure: gaps where nothing was scored, the same bytes for the same scores."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from groupmem.errors import InputError
from groupmem.lab.judging.quality import DIMENSIONS, QualityScores, Score
from groupmem.lab.judging.quality.radar import write_radar
from groupmem.types import Usage

NOTHING = Score(mean=None, std=None, scored=0, unscored={"refused": 2})


def scored(*means: float | None) -> QualityScores:
    """Scores of the dimensions in their order; None: not scored."""
    each = [NOTHING if mean is None else Score(mean=mean, std=0.5, scored=2) for mean in means]
    return QualityScores(dimensions=dict(zip(DIMENSIONS, each, strict=True)), overall=NOTHING, usage=Usage())


def markers(path: Path) -> int:
    """How many points are drawn, over all lines."""
    root = ElementTree.fromstring(path.read_bytes())  # noqa: S314 - our own file
    lines = [group for group in root.iter() if group.get("id", "").startswith("line2d")]
    return sum(element.tag.endswith("use") for line in lines for element in line.iter())


def test_a_dimension_without_a_score_is_a_gap_and_no_zero(tmp_path: Path) -> None:
    whole, gap = tmp_path / "whole.svg", tmp_path / "gap.svg"
    write_radar({"a $x$ <b>": scored(5, 4, 3, 2, 1, 3)}, whole)
    write_radar({"a $x$ <b>": scored(5, 4, None, 2, 1, 3)}, gap)
    assert markers(whole) - markers(gap) == 1
    assert "nan" not in gap.read_text().lower()
    assert "a $x$ <b>" in "".join(ElementTree.fromstring(gap.read_bytes()).itertext())  # noqa: S314 - our own file


def test_the_same_scores_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write_radar({"a": scored(5, 4, 3, 2, 1, 3), "b": scored(1, 1, 1, 1, 1, 1)}, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_nothing_is_drawn_where_nothing_was_scored(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not one rating could be scored"):
        write_radar({"a": scored(*[None] * 6)}, tmp_path / "radar.svg")
    with pytest.raises(InputError, match=r"ends in \.svg"):
        write_radar({"a": scored(5, 4, 3, 2, 1, 3)}, tmp_path / "radar.png")
    assert list(tmp_path.iterdir()) == []
