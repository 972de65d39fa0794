"""The tables of a leaderboard. Each answers one question; none is wider than a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import polars as pl

from groupmem.lab.reports.frames import CEILING, TOTAL, VALUE
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.standings import GROUPS
from groupmem.lab.reports.summary import WITHOUT_BAD
from groupmem.lab.reports.table import Column, Row, Section, Table, Value, counted, write_p
from groupmem.lab.reports.usage import usage_by_system

By = Literal["category", "unit"]
Standing = dict[str, Any]
"""One row of `standings`."""

_SYSTEM = Column(header="system", text=True)
_MEGABYTE = 1_000_000


def board_tables(board: Leaderboard, by: By = "category") -> list[Table]:
    """All tables of a report, those that have nothing to show left out."""
    tables = [retrieval_table(board), *breakdown_tables(board, "recall@10", by)]
    answerable = board.rows.filter((pl.col("category") != TOTAL) & (pl.col("with_evidence") > 0))
    if answerable["with_value"].sum():
        tables += breakdown_tables(board, VALUE, by)
    if board.answered:
        tables = [accuracy_table(board), *breakdown_tables(board, "accuracy", by), *tables]
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


def _standing_columns(header: str, *, decimals: int, percent: bool) -> tuple[Column, ...]:
    return (
        Column(header="#"),
        _SYSTEM,
        Column(header=header, decimals=decimals, percent=percent, best="high"),
        Column(header="95 %", decimals=decimals, percent=percent),
        Column(header="p"),
    )


def breakdown_tables(board: Leaderboard, metric: str, by: By) -> list[Table]:
    """One metric by category or unit; no table where there is only one of them."""
    found = board.categories if by == "category" else board.units
    if len(found) < 2:
        return []
    names = (*found, TOTAL)
    rows = board.select(unit=TOTAL) if by == "category" else board.select(category=TOTAL)
    percent = metric == "accuracy"
    measures = (Column(header=name, decimals=1 if percent else 3, percent=percent, best="high") for name in names)

    def values(standing: Standing) -> Row:
        of_system = rows.filter(pl.col("system") == standing["system"])
        return (row_name(standing), *_by_name(of_system, by, metric, names))

    sections = list(_sections(board.standings.get(metric, board.standings["recall@10"]), values))
    if metric == "recall@10" and _mean_ceiling(board) < 1:
        first = rows.filter(pl.col("system") == rows["system"].first())
        sections.append(Section(title="at most", rows=(("ceiling", *_by_name(first, by, CEILING, names)),)))
    title = f"{'Accuracy, %' if percent else metric} by {by}"
    return [Table(title=title, columns=(_SYSTEM, *measures), sections=tuple(sections))]


def errata_table(board: Leaderboard) -> Table:
    """Both scores, where the gold of some questions is known to be wrong."""
    metrics = ("recall@10", "accuracy") if board.answered else ("recall@10",)
    names = tuple(name for metric in metrics for name in (metric, f"{metric}{WITHOUT_BAD}"))
    headers = tuple(f"{metric} {which}" for metric in metrics for which in ("all", "without"))
    columns = (_SYSTEM, *(Column(header=header, decimals=3) for header in headers))

    def values(standing: Standing) -> Row:
        total = board.total(standing["system"])
        return (row_name(standing), *(total[name] for name in names))

    count: int = board.total(board.rows["system"][0])["known_bad"]
    return Table(
        title=f"Without {counted(count, 'question')} of wrong gold",
        columns=columns,
        sections=tuple(_sections(board.standings["recall@10"], values)),
        notes=("gold that its source, or --errata, knows to be wrong; they are asked and judged like others",),
    )


def effort_table(board: Leaderboard) -> Table:
    """What a system took and gave: time, space, and the context it filled."""
    columns = (
        _SYSTEM,
        Column(header="messages"),
        Column(header="ingest s", decimals=2, best="low"),
        Column(header="store MB", decimals=2, best="low"),
        Column(header="p50 ms", decimals=2, best="low"),
        Column(header="p95 ms", decimals=2, best="low"),
        Column(header="context tokens", decimals=0),
        Column(header="hidden ids", decimals=2, best="low"),
    )
    cells = board.cells.filter(pl.col("status") != "failed").group_by("system", maintain_order=True)
    sums = {
        row["system"]: row for row in cells.agg(pl.col("messages", "ingest_seconds", "store_bytes").sum()).to_dicts()
    }

    def values(standing: Standing) -> Row:
        total, cell = board.total(standing["system"]), sums.get(standing["system"])
        return (
            row_name(standing),
            *((cell["messages"], cell["ingest_seconds"], cell["store_bytes"] / _MEGABYTE) if cell else (None,) * 3),
            *(total[name] for name in ("recall_p50_ms", "recall_p95_ms", "context_tokens", "hidden")),
        )

    notes = ("context tokens and hidden ids (that the asker may not read): mean a question; p50, p95: of recall",)
    sections = tuple(_sections(board.standings["recall@10"], values))
    return Table(title="Time and size", columns=columns, sections=sections, notes=notes)


def usage_table(board: Leaderboard) -> Table:
    """What the model calls of each system came to, by phase."""
    counts = ("calls", "failed_calls", "cached_calls", "input_tokens", "output_tokens")
    headers = ("calls", "failed", "cached", "tokens in", "tokens out")
    columns = (
        _SYSTEM,
        Column(header="phase", text=True),
        *(Column(header=header) for header in headers),
        Column(header="cost $", decimals=4),
        Column(header="paid $", decimals=4),
    )
    rows = tuple(
        (row["system"], row["phase"], *(row[name] for name in (*counts, "cost_usd", "paid_usd")))
        for row in usage_by_system(board.usage).iter_rows(named=True)
    )
    notes = ("cost: at list price, cached replies too; paid: new money; a dash where a provider did not say",)
    return Table(title="Model use", columns=columns, sections=(Section(title="", rows=rows),), notes=notes, keys=2)


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

    sections = tuple(_sections(board.standings[metric], values))
    return Table(title=title, columns=columns, sections=sections, notes=notes, keys=2)


def _sections(standings: pl.DataFrame, values: Callable[[Standing], Row]) -> Iterator[Section]:
    """The groups apart, and within the groups those that are not complete: their questions are not the same."""
    complete = pl.col("status") == "complete"
    for group in GROUPS:
        of_group = standings.filter(pl.col("group") == group)
        for title, rows in ((group, of_group.filter(complete)), (f"{group}, not complete", of_group.filter(~complete))):
            if not rows.is_empty():
                shown = tuple(values(row) for row in rows.iter_rows(named=True))
                yield Section(title=title, rows=shown, comparable=title == GROUPS[0])


def _by_name(rows: pl.DataFrame, by: By, metric: str, names: Iterable[str]) -> tuple[Value, ...]:
    found: dict[str, Value] = dict(rows.select(by, metric).iter_rows())
    return tuple(found.get(name) for name in names)


def row_name(standing: Standing) -> str:
    """The system, with its status where it is not complete."""
    status = standing["status"]
    return str(standing["system"]) if status == "complete" else f"{standing['system']} ({status})"


def _mean_ceiling(board: Leaderboard) -> float:
    """The mean ceiling of recall@10 over all questions with evidence; 1 where there are none."""
    found = board.select(unit=TOTAL, category=TOTAL)[CEILING].drop_nulls()
    return float(found[0]) if len(found) else 1.0


def _ceiling_note(board: Leaderboard) -> list[str]:
    ceiling = _mean_ceiling(board)
    return [f"R@10 can reach {ceiling:.3f}: some questions have more than 10 gold messages"] if ceiling < 1 else []


def _distance_note(test: str) -> str:
    return f"p: difference from the first row on the same questions, {test}, adjusted by Holm"
