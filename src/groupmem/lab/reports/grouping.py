"""What all tables of systems have in common: the groups, apart, and how a row is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from groupmem.lab.reports.standings import GROUPS
from groupmem.lab.reports.table import Column, Row, Section

Standing = dict[str, Any]
"""One row of `standings`."""

SYSTEM = Column(header="system", text=True)


def sections_of(standings: pl.DataFrame, values: Callable[[Standing], Row]) -> Iterator[Section]:
    """The groups apart, and within the groups those that are not complete: their questions are not the same."""
    complete = pl.col("status") == "complete"
    for group in GROUPS:
        of_group = standings.filter(pl.col("group") == group)
        for title, rows in ((group, of_group.filter(complete)), (f"{group}, not complete", of_group.filter(~complete))):
            if not rows.is_empty():
                shown = tuple(values(row) for row in rows.iter_rows(named=True))
                yield Section(title=title, rows=shown, comparable=title == GROUPS[0])


def row_name(standing: Standing) -> str:
    """The system, with its status where it is not complete."""
    status = standing["status"]
    return str(standing["system"]) if status == "complete" else f"{standing['system']} ({status})"
