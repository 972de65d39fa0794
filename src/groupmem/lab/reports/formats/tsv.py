"""The figures as tab-separated values: one header line, one row a system and category or unit, nothing else."""

from __future__ import annotations

import polars as pl

from groupmem.lab.reports.frames import TOTAL
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.tables import By

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def to_tsv(board: Leaderboard, by: By = "category") -> str:
    """Every summary column, after the benchmark, the state of its data and whether the run is invalid.

    Shares are fractions with six places; an empty field is not measured. A tab, a line break or a backslash in a name
    is written as a backslash escape.
    """
    rows = board.select(unit=TOTAL) if by == "category" else board.select(category=TOTAL)
    record = board.record
    facts = {
        "benchmark": record.benchmark.name,
        "revision": record.benchmark.revision,
        "data": record.data.status,
        "repairs": len(record.repairs),
        "warnings": len(record.warnings),
        "invalid": board.invalid,
    }
    frame = rows.select(*(pl.lit(value).alias(name) for name, value in facts.items()), pl.all())
    return escape_columns(frame).write_csv(separator="\t", float_precision=6, quote_style="never")


def escape_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with all its text such that a tab ends a field and a line break a row, and nothing else does."""
    column: pl.Expr = pl.col(pl.String)
    for character, escape in _ESCAPES.items():
        column = column.str.replace_all(character, escape, literal=True)
    return frame.with_columns(column)
