"""The leaderboard: everything that a report of one run shows, as frames."""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl

from groupmem.lab.records import RunFolder, RunRecord
from groupmem.lab.reports.frames import TOTAL, read_frames
from groupmem.lab.reports.notices import Notice, notices_of, provenance
from groupmem.lab.reports.standings import standings
from groupmem.lab.reports.summary import categories_of, summarise, summarise_scores, units_of
from groupmem.lab.reports.usage import read_usage


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """One run, ready to be shown; docs/reports.md describes every column.

    `rows` is the summary (a row a unit, system and category, totals called "all"), `standings` the order of the systems
    by metric ("recall@10", and "accuracy" where answers were judged), `scores` the further measures that the benchmark
    gives answers, `cells` and `usage` what the work took.
    """

    run: str
    record: RunRecord
    provenance: tuple[str, ...]
    notices: tuple[Notice, ...]
    units: tuple[str, ...]
    categories: tuple[str, ...]
    rows: pl.DataFrame
    standings: dict[str, pl.DataFrame]
    scores: pl.DataFrame
    cells: pl.DataFrame
    usage: pl.DataFrame

    @property
    def answered(self) -> bool:
        """Whether answers belong to the run."""
        return "accuracy" in self.standings

    @property
    def invalid(self) -> bool:
        """Whether too many answers of a row are unscored for the table to be cited."""
        return any(notice.kind == "invalid" for notice in self.notices)

    def total(self, system: str) -> dict[str, Any]:
        """The summary row of a system over all units and categories."""
        return self.select(unit=TOTAL, category=TOTAL).row(by_predicate=pl.col("system") == system, named=True)

    def select(self, *, unit: str | None = None, category: str | None = None) -> pl.DataFrame:
        """The summary rows of one unit, one category, or both; `TOTAL` for those over all."""
        rows = self.rows if unit is None else self.rows.filter(pl.col("unit") == unit)
        return rows if category is None else rows.filter(pl.col("category") == category)


def leaderboard(folder: RunFolder) -> Leaderboard:
    """Reads a run folder, finished or not. Raises InputError for a folder that is no run."""
    frames = read_frames(folder)
    rows = summarise(frames)
    metrics = ("recall@10", "accuracy") if frames.answering else ("recall@10",)
    return Leaderboard(
        run=str(folder.path),
        record=frames.record,
        provenance=provenance(frames),
        notices=notices_of(frames, rows),
        units=units_of(frames),
        categories=categories_of(frames),
        rows=rows,
        standings={metric: standings(frames, rows, metric) for metric in metrics},
        scores=summarise_scores(frames),
        cells=frames.cells,
        usage=read_usage(folder, frames),
    )
