"""Who stands where: systems ranked by one metric, with the interval of each and its distance from the first."""

from __future__ import annotations

from typing import Any

import polars as pl

from groupmem.lab.reports.frames import TOTAL, RunFrames
from groupmem.lab.reports.pairs import compare_sides
from groupmem.lab.reports.statistics import Interval, holm, mean_interval

GROUPS = ("systems", "own answers", "reference rows")
"""Ranked apart, in this order: memory systems under one reader, those that answer by themselves, reference rows."""

_SCHEMA = {
    "system": pl.String,
    "group": pl.String,
    "status": pl.String,
    "rank": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_first": pl.Float64,
}


def standings(frames: RunFrames, summary: pl.DataFrame, metric: str) -> pl.DataFrame:
    """One row a system: system, group, status, rank, value, low, high, p_first; in table order.

    Only complete systems have a rank, from 1 within their group, equal values the same one. `low` and `high` are the
    95 % interval: Wilson for accuracy, the bootstrap of the mean for other metrics. `p_first` is the p-value of the
    difference from the first memory system on the same questions, adjusted by Holm for all rows that have one.
    """
    totals = summary.filter((pl.col("unit") == TOTAL) & (pl.col("category") == TOTAL))
    groups = group_of_systems(frames.cells)
    rows = [_row(frames, groups[total["system"]], total, metric) for total in totals.iter_rows(named=True)]
    rows.sort(key=_place)
    _number(rows)
    _measure_distance(rows, frames, metric)
    return pl.DataFrame(rows, schema=_SCHEMA)


def group_of_systems(cells: pl.DataFrame) -> dict[str, str]:
    """The group of each system, from any of its cells; one of which no cell was begun counts as a system."""
    flags = cells.group_by("system", maintain_order=True).agg(pl.col("reference", "answers_by_itself").any())
    return {
        system: GROUPS[2] if reference else GROUPS[1] if answers else GROUPS[0]
        for system, reference, answers in flags.iter_rows()
    }


def _row(frames: RunFrames, group: str, total: dict[str, Any], metric: str) -> dict[str, Any]:
    low, high = _interval(frames, total, metric) or (None, None)
    return {
        "system": total["system"],
        "group": group,
        "status": total["status"],
        "value": total[metric],
        "low": low,
        "high": high,
    }


def _interval(frames: RunFrames, total: dict[str, Any], metric: str) -> Interval | None:
    if metric == "accuracy":
        return None if total["accuracy"] is None else (total["accuracy_low"], total["accuracy_high"])
    measured = frames.of_system(total["system"])[metric].drop_nulls()
    return mean_interval(measured.to_list())


def _place(row: dict[str, Any]) -> tuple[int, bool, float]:
    ranked = row["status"] == "complete" and row["value"] is not None
    return GROUPS.index(row["group"]), not ranked, -(row["value"] or 0.0)


def _number(rows: list[dict[str, Any]]) -> None:
    for group in GROUPS:
        ranked = [row for row in rows if row["group"] == group and _place(row)[1] is False]
        for row in ranked:
            row["rank"] = 1 + sum(other["value"] > row["value"] for other in ranked)


def _measure_distance(rows: list[dict[str, Any]], frames: RunFrames, metric: str) -> None:
    ranked = [row for row in rows if row["group"] == GROUPS[0] and row.get("rank") is not None]
    if len(ranked) < 2:
        return
    first = frames.of_system(ranked[0]["system"])
    found = [(row, compare_sides(first, frames.of_system(row["system"]), metric)) for row in ranked[1:]]
    measured = [(row, difference.p) for row, difference in found if difference is not None]
    for (row, _), p in zip(measured, holm([p for _, p in measured]), strict=True):
        row["p_first"] = p
