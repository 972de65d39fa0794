"""Where answers fail: retrieval or reasoning (GroupMemBench, section "Failure Analysis")."""

from __future__ import annotations

from typing import Literal

import polars as pl

from groupmem.lab.reports.frames import TOTAL
from groupmem.lab.reports.grouping import SYSTEM, Standing, row_name, sections_of
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.table import Column, Row, Table, Value

_PARTS: tuple[tuple[str, str, Literal["high", "low"] | None], ...] = (
    ("right_with_gold", "right", "high"),
    ("right_without_gold", "right without gold", None),
    ("reasoning_failures", "reasoning failed", "low"),
    ("retrieval_failures", "retrieval failed", "low"),
)


def failure_tables(board: Leaderboard) -> list[Table]:
    """The decomposition of answers, and P(right | gold) by category; nothing where no answer could be analysed."""
    if not board.rows["analysed"].sum():
        return []
    by_category = [_with_gold(board)] if board.categories else []
    return [_decomposition(board), *by_category]


def _decomposition(board: Leaderboard) -> Table:
    measures = tuple(Column(header=header, decimals=1, percent=True, best=best) for _, header, best in _PARTS)
    columns = (
        SYSTEM,
        *measures,
        Column(header="right | gold", decimals=1, percent=True, best="high"),
        Column(header="n"),
    )

    def values(standing: Standing) -> Row:
        total = board.total(standing["system"])
        count: int = total["analysed"]
        shares = (total[name] / count if count else None for name, *_ in _PARTS)
        return (row_name(standing), *shares, total["accuracy_with_gold"], count)

    return Table(
        title="Where answers fail, % of the questions that have an answer",
        columns=columns,
        sections=tuple(sections_of(board.standings["accuracy"], values)),
        notes=("retrieval failed: no gold message was handed to the reader; reasoning failed: one was",),
    )


def _with_gold(board: Leaderboard) -> Table:
    rows = board.select(unit=TOTAL).filter(pl.col("gold_read") > 0)
    names = [name for name in board.categories if name in set(rows["category"])]

    def values(standing: Standing) -> Row:
        of_system = rows.filter(pl.col("system") == standing["system"])
        found: dict[str, Value] = dict(of_system.select("category", "accuracy_with_gold").iter_rows())
        return (row_name(standing), *(found.get(name) for name in (*names, TOTAL)))

    headers = (*names, TOTAL)
    return Table(
        title="P(right | gold was handed to the reader), %",
        columns=(SYSTEM, *(Column(header=name, decimals=1, percent=True, best="high") for name in headers)),
        sections=tuple(sections_of(board.standings["accuracy"], values)),
    )
