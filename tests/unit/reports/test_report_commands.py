"""groupmem report, compare and show as a user calls them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import typer
from run_builder import QUESTIONS, RunBuilder
from typer.testing import CliRunner, Result

from groupmem.cli.compare import compare
from groupmem.cli.report import report
from groupmem.cli.show import show
from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.records import RunFolder
from groupmem.lab.reports import leaderboard, report_object, to_latex, to_markdown, to_tsv
from groupmem.lab.reports.figure import write_figure
from groupmem.models.calllog import CallLog

app = typer.Typer()
for command in (report, compare, show):
    app.command()(command)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def json_of(*arguments: object) -> Any:
    return json.loads(call(*arguments, "--json").stdout)


def test_a_report_as_text_is_a_page_wide_where_there_is_no_terminal(retrieval_run: RunFolder) -> None:
    output = call("report", retrieval_run.path).stdout
    assert "\x1b" not in output
    assert max(len(line.rstrip()) for line in output.splitlines()) == 100


@pytest.mark.parametrize(("form", "writer"), [("markdown", to_markdown), ("tsv", to_tsv), ("latex", to_latex)])
def test_each_format_to_stdout_and_to_a_file(answered_run: RunFolder, tmp_path: Path, form: str, writer: Any) -> None:
    expected = writer(leaderboard(answered_run))
    assert call("report", answered_run.path, "--format", form).stdout == expected
    out = tmp_path / "deep" / f"table.{form}"
    assert call("report", answered_run.path, "--format", form, "--out", out).stdout == ""
    assert out.read_text(encoding="utf-8") == expected
    by_unit = call("report", answered_run.path, "--format", form, "--by", "unit").stdout
    assert by_unit == writer(leaderboard(answered_run), "unit") != expected


def test_reports_write_nothing_into_the_run(answered_run: RunFolder) -> None:
    def listed() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in answered_run.path.rglob("*")}

    CallLog(answered_run.calls_path).close()
    before = listed()
    for command in ("report", "compare"):
        assert call(command, answered_run.path, "--json").exit_code == 0
    assert listed() == before


def test_text_to_a_file_is_plain(answered_run: RunFolder, tmp_path: Path) -> None:
    call("report", answered_run.path, "--out", tmp_path / "report.txt")
    text = (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert text.startswith("A sample (sample)") and "\x1b" not in text


def test_json_is_one_object(answered_run: RunFolder) -> None:
    expected = json.loads(json.dumps(report_object(leaderboard(answered_run))))
    assert json_of("report", answered_run.path) == expected
    assert json.loads(call("report", answered_run.path, "--format", "json").stdout) == expected


def test_options_that_would_do_nothing_are_refused(answered_run: RunFolder) -> None:
    with pytest.raises(InputError, match="exclude each other"):
        call("report", answered_run.path, "--json", "--format", "tsv")
    with pytest.raises(InputError, match="--by has no effect on JSON"):
        call("report", answered_run.path, "--json", "--by", "unit")


def test_an_unknown_format_lists_the_choices(answered_run: RunFolder) -> None:
    result = call("report", answered_run.path, "--format", "html")
    assert result.exit_code == 2
    assert all(form in result.output for form in ("text", "markdown", "tsv", "json", "latex"))


def test_the_figure_is_svg_with_one_line_a_row_and_the_same_each_time(answered_run: RunFolder, tmp_path: Path) -> None:
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    call("report", answered_run.path, "--figure", first)
    write_figure(leaderboard(answered_run), second)
    assert first.read_bytes() == second.read_bytes()
    texts = {element.text for element in ElementTree.parse(first).iter() if element.tag.endswith("}text")}  # noqa: S314
    assert {"alpha", "beta (incomplete)", "chat", "no-memory", "A sample", "accuracy, 95 % interval"} <= texts


def test_a_figure_of_a_retrieval_run_shows_recall(retrieval_run: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    write_figure(leaderboard(retrieval_run), path)
    text = path.read_text(encoding="utf-8")
    assert "recall@10, 95 % interval" in text
    assert "gamma" not in text  # nothing was measured on it


def test_a_figure_of_nothing_or_of_another_kind_is_refused(build: RunBuilder, tmp_path: Path) -> None:
    build.run(["alpha"], {"u1": QUESTIONS[:1]})
    with pytest.raises(InputError, match=r"ends in \.svg"):
        write_figure(leaderboard(build.folder), tmp_path / "a.png")
    with pytest.raises(InputError, match="nothing to draw"):
        write_figure(leaderboard(build.folder), tmp_path / "a.svg")


def test_compare_prints_a_table_or_an_object(retrieval_run: RunFolder) -> None:
    assert "recall@10, left against right" in call("compare", retrieval_run.path).stdout
    shown = json_of("compare", retrieval_run.path, retrieval_run.path, "--metric", "mrr", "--baseline", "alpha")
    assert shown["runs"] == [str(retrieval_run.path)] * 2
    assert (shown["metric"], shown["baseline"]) == ("mrr", "alpha")
    assert list(shown["pairs"][0]) == ["left", "right", "result", "p_holm"]
    fields = ["questions", "left_mean", "right_mean", "difference", "interval", "p", "wins", "ties", "losses"]
    assert list(shown["pairs"][0]["result"]) == fields


def test_show_prints_a_page_or_an_object(answered_run: RunFolder) -> None:
    assert call("show", answered_run.path, "q1", "-s", "alpha").stdout.startswith("q1  (multi_hop, unit u1)\n")
    shown = json_of("show", answered_run.path, "q1", "--system", "chat", "--unit", "u1")
    assert (shown["id"], shown["gold"], shown["asker"], shown["twin"]) == ("q1", "Friday", "ines", None)
    assert [system["system"] for system in shown["systems"]] == ["chat"]
    assert shown["systems"][0]["verdict"] == {
        "outcome": "right",
        "reason": None,
        "reply": "It says so.\nFinal: Correct",
        "scores": {},
    }
    with pytest.raises(UnknownNameError, match="unknown question"):
        call("show", answered_run.path, "q77")
