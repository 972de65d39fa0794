"""A table before it has a format: columns that know how their values are written, rows in sections."""

from __future__ import annotations

from typing import Literal, NamedTuple

from groupmem.types import Record

Value = str | int | float | tuple[float, float] | None
Row = tuple[Value, ...]
Mark = Literal["best", "second", "plain"]
MISSING = "–"


class Column(Record, frozen=True, kw_only=True):
    """A column. Numbers stand with `decimals` places, as 100 times their value where `percent`, with their sign where
    `signed`; None prints a dash.

    `best` says which end of the column is the better one; None for a column that has none.
    """

    header: str
    decimals: int = 0
    percent: bool = False
    signed: bool = False
    best: Literal["high", "low"] | None = None
    text: bool = False


class Section(Record, frozen=True, kw_only=True):
    """Rows under one title. Only where they are `comparable` is the best of a column marked."""

    title: str
    rows: tuple[Row, ...]
    comparable: bool = False


class Table(Record, frozen=True, kw_only=True):
    """`keys` columns on the left name a row; they are repeated where a table is too wide for its page.

    The best value of a column is marked within its section, or over all comparable sections where they are `ranked`
    "together"; then the second best is marked as well, as the published tables do.
    """

    title: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    keys: int = 1
    ranked: Literal["apart", "together"] = "apart"

    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section.rows)


def write_value(value: Value, column: Column) -> str:
    """The text of one cell, before a format escapes it."""
    if value is None:
        return MISSING
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return (" to " if column.signed else "–").join(_number(end, column) for end in value)
    return _number(value, column)


def write_p(p: float | None) -> str | None:
    """A p-value with three places; what would print as zero is written as a bound."""
    if p is None:
        return None
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def counted(number: int, noun: str) -> str:
    """ "1 question", "1,020 questions"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class Marks(NamedTuple):
    """The values of one column that stand out; None where there are none."""

    best: Value = None
    second: Value = None

    def of(self, value: Value) -> Mark:
        """How a value of the column is marked."""
        if value is None or value not in self:
            return "plain"
        return "best" if value == self.best else "second"


def marks(table: Table, section: Section) -> tuple[Marks, ...]:
    """The marks of each column in a section; none where a column has no better end, or nothing to choose from."""
    if not section.comparable:
        return (Marks(),) * len(table.columns)
    together = table.ranked == "together"
    rows = [row for each in table.sections if each.comparable for row in each.rows] if together else section.rows
    return tuple(_marks([row[i] for row in rows], column, together) for i, column in enumerate(table.columns))


def _marks(values: list[Value], column: Column, with_second: bool) -> Marks:
    numbers = [value for value in values if isinstance(value, (int, float))]
    if column.best is None or len(numbers) < 2 or len(set(numbers)) == 1:
        return Marks()
    best, second, *_ = sorted(set(numbers), reverse=column.best == "high")
    return Marks(best, second if with_second else None)


def _number(value: float, column: Column) -> str:
    shown = 100 * value if column.percent else value
    return f"{shown:{'+' if column.signed else ''},.{column.decimals}f}"
