"""`report --like paper`: the tables of GroupMemBench, and cost against accuracy, from figures worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_builder import QUESTIONS, RunBuilder
from typer.testing import CliRunner

from groupmem.cli import app
from groupmem.errors import InputError
from groupmem.lab.records import RunFolder
from groupmem.lab.reports import leaderboard, to_latex, to_markdown
from groupmem.lab.reports.frames import TOTAL
from groupmem.lab.reports.paper import MOST_DOMAINS, accuracy_table, paper_tables, storage_table
from groupmem.lab.reports.table import Table
from groupmem.lab.reports.tradeoff import Mark, marks_of, pareto_front, write_tradeoff
from groupmem.models.base import Account
from groupmem.models.calllog import CallLog, CallRow, Kind
from groupmem.types import Usage

MILLION = 1_000_000
RIGHT = {"bm25": ("q1", "q2", "q3", "q4"), "mem0:chat=x": ("q1", "q5", "q6"), "mine.py:Own": ("q5",)}


@pytest.fixture
def paper_run(build: RunBuilder) -> RunFolder:
    """Two domains. bm25 costs nothing; mem0 calls a model on both; a user's own system has no cell in Finance."""
    build.run(
        [*RIGHT, "graphrag", "oracle"], {"Tech": QUESTIONS, "Finance": QUESTIONS}, reader="scripted:replies.jsonl"
    )
    for unit, system in (("Tech", "bm25"), ("Finance", "bm25"), ("Tech", "mem0:chat=x"), ("Finance", "mem0:chat=x")):
        _judged(build, system, unit, store_bytes=10_000_000 if system == "bm25" else 40_000_000)
    _judged(build, "mine.py:Own", "Tech", store_bytes=1)
    build.cell("graphrag", unit="Tech", status="failed", failure="TimeoutError: no reply")
    build.cell("graphrag", unit="Finance", status="failed", failure="TimeoutError: no reply")
    _judged(build, "oracle", "Tech", reference=True)
    _judged(build, "oracle", "Finance", reference=True)
    log = CallLog(build.folder.calls_path)
    _log(log, "Tech/mem0:chat=x", "chat", 2 * MILLION, MILLION)
    _log(log, "Tech/mem0:chat=x", "embedding", MILLION, 0)
    _log(log, "Tech/mem0:chat=x", "chat", 0, 0, error="HTTP 500")
    _log(log, "Finance/mem0:chat=x", "chat", 4 * MILLION, 0)
    log.close()
    return build.folder


def _judged(build: RunBuilder, system: str, unit: str, **fields: object) -> None:
    build.cell(system, unit=unit, **fields)
    for asked in QUESTIONS:
        build.recall(system, asked.id, asked.evidence[:1], unit=unit)
        right = asked.id in RIGHT.get(system, ())
        build.answer(system, asked.id, "Friday", "right" if right else "wrong", unit=unit)


def _log(log: CallLog, cell: str, kind: Kind, tokens_in: int, tokens_out: int, error: str | None = None) -> None:
    usage = Usage(calls=1, input_tokens=tokens_in, output_tokens=tokens_out, cost_usd=7.0)
    account = Account(run="r1", cell=cell, phase="ingest")
    log.add(
        CallRow(account=account, kind=kind, model="x", base_url="local", request_hash="h", usage=usage, error=error)
    )


def _rows(table: Table) -> dict[str, tuple[object, ...]]:
    return {str(row[0]): tuple(row[1:]) for row in table.rows()}


def _tables(folder: RunFolder) -> dict[str, Table]:
    return {table.title: table for table in paper_tables(leaderboard(folder))}


def test_the_main_table_is_by_type_with_the_average_over_questions(paper_run: RunFolder) -> None:
    table = accuracy_table(leaderboard(paper_run), "accuracy", TOTAL)
    assert [column.header for column in table.columns] == ["system", "multi-hop", "temporal", "abstention", "average"]
    assert [section.title for section in table.sections] == [
        "RAG-based methods",
        "RAG-based methods, not complete",
        "agent memory systems",
        "agent memory systems, not complete",
        "reference rows",
    ]
    assert _rows(table)["bm25"] == (1.0, 1.0, 0.0, pytest.approx(8 / 12))
    assert _rows(table)["mem0:chat=x"] == (0.5, 0.0, 1.0, 0.5)


def test_every_domain_has_a_table_and_what_is_missing_is_missing(paper_run: RunFolder) -> None:
    tables = _tables(paper_run)
    finance = _rows(tables["Accuracy, %, by question type: Finance"])
    assert finance["mine.py:Own (missing)"] == (None,) * 4
    assert finance["graphrag (failed)"] == (None,) * 4
    assert _rows(tables["Accuracy, %, by question type: Tech"])["mine.py:Own"][3] == pytest.approx(1 / 6)


def test_ingest_is_priced_as_the_paper_does_and_averaged_over_domains(paper_run: RunFolder) -> None:
    tables = _tables(paper_run)
    at_list = _rows(tables["Ingestion cost, $, at the list prices of the paper"])
    tech, finance = 2 * 0.15 + 0.60 + 0.13, 4 * 0.15
    assert at_list["mem0:chat=x"] == pytest.approx((tech, finance, (tech + finance) / 2))
    assert at_list["bm25"] == (0.0, 0.0, 0.0)
    assert at_list["mine.py:Own (incomplete)"] == (0.0, None, None)
    own = _rows(tables["Ingestion cost, $, at the prices of the models called"])
    assert own["mem0:chat=x"] == (14.0, 7.0, 10.5)
    work = _rows(tables["Work of ingest, all units"])
    assert work["mem0:chat=x"][:4] == (3, 4, 7 * MILLION, MILLION)
    assert work["graphrag (failed)"] == (None,) * 5


def test_storage_is_in_gigabytes(paper_run: RunFolder) -> None:
    rows = _rows(storage_table(leaderboard(paper_run)))
    assert rows["mem0:chat=x"] == pytest.approx((0.04, 0.04, 0.04))
    assert rows["graphrag (failed)"] == (None, None, None)


def test_the_best_and_the_second_best_are_marked_over_both_families(paper_run: RunFolder) -> None:
    board = leaderboard(paper_run)
    lines = to_latex(board, like="paper").splitlines()
    bm25 = next(line for line in lines if line.startswith("bm25 "))
    assert bm25.startswith(r"bm25 & \textbf{100.00} & \textbf{100.00} & \underline{0.00} & \textbf{66.67}")
    assert "| mem0:chat=x | *50.00* | *0.00* | **100.00** | *50.00* |" in to_markdown(board, like="paper")


@pytest.mark.parametrize(
    ("costs", "front"),
    [
        ({"a": (0.0, 0.4), "b": (1.0, 0.5), "c": (2.0, 0.5), "d": (0.5, 0.3)}, {"a", "b"}),
        ({"a": (1.0, 0.5), "b": (1.0, 0.5)}, {"a", "b"}),
        ({"a": (1.0, 0.5), "b": (1.0, 0.6)}, {"b"}),
        ({}, set()),
    ],
)
def test_the_front_holds_what_nobody_beats(costs: dict[str, tuple[float, float]], front: set[str]) -> None:
    assert pareto_front(Mark(name, cost, value, 1) for name, (cost, value) in costs.items()) == front


def test_only_complete_memory_systems_are_drawn(paper_run: RunFolder) -> None:
    assert {mark.system for mark in marks_of(leaderboard(paper_run), "Tech")} == {"bm25", "mem0:chat=x", "mine.py:Own"}
    assert {mark.system for mark in marks_of(leaderboard(paper_run), "Finance")} == {"bm25", "mem0:chat=x"}


def test_the_figure_is_the_same_for_the_same_run(paper_run: RunFolder, tmp_path: Path) -> None:
    board = leaderboard(paper_run)
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        write_tradeoff(board, path)
    first, second = (path.read_text() for path in paths)
    assert first == second and "Finance" in first and "mem0:chat=x" in first
    with pytest.raises(InputError, match=r"\.svg"):
        write_tradeoff(board, tmp_path / "a.png")


def test_one_command_prints_them_all(paper_run: RunFolder, tmp_path: Path) -> None:
    figure = tmp_path / "cost.svg"
    result = CliRunner().invoke(app, ["report", str(paper_run.path), "--like", "paper", "--figure", str(figure)])
    assert result.exit_code == 0 and figure.is_file()
    for title in _tables(paper_run):
        assert title in result.stdout


@pytest.mark.parametrize("extra", [["--by", "unit"], ["--json"], ["--format", "tsv"]])
def test_what_has_no_effect_on_them_is_refused(paper_run: RunFolder, extra: list[str]) -> None:
    result = CliRunner().invoke(app, ["report", str(paper_run.path), "--like", "paper", *extra])
    assert result.exit_code != 0


def test_a_run_without_answers_shows_what_was_found(retrieval_run: RunFolder) -> None:
    table = paper_tables(leaderboard(retrieval_run))[0]
    assert table.title.startswith("recall@10 (nobody answered)") and _rows(table)["beta"][-1] is not None


def test_of_many_small_units_there_are_averages_alone(build: RunBuilder) -> None:
    units = {f"u{number}": QUESTIONS[number % 6 : number % 6 + 1] for number in range(MOST_DOMAINS + 1)}
    build.run(["alpha"], units)
    for number, unit in enumerate(units):
        build.cell("alpha", unit=unit, store_bytes=1_000_000_000 * number)
    tables = paper_tables(leaderboard(build.folder))
    assert len([table for table in tables if table.title.startswith("recall@10")]) == 1
    (storage,) = [table for table in tables if table.title == "Storage, GB"]
    assert [column.header for column in storage.columns] == ["system", "average"]
    assert storage.sections[0].rows == (("alpha", MOST_DOMAINS / 2),)
