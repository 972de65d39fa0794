"""Tables for a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.likeness import Like, report_tables
from groupmem.lab.reports.notices import Notice
from groupmem.lab.reports.table import Column, Marks, Table, Value, marks, write_value
from groupmem.lab.reports.tables import By
from groupmem.text import printable

PAGE_WIDTH = 100
_WIDEST_TEXT = 32
_GAP = 2
_MARKS = {"best": "bold", "second": "underline", "plain": ""}
_STYLES = {"invalid": "bold red", "warning": "yellow", "note": "dim"}


def render_text(board: Leaderboard, console: Console, by: By = "category", like: Like | None = None) -> None:
    """Prints provenance, notices and all tables, the notices first: they decide whether the rest can be believed."""
    for line in board.provenance:
        console.print(Text(printable(line), style="dim"))
    print_notices(board.notices, console)
    for table in report_tables(board, by, like):
        print_table(table, console)


def page_console() -> Console:
    """The console that reports are printed to: as wide as the terminal, or a page where stdout is none."""
    return Console(width=None if sys.stdout.isatty() else PAGE_WIDTH, highlight=False)


def text_of(board: Leaderboard, by: By = "category", like: Like | None = None) -> str:
    """The report as plain text, for a file."""
    buffer = io.StringIO()
    render_text(board, Console(file=buffer, width=PAGE_WIDTH, color_system=None), by, like)
    return buffer.getvalue()


def print_notices(notices: Sequence[Notice], console: Console) -> None:
    for notice in notices:
        console.print(Text(f"{notice.kind.upper()}: {printable(notice.text)}", style=_STYLES[notice.kind]))


def print_table(table: Table, console: Console) -> None:
    """Prints a table in as many panels as its columns need; each repeats the columns that name a row."""
    console.print()
    console.print(Text(printable(table.title), style="bold"))
    for panel in _panels(table, min(console.width, PAGE_WIDTH)):
        console.print(_rich_table(table, panel))
    for note in table.notes:
        console.print(Text(printable(note), style="dim"))


def _panels(table: Table, width: int) -> Iterator[list[int]]:
    """Indexes of the columns of each panel; at least one beside the keys, however wide it is."""
    widths = [_width(table, index) + _GAP for index in range(len(table.columns))]
    keys = list(range(table.keys))
    room = width - sum(widths[index] for index in keys)
    panel: list[int] = []
    for index in range(table.keys, len(table.columns)):
        if panel and sum(widths[shown] for shown in panel) + widths[index] > room:
            yield keys + panel
            panel = []
        panel.append(index)
    yield keys + panel


def _width(table: Table, index: int) -> int:
    """Texts are folded, and headings: that of a number may be the name of a system with all its options."""
    column = table.columns[index]
    heading = min(_length(column.header), _WIDEST_TEXT)
    values = max((_length(write_value(row[index], column)) for row in table.rows()), default=0)
    return max(heading, min(values, _WIDEST_TEXT) if column.text else values)


def _length(text: str) -> int:
    return Text(printable(text)).cell_len


def _rich_table(table: Table, panel: list[int]) -> RichTable:
    rich = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for index in panel:
        column = table.columns[index]
        folded = column.text or _length(column.header) > _WIDEST_TEXT
        rich.add_column(
            Text(printable(column.header)),
            justify="left" if column.text else "right",
            no_wrap=not folded,
            overflow="fold",
            max_width=_WIDEST_TEXT if folded else None,
        )
    for section in table.sections:
        if section.title and len(table.sections) > 1:
            rich.add_row(*_title_row(table, panel, section.title))
        marked = marks(table, section)
        for row in section.rows:
            rich.add_row(*(_cell(row[index], table.columns[index], marked[index]) for index in panel))
    return rich


def _title_row(table: Table, panel: list[int], title: str) -> list[Text]:
    first_text = next(index for index in panel if table.columns[index].text)
    return [Text(title if index == first_text else "", style="italic dim") for index in panel]


def _cell(value: Value, column: Column, marked: Marks) -> Text:
    return Text(printable(write_value(value, column)), style=_MARKS[marked.of(value)])
