"""Tables as GitHub-flavoured Markdown."""

from __future__ import annotations

import re

from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.likeness import Like, report_tables
from groupmem.lab.reports.table import Column, Marks, Table, Value, marks, write_value
from groupmem.lab.reports.tables import By

_MARKS = {"best": "**", "second": "*", "plain": ""}
_SPECIAL = re.compile(r"([\\`*_\[\]|~<>&$])")


def to_markdown(board: Leaderboard, by: By = "category", like: Like | None = None) -> str:
    """The whole report; notices first, as a list."""
    lines = [f"- {escape(line)}" for line in board.provenance]
    lines += [f"- **{notice.kind.upper()}**: {escape(notice.text)}" for notice in board.notices]
    return (
        "\n\n".join(["\n".join(lines), *(table_to_markdown(table) for table in report_tables(board, by, like))]) + "\n"
    )


def table_to_markdown(table: Table) -> str:
    """One table under its title; the best value of a column is bold, a second best in italics."""
    lines = [
        f"**{escape(table.title)}**",
        "",
        _row([escape(column.header) for column in table.columns]),
        _row([":---" if column.text else "---:" for column in table.columns]),
    ]
    for section in table.sections:
        if section.title and len(table.sections) > 1:
            lines.append(_title_row(table, section.title))
        marked = marks(table, section)
        lines += [_row([_cell(*cell) for cell in zip(row, table.columns, marked, strict=True)]) for row in section.rows]
    return "\n".join([*lines, *(f"\n{escape(note)}" for note in table.notes)])


def escape(text: str) -> str:
    """Text that Markdown shows as it is: specials escaped, line breaks as spaces."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _title_row(table: Table, title: str) -> str:
    first_text = next(index for index, column in enumerate(table.columns) if column.text)
    return _row([f"*{escape(title)}*" if index == first_text else "" for index in range(len(table.columns))])


def _cell(value: Value, column: Column, marked: Marks) -> str:
    text = escape(write_value(value, column))
    mark = _MARKS[marked.of(value)]
    return f"{mark}{text}{mark}"
