"""Which tables a report prints: the lab's own, or those of a source, in its order and under its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from groupmem.lab.reports.beam import beam_tables
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.paper import paper_tables
from groupmem.lab.reports.table import Table
from groupmem.lab.reports.tables import By, board_tables

Like = Literal["paper", "beam"]
LIKENESSES: Mapping[Like, Callable[[Leaderboard], list[Table]]] = {"paper": paper_tables, "beam": beam_tables}


def report_tables(board: Leaderboard, by: By = "category", like: Like | None = None) -> list[Table]:
    """The tables of a report, those of the source where one is named; a likeness knows no `by`."""
    return board_tables(board, by) if like is None else LIKENESSES[like](board)
