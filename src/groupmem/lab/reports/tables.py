"""The tables of a leaderboard. Each answers one question; none is wider than a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import polars as pl

from groupmem.lab.reports.failures import failure_tables
from groupmem.lab.reports.frames import CEILING, TOTAL, VALUE
from groupmem.lab.reports.grouping import SYSTEM, Standing, row_name, sections_of
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.summary import WITHOUT_BAD
from groupmem.lab.reports.table import Column, Row, Section, Table, Value, counted, write_p
from groupmem.lab.reports.work import effort_table, usage_table

By = Literal["category", "unit"]


def board_tables(board: Leaderboard, by: By = "category") -> list[Table]:
    """All tables of a report, those that have nothing to show left out."""
    tables = [retrieval_table(board), *breakdown_tables(board, "recall@10", by)]
    answerable = board.rows.filter((pl.col("category") != TOTAL) & (pl.col("with_evidence") > 0))
    if answerable["with_value"].sum():
        tables += breakdown_tables(board, VALUE, by)
    if not board.scores.is_empty():
        tables = [scores_table(board), *tables]
    if board.answered:
        tables = [accuracy_table(board), *breakdown_tables(board, "accuracy", by), *failure_tables(board), *tables]
    if board.rows["known_bad"].sum():
        tables.append(errata_table(board))
    tables.append(effort_table(board))
    if not board.usage.is_empty():
        tables.append(usage_table(board))
    return tables


def retrieval_table(board: Leaderboard) -> Table:
    """What was found: ranks are ids, means are over the `n` questions that have evidence."""
    columns = (
        *_standing_columns("R@10", decimals=3, percent=False),
        *(Column(header=header, decimals=3, best="high") for header in ("R@5", "hit@10", "all@10", "MRR", "nDCG@10")),
        Column(header="leak@10", decimals=3, best="low"),
        Column(header="n"),
    )
    names = ("recall@5", "hit@10", "all@10", "mrr", "ndcg@10", "leak@10", "measured")
    notes = (_distance_note("randomisation test"), *_ceiling_note(board))
    return _standing_table("Retrieval", board, "recall@10", columns, names, notes)


def accuracy_table(board: Leaderboard) -> Table:
    """What was answered: accuracy over the `n` scored questions, and what it hides."""
    columns = (
        *_standing_columns("accuracy", decimals=1, percent=True),
        Column(header="n"),
        Column(header="unscored"),
        Column(header="open"),
        Column(header="strict", decimals=1, percent=True, best="high"),
        Column(header="false abst.", decimals=1, percent=True, best="low"),
        Column(header="abst.", decimals=1, percent=True, best="high"),
    )
    names = (
        *("scored", "unscored", "unanswered"),
        *("published_accuracy", "false_abstention_rate", "abstention_accuracy"),
    )
    notes = (
        _distance_note("exact McNemar test"),
        "open: without an answer or a verdict so far; strict: as the published scripts of GroupMemBench count",
        "false abst.: answerable questions answered by no information; abst.: accuracy on those that have no answer",
    )
    return _standing_table("Accuracy, %", board, "accuracy", columns, names, notes)


def scores_table(board: Leaderboard) -> Table:
    """Means of the further measures that the benchmark gives an answer, each over the `n` questions that have it."""
    totals = board.scores.filter((pl.col("unit") == TOTAL) & (pl.col("category") == TOTAL))
    names = totals["score"].unique(maintain_order=True).to_list()
    found = {(row["system"], row["score"]): (row["mean"], row["questions"]) for row in totals.to_dicts()}
    pairs = [(Column(header=name, decimals=3, best="high"), Column(header="n")) for name in names]

    def values(standing: Standing) -> Row:
        means = (found.get((standing["system"], name), (None, 0)) for name in names)
        return (row_name(standing), *(value for pair in means for value in pair))

    sections = tuple(sections_of(board.standings["accuracy"], values))
    return Table(title="Scores of answers", columns=(SYSTEM, *(c for pair in pairs for c in pair)), sections=sections)


def _standing_columns(header: str, *, decimals: int, percent: bool) -> tuple[Column, ...]:
    return (
        Column(header="#"),
        SYSTEM,
        Column(header=header, decimals=decimals, percent=percent, best="high"),
        Column(header="95 %", decimals=decimals, percent=percent),
        Column(header="p"),
    )


def breakdown_tables(board: Leaderboard, metric: str, by: By) -> list[Table]:
    """One metric by category or unit, those left out on which it was measured for no system (recall of abstention
    questions); no table where fewer than two are left."""
    rows = board.select(unit=TOTAL) if by == "category" else board.select(category=TOTAL)
    measured = set(rows.filter(pl.col(metric).is_not_null())[by])
    found = [name for name in (board.categories if by == "category" else board.units) if name in measured]
    if len(found) < 2:
        return []
    names = (*found, TOTAL)
    percent = metric == "accuracy"
    measures = (Column(header=name, decimals=1 if percent else 3, percent=percent, best="high") for name in names)

    def values(standing: Standing) -> Row:
        of_system = rows.filter(pl.col("system") == standing["system"])
        return (row_name(standing), *_by_name(of_system, by, metric, names))

    sections = list(sections_of(board.standings.get(metric, board.standings["recall@10"]), values))
    if metric == "recall@10" and _mean_ceiling(board) < 1:
        first = rows.filter(pl.col("system") == rows["system"].first())
        sections.append(Section(title="at most", rows=(("ceiling", *_by_name(first, by, CEILING, names)),)))
    title = f"{'Accuracy, %' if percent else metric} by {by}"
    return [Table(title=title, columns=(SYSTEM, *measures), sections=tuple(sections))]


def errata_table(board: Leaderboard) -> Table:
    """Both scores, where the gold of some questions is known to be wrong."""
    metrics = ("recall@10", "accuracy") if board.answered else ("recall@10",)
    names = tuple(name for metric in metrics for name in (metric, f"{metric}{WITHOUT_BAD}"))
    headers = tuple(f"{metric} {which}" for metric in metrics for which in ("all", "without"))
    columns = (SYSTEM, *(Column(header=header, decimals=3) for header in headers))

    def values(standing: Standing) -> Row:
        total = board.total(standing["system"])
        return (row_name(standing), *(total[name] for name in names))

    count: int = board.total(board.rows["system"][0])["known_bad"]
    return Table(
        title=f"Without {counted(count, 'question')} of wrong gold",
        columns=columns,
        sections=tuple(sections_of(board.standings["recall@10"], values)),
        notes=("gold that its source, or --errata, knows to be wrong; they are asked and judged like others",),
    )


def _standing_table(
    title: str,
    board: Leaderboard,
    metric: str,
    columns: tuple[Column, ...],
    names: tuple[str, ...],
    notes: tuple[str, ...],
) -> Table:
    """Rank, system, value, interval and distance from the first, and then further figures of the summary."""

    def values(standing: Standing) -> Row:
        total = board.total(standing["system"])
        interval = None if standing["low"] is None else (standing["low"], standing["high"])
        measured = (standing["value"], interval, write_p(standing["p_first"]))
        return (standing["rank"], row_name(standing), *measured, *(total[name] for name in names))

    sections = tuple(sections_of(board.standings[metric], values))
    return Table(title=title, columns=columns, sections=sections, notes=notes, keys=2)


def _by_name(rows: pl.DataFrame, by: By, metric: str, names: Iterable[str]) -> tuple[Value, ...]:
    found: dict[str, Value] = dict(rows.select(by, metric).iter_rows())
    return tuple(found.get(name) for name in names)


def _mean_ceiling(board: Leaderboard) -> float:
    """The mean ceiling of recall@10 over all questions with evidence; 1 where there are none."""
    found = board.select(unit=TOTAL, category=TOTAL)[CEILING].drop_nulls()
    return float(found[0]) if len(found) else 1.0


def _ceiling_note(board: Leaderboard) -> list[str]:
    ceiling = _mean_ceiling(board)
    return [f"R@10 can reach {ceiling:.3f}: some questions have more than 10 gold messages"] if ceiling < 1 else []


def _distance_note(test: str) -> str:
    return f"p: difference from the first row on the same questions, {test}, adjusted by Holm"
