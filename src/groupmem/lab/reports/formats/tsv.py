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
    return frame.with_columns(_escaped(pl.col(pl.String))).write_csv(
        separator="\t", float_precision=6, quote_style="never"
    )


def _escaped(column: pl.Expr) -> pl.Expr:
    for character, escape in _ESCAPES.items():
        column = column.str.replace_all(character, escape, literal=True)
    return column
