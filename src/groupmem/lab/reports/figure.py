"""The leaderboard as a figure: each system's accuracy, or recall@10 without a reader, with its 95 % interval."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from groupmem.errors import InputError
from groupmem.lab.reports.grouping import row_name
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.standings import GROUPS
from groupmem.lab.svg import write_svg

_COLOURS = dict(zip(GROUPS, ("#0072b2", "#d55e00", "#777777"), strict=True))
"""Three colours of the palette of Okabe and Ito, which colour-blind readers can tell apart."""

_ROW_INCHES = 0.35


def write_figure(board: Leaderboard, path: Path) -> None:
    """Writes an SVG file; the same run gives the same bytes. Raises InputError for another kind of file, or a run in
    which nothing was measured."""
    write_svg(path, partial(_draw_board, board))


def _draw_board(board: Leaderboard) -> Figure:
    metric = "accuracy" if board.answered else "recall@10"
    shown = board.standings[metric].filter(pl.col("value").is_not_null())
    if shown.is_empty():
        raise InputError(f"{board.run}: no system has a {metric} so far; there is nothing to draw")
    return _draw(shown, metric, board.record.benchmark.title)


def _draw(shown: pl.DataFrame, metric: str, title: str) -> Figure:
    figure = Figure(figsize=(6.4, 1.2 + _ROW_INCHES * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    for place, row in enumerate(shown.iter_rows(named=True)):
        colour = _COLOURS[row["group"]]
        if row["low"] is not None:
            axes.hlines(place, row["low"], row["high"], color=colour, linewidth=2)
        axes.plot(row["value"], place, "o", color=colour, label=row["group"])
    axes.set_yticks(range(len(shown)), [row_name(row) for row in shown.iter_rows(named=True)])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"{metric}, 95 % interval")
    axes.set_title(title)
    axes.grid(axis="x", alpha=0.3)
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=len(handles))
    return figure
