"""Tables as LaTeX for the booktabs package, one table environment each."""

from __future__ import annotations

from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.likeness import Like, report_tables
from groupmem.lab.reports.table import Column, Marks, Section, Table, Value, marks, write_value
from groupmem.lab.reports.tables import By

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "%": r"\%",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_ESCAPES = str.maketrans(_SPECIAL)
_MARKS = {"best": "textbf", "second": "underline"}


def to_latex(board: Leaderboard, by: By = "category", like: Like | None = None) -> str:
    """The whole report; provenance and notices as comments above the tables."""
    lines = [*board.provenance, *(f"{notice.kind.upper()}: {notice.text}" for notice in board.notices)]
    comments = "\n".join(f"% {' '.join(line.split())}" for line in lines)
    return "\n\n".join([comments, *(table_to_latex(table) for table in report_tables(board, by, like))]) + "\n"


def table_to_latex(table: Table) -> str:
    """One table environment; the best value of a column is bold, a second best underlined, notes stand below."""
    width = len(table.columns)
    lines = [
        r"\begin{table}[t]",
        rf"\caption{{{escape(table.title)}}}",
        r"\centering\footnotesize",
        rf"\begin{{tabular}}{{{''.join('l' if column.text else 'r' for column in table.columns)}}}",
        r"\toprule",
        _row([escape(column.header) for column in table.columns]),
    ]
    for section in table.sections:
        lines.append(r"\midrule")
        if section.title and len(table.sections) > 1:
            lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escape(section.title)}}}}} \\")
        lines += _section(table, section)
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip {{\scriptsize {escape(note)}\par}}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"])


def escape(text: str) -> str:
    """Text that LaTeX sets as it is: specials escaped, line breaks as spaces."""
    return " ".join(text.split()).translate(_ESCAPES)


def _section(table: Table, section: Section) -> list[str]:
    marked = marks(table, section)
    return [_row([_cell(*cell) for cell in zip(row, table.columns, marked, strict=True)]) for row in section.rows]


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _cell(value: Value, column: Column, marked: Marks) -> str:
    text = escape(write_value(value, column)).replace("–", "--")
    mark = marked.of(value)
    return text if mark == "plain" else rf"\{_MARKS[mark]}{{{text}}}"
