"""How tables are written: golden text, and what each format does to names that would break it."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from run_builder import QUESTIONS, RunBuilder, question

from groupmem.lab.records import RunFolder
from groupmem.lab.reports import leaderboard, render_text, report_object, text_of, to_latex, to_markdown, to_tsv
from groupmem.lab.reports.formats import latex, markdown
from groupmem.lab.reports.formats.text import print_table
from groupmem.lab.reports.formats.tsv import escape_columns
from groupmem.lab.reports.table import Column, Section, Table, write_p, write_value
from groupmem.text import printable

RETRIEVAL = """\
A sample (sample), revision 1: 6 questions in 1 unit
data bundled with groupmem; sample.jsonl sha256 abababababab
0 repairs of gold; 0 warnings
limit 10 ids, reader none; groupmem 0.1.0, 2026-01-02T03:04:05Z
WARNING: gamma failed on u1: ValueError: no index

Retrieval
#  system                R@10         95 %      p    R@5  hit@10  all@10    MRR  nDCG@10  leak@10  n
────────────────────────────────────────────────────────────────────────────────────────────────────
   systems
1  alpha                0.750  0.500–1.000      –  0.750   1.000   0.500  0.875    0.720    0.017  4
2  beta                 0.250  0.000–0.750  0.250  0.250   0.250   0.250  0.250    0.250    0.000  4
   systems, not
   complete
–  gamma (failed)           –            –      –      –       –       –      –        –        –  0
   reference rows
1  oracle               1.000  1.000–1.000      –  1.000   1.000   1.000  1.000    1.000    0.000  4
p: difference from the first row on the same questions, randomisation test, adjusted by Holm

recall@10 by category
system                 multi_hop  temporal    all
─────────────────────────────────────────────────
systems
alpha                      0.750     0.750  0.750
beta                       0.500     0.000  0.250
systems, not complete
gamma (failed)                 –         –      –
reference rows
oracle                     1.000     1.000  1.000

Time and size
system                 messages  ingest s  store MB  p50 ms  p95 ms  context tokens  hidden ids
───────────────────────────────────────────────────────────────────────────────────────────────
systems
alpha                        40      0.50      2.00    3.50    5.75              25        0.17
beta                         40      0.25      0.00    1.00    1.00             100        0.00
systems, not complete
gamma (failed)                –         –         –       –       –               –           –
reference rows
oracle                        0      0.00      0.00    1.00    1.00             100        0.00
context tokens and hidden ids (that the asker may not read): mean a question; p50, p95: of recall
"""

ACCURACY = """\
Accuracy, %
#  system                 accuracy        95 %  p  n  unscored  open  strict  false abst.  abst.
────────────────────────────────────────────────────────────────────────────────────────────────
   systems
1  alpha                      60.0   23.1–88.2  –  5         1     0    50.0         25.0   50.0
   systems, not complete
–  beta (incomplete)         100.0  20.7–100.0  –  1         1     4    50.0          0.0      –
   own answers
1  chat                       16.7    3.0–56.4  –  6         0     0    16.7          0.0    0.0
   reference rows
1  no-memory                  33.3    9.7–70.0  –  6         0     0    33.3        100.0  100.0
"""


def stripped(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_retrieval_run_as_text(retrieval_run: RunFolder) -> None:
    assert stripped(text_of(leaderboard(retrieval_run))) == RETRIEVAL


def test_the_accuracy_table_comes_first_where_a_reader_ran(answered_run: RunFolder) -> None:
    text = stripped(text_of(leaderboard(answered_run)))
    assert ACCURACY in text
    assert text.index("INVALID: ") < text.index("WARNING: ") < text.index("NOTE: ") < text.index(ACCURACY)
    assert text.index(ACCURACY) < text.index("Accuracy, % by category") < text.index("\nRetrieval\n")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_page(build: RunBuilder, width: int) -> None:
    asked = [question(f"q{number}", f"a_rather_long_category_{number}", ["m1"]) for number in range(9)]
    systems = ["dense:embedding=openai:text-embedding-3-large", "bm25"]
    build.run(systems, {"u1": asked})
    for system in systems:
        build.cell(system)
        for one in asked:
            build.recall(system, one.id, ["m1"])
    console = Console(file=io.StringIO(), width=width, color_system=None)
    render_text(leaderboard(build.folder), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(len(line) for line in text.splitlines()) <= width
    assert all(f"a_rather_long_category_{number}" in text for number in range(9))


def test_the_ceiling_is_shown_where_it_is_below_one(build: RunBuilder) -> None:
    many = question("many", "wide", [f"m{number}" for number in range(40)])
    build.run(["alpha"], {"u1": [many, question("one", "narrow", ["m1"])]}).cell("alpha")
    build.recall("alpha", "many", ["m1"]).recall("alpha", "one", ["m1"])
    text = text_of(leaderboard(build.folder))
    assert "R@10 can reach 0.625: some questions have more than 10 gold messages" in text
    assert re.search(r"ceiling +1\.000 +0\.250 +0\.625", text)


def test_units_instead_of_categories(build: RunBuilder) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1], "u2": QUESTIONS[1:2]}).cell("alpha").cell("alpha", unit="u2")
    build.recall("alpha", "q1", ["m1"]).recall("alpha", "q2", ["m3"], unit="u2")
    assert re.search(r"by unit\nsystem +u1 +u2 +all", text_of(leaderboard(build.folder), "unit"))


HOSTILE = "a_b|c*d\te\\f&g%h$i{j}k~l^m<n>#o`p[q]"
TABLE = Table(
    title="T_1",
    columns=(Column(header="system", text=True), Column(header="x", decimals=1, best="high")),
    sections=(Section(title="one", rows=((HOSTILE, 1.0), ("b", 2.0)), comparable=True),),
    notes=("50 % & more",),
)


def test_markdown_cells_cannot_break_out() -> None:
    lines = markdown.table_to_markdown(TABLE).splitlines()
    assert lines[0] == r"**T\_1**"
    rows = [re.split(r"(?<!\\)\|", line) for line in lines[2:6]]
    assert [len(row) for row in rows] == [4, 4, 4, 4]
    assert rows[2][1].strip() == r"a\_b\|c\*d e\\f\&g%h\$i{j}k\~l^m\<n\>#o\`p\[q\]"
    assert rows[3][2].strip() == "**2.0**"


def test_latex_cells_cannot_break_out() -> None:
    lines = latex.table_to_latex(TABLE).splitlines()
    row = next(line for line in lines if line.startswith("a"))
    assert row == (
        r"a\_b\textbar{}c*d e\textbackslash{}f\&g\%h\$i\{j\}k\textasciitilde{}l\textasciicircum{}m"
        r"\textless{}n\textgreater{}\#o`p[q] & 1.0 \\"
    )
    assert r"b & \textbf{2.0} \\" in lines
    assert lines[-2:] == [r"\par\smallskip {\scriptsize 50 \% \& more\par}", r"\end{table}"]


@given(st.text())
def test_latex_text_has_no_bare_special(text: str) -> None:
    escaped = re.sub(r"\\(?:text[a-z]+\{\}|[{}$&#_%])", "", latex.escape(text))
    assert not set(escaped) & set("\\{}$&#^_~%<>|\n")


def read_tsv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1), min_size=1, max_size=3, unique=True))
def test_every_name_survives_the_tsv(names: list[str]) -> None:
    escaped = {
        name.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r") for name in names
    }
    text = escape_columns(pl.DataFrame({"name": names, "x": [1.0] * len(names)})).write_csv(
        separator="\t", quote_style="never"
    )
    lines = text.split("\n")
    assert {line.split("\t")[0] for line in lines[1:-1]} == escaped


def test_the_tsv_is_one_tidy_table(answered_run: RunFolder) -> None:
    rows = read_tsv(to_tsv(leaderboard(answered_run)))
    keys = [(row["unit"], row["system"], row["category"]) for row in rows]
    assert keys[:4] == [("all", "alpha", kind) for kind in ("multi_hop", "temporal", "abstention", "all")]
    assert len(rows) == 4 * 4
    total = rows[3]
    assert (total["accuracy"], total["scored"], total["unscored"]) == ("0.600000", "5", "1")
    assert (total["data"], total["repairs"], total["warnings"], total["invalid"]) == ("bundled", "0", "0", "true")
    assert rows[2]["recall@10"] == ""


def test_the_tsv_by_unit(answered_run: RunFolder) -> None:
    rows = read_tsv(to_tsv(leaderboard(answered_run), "unit"))
    assert {(row["unit"], row["category"]) for row in rows} == {("u1", "all"), ("all", "all")}


def test_markdown_and_latex_say_what_text_says_above_the_tables(answered_run: RunFolder) -> None:
    board = leaderboard(answered_run)
    for written in (to_markdown(board), to_latex(board)):
        assert "INVALID" in written and "below the no-memory row" in written
        assert "data bundled with groupmem" in written
    assert all(line.startswith("%") for line in to_latex(board).split("\n\n")[0].splitlines())


def test_the_report_object_holds_every_row_and_notice(answered_run: RunFolder) -> None:
    shown = report_object(leaderboard(answered_run))
    assert shown["invalid"] is True and shown["data"]["status"] == "bundled"
    assert len(shown["rows"]) == 2 * 4 * 4
    assert {notice["kind"] for notice in shown["notices"]} == {"invalid", "warning", "note"}
    assert [one["system"] for one in shown["standings"]["accuracy"]] == ["alpha", "beta", "chat", "no-memory"]
    assert shown["rows"][-1]["interval"] == pytest.approx([0.0300, 0.5635], abs=1e-4)


@given(st.text())
def test_printed_text_steers_no_terminal(text: str) -> None:
    shown = printable(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert all(character in shown for character in text if character.isalnum())


def test_a_system_name_is_no_markup_and_no_escape(build: RunBuilder) -> None:
    name = "[bold]x[/bold]\x1b[31m"
    build.run([name], {"u1": QUESTIONS[:1]}).cell(name)
    text = text_of(leaderboard(build.folder))
    assert "[bold]x[/bold]\\u001b[31m" in text and "\x1b" not in text


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        (None, Column(header="x"), "–"),
        (1018, Column(header="x"), "1,018"),
        (0.4567, Column(header="x", decimals=3), "0.457"),
        (0.4567, Column(header="x", decimals=1, percent=True), "45.7"),
        (0.25, Column(header="x", decimals=2, signed=True), "+0.25"),
        ((0.25, 0.5), Column(header="x", decimals=2), "0.25–0.50"),
        ((-0.25, 0.5), Column(header="x", decimals=1, percent=True, signed=True), "-25.0 to +50.0"),
        ("bm25", Column(header="x", text=True), "bm25"),
    ],
)
def test_values_as_text(value: object, column: Column, expected: str) -> None:
    assert write_value(value, column) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("p", "expected"), [(None, None), (0.00099, "<0.001"), (0.001, "0.001"), (1.0, "1.000")])
def test_p_values_as_text(p: float | None, expected: str | None) -> None:
    assert write_p(p) == expected


def test_a_run_that_has_only_begun_has_a_report(build: RunBuilder) -> None:
    build.run(["alpha", "oracle"], {"u1": ()}, reader="scripted:x")
    board = leaderboard(build.folder)
    assert "WARNING: alpha was never begun on u1" in text_of(board)
    assert report_object(board)["rows"] == []
    assert to_tsv(board).count("\n") == 1
    assert "0 questions in 1 unit" in to_markdown(board) and "0 questions in 1 unit" in to_latex(board)


def test_a_long_heading_is_folded_and_the_names_of_rows_stay() -> None:
    """A system is a column of some tables, with all its options in its name."""
    wide = Table(
        title="wide",
        columns=(Column(header="ability", text=True), Column(header="y" * 90), Column(header="z" * 200)),
        sections=(Section(title="", rows=(("summarization", 1, 2),)),),
    )
    console = Console(file=io.StringIO(), width=60, color_system=None)
    print_table(wide, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("summarization") == text.count("ability") == 2, "one in each panel"
    assert (text.count("y"), text.count("z")) == (90 + 2, 200 + 2)
    assert max(map(len, text.splitlines())) <= 60
