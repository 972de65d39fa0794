"""The trade-off of GroupMemBench: what ingest cost against accuracy, the area of a bubble what is kept on disk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from groupmem.errors import InputError
from groupmem.lab.reports.frames import TOTAL
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.svg import write_svg

LARGEST_AREA = 900.0
"""Area of the bubble of the largest store, in square points; the others in proportion."""

_SMALLEST_AREA = 12.0
_FRONT, _BEHIND = "#0072b2", "#999999"


class Mark(NamedTuple):
    """One system on one unit. `cost_usd` is ingest at the list prices of the paper."""

    system: str
    cost_usd: float
    value: float
    store_bytes: int


def marks_of(board: Leaderboard, unit: str) -> list[Mark]:
    """The memory systems that are complete on a unit and whose cost is known."""
    metric = "accuracy" if board.answered else "recall@10"
    complete = board.select(unit=unit, category=TOTAL).filter(pl.col("status") == "complete")
    values = dict(complete.select("system", metric).drop_nulls().iter_rows())
    ingest = board.usage.filter((pl.col("unit") == unit) & (pl.col("phase") == "ingest"))
    costs = dict(ingest.select("system", "paper_usd").iter_rows())
    cells = board.cells.filter((pl.col("unit") == unit) & ~pl.col("reference").fill_null(True)).to_dicts()
    found = ((cell, costs.get(cell["system"], 0.0)) for cell in cells if cell["system"] in values)
    return [
        Mark(cell["system"], cost, values[cell["system"]], cell["store_bytes"])
        for cell, cost in found
        if cost is not None
    ]


def pareto_front(marks: Iterable[Mark]) -> set[str]:
    """The systems that no other one beats: none costs as little and is better, or costs less and is as good."""
    found = list(marks)
    return {mark.system for mark in found if not any(_beats(other, mark) for other in found)}


def _beats(one: Mark, other: Mark) -> bool:
    no_worse = one.cost_usd <= other.cost_usd and one.value >= other.value
    return no_worse and (one.cost_usd < other.cost_usd or one.value > other.value)


def write_tradeoff(board: Leaderboard, path: Path) -> None:
    """Writes an SVG file with a panel a unit; the same run gives the same bytes.

    Raises InputError for another kind of file, or a run in which no system is complete.
    """
    write_svg(path, partial(_draw_board, board))


def _draw_board(board: Leaderboard) -> Figure:
    panels = {unit: marks for unit in board.units if (marks := marks_of(board, unit))}
    if not panels:
        raise InputError(f"{board.run}: no system is complete on any unit so far; there is nothing to draw")
    return _draw(panels, "accuracy" if board.answered else "recall@10")


def _draw(panels: dict[str, list[Mark]], metric: str) -> Figure:
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    largest = max(mark.store_bytes for marks in panels.values() for mark in marks)
    for axes, (unit, marks) in zip(grid, panels.items(), strict=False):
        _panel(axes, marks, largest)
        axes.set_title(unit)
        axes.set_xlabel("ingestion cost, $ (0 at the left edge)")
        axes.set_ylabel(metric)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    figure.supxlabel(f"area: storage, largest {largest / 1e6:,.1f} MB; line: Pareto front", fontsize="small")
    return figure


def _panel(axes: Axes, marks: Sequence[Mark], largest: int) -> None:
    front = pareto_front(marks)
    edge = _left_edge(marks)
    for mark in marks:
        area = max(_SMALLEST_AREA, LARGEST_AREA * mark.store_bytes / largest) if largest else _SMALLEST_AREA
        colour = _FRONT if mark.system in front else _BEHIND
        place = (max(mark.cost_usd, edge), mark.value)
        axes.scatter(*place, s=area, color=colour, alpha=0.6, linewidths=0)
        axes.annotate(mark.system, place, xytext=(4, 4), textcoords="offset points", fontsize="small")
    line = sorted((max(mark.cost_usd, edge), mark.value) for mark in marks if mark.system in front)
    axes.step(*zip(*line, strict=True), where="post", color=_FRONT, linewidth=1)
    axes.set_xscale("log")
    axes.set_xlim(edge / 2, 20 * max(edge, *(mark.cost_usd for mark in marks)))  # room for the names
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(alpha=0.3)


def _left_edge(marks: Sequence[Mark]) -> float:
    """Where a cost of nothing stands on a logarithmic axis: a tenth of the smallest cost, of a cent where none cost."""
    paid = [mark.cost_usd for mark in marks if mark.cost_usd > 0]
    return min(paid) / 10 if paid else 0.001
