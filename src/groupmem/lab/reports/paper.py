"""The tables of the GroupMemBench paper: accuracy by type, by domain, and what ingest cost and kept.

Sources: the main table, App. "Per-Domain Accuracy" and App. "Per-Domain Ingestion Cost and Storage". The average of an
accuracy table is over questions, that of an efficiency table over domains, unweighted. What was not measured is a dash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import polars as pl

from groupmem.lab.reports.failures import failure_tables
from groupmem.lab.reports.frames import TOTAL
from groupmem.lab.reports.grouping import SYSTEM, Standing, row_name
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.table import Column, Row, Section, Table, Value
from groupmem.lab.reports.usage import usage_by_system

RETRIEVERS = ("bm25", "bm25-stemmed", "bm25-okapi", "dense", "hybrid", "graphrag")
"""What the paper calls RAG-based; every other memory system is an agent memory."""

FAMILIES = ("RAG-based methods", "agent memory systems", "reference rows")
TYPES = {
    "multi_hop": "multi-hop",
    "knowledge_update": "update",
    "term_ambiguity": "ambiguity",
    "user_implicit": "implicit",
    "temporal": "temporal",
    "abstention": "abstention",
}
"""Category to heading, in the order of the paper's columns; other categories follow under their own names."""

MOST_DOMAINS = 12
"""Units that have a table, or a column, each."""

_GIGABYTE = 1_000_000_000


def paper_tables(board: Leaderboard) -> list[Table]:
    """The main table, one table a domain where there are several, the failure analysis, the efficiency appendix. A set
    of many small units has no domains: of it there are averages."""
    metric = "accuracy" if board.answered else "recall@10"
    domains = board.units if 1 < len(board.units) <= MOST_DOMAINS else ()
    tables = [accuracy_table(board, metric, TOTAL), *(accuracy_table(board, metric, unit) for unit in domains)]
    failures = failure_tables(board) if board.answered else []
    return [*tables, *failures, *_cost_tables(board), storage_table(board), work_table(board)]


def family_of(standing: Standing) -> str:
    """The group of rows that a system stands in."""
    if standing["group"] == "reference rows":
        return FAMILIES[2]
    return FAMILIES[0] if standing["system"].partition(":")[0] in RETRIEVERS else FAMILIES[1]


def accuracy_table(board: Leaderboard, metric: str, unit: str) -> Table:
    """Accuracy (or recall@10, where nobody answered) by question type on one unit, or on all."""
    names = [*(name for name in TYPES if name in board.categories), *(n for n in board.categories if n not in TYPES)]
    shown = [*names, TOTAL]
    percent = metric == "accuracy"
    headers = [*(TYPES.get(name, name) for name in names), "average"]
    rows = board.select(unit=unit)

    def values(standing: Standing) -> Row:
        of_system = rows.filter(pl.col("system") == standing["system"])
        found: dict[str, Value] = dict(of_system.select("category", metric).iter_rows())
        return (_name(board, standing, unit), *(found.get(name) for name in shown))

    what = "Accuracy, %" if percent else "recall@10 (nobody answered)"
    return Table(
        title=f"{what}, by question type{'' if unit == TOTAL else f': {unit}'}",
        columns=(SYSTEM, *(_measure(header, percent) for header in headers)),
        sections=tuple(_sections(board, metric, values)),
        notes=("average: over questions",),
        ranked="together",
    )


def _cost_tables(board: Leaderboard) -> Iterator[Table]:
    """At the prices of the paper, and at those of the models that were called."""
    for name, whose in (("paper_usd", "the list prices of the paper"), ("cost_usd", "the prices of the models called")):
        costs = _by_unit(board.usage.filter(pl.col("phase") == "ingest"), name)
        note = "successful calls of ingest, replies from the cache too; 0 where no model is called; average: over units"
        yield _unit_table(board, f"Ingestion cost, $, at {whose}", partial(_cost, costs), 4, note)


def _cost(costs: Mapping[tuple[str, str], float | None], system: str, unit: str) -> float | None:
    """A cell that made no call cost nothing; one whose price is unknown has none."""
    return costs.get((system, unit), 0.0)


def storage_table(board: Leaderboard) -> Table:
    """Bytes on disk of what each system keeps."""
    sizes = _by_unit(board.cells, "store_bytes")

    def size(system: str, unit: str) -> float | None:
        found = sizes.get((system, unit))
        return None if found is None else found / _GIGABYTE

    return _unit_table(board, "Storage, GB", size, 4, "all files of a store; average: over units")


def work_table(board: Leaderboard) -> Table:
    """What ingest took over all units: calls that succeeded, all that were sent, tokens and time."""
    counts = ("calls", "failed_calls", "input_tokens", "output_tokens")
    ingest = usage_by_system(board.usage).filter(pl.col("phase") == "ingest")
    used = {row["system"]: row for row in ingest.to_dicts()}
    seconds = dict(_begun(board).group_by("system").agg(pl.col("ingest_seconds").sum()).iter_rows())

    def values(standing: Standing) -> Row:
        system = standing["system"]
        if system not in seconds:
            return (row_name(standing), *(None,) * 5)
        found = used.get(system, dict.fromkeys(counts, 0))
        tried = None if None in (found["calls"], found["failed_calls"]) else found["calls"] + found["failed_calls"]
        tokens = (found["input_tokens"], found["output_tokens"])
        return (row_name(standing), found["calls"], tried, *tokens, seconds[system])

    headers = ("successful calls", "with retries", "tokens in", "tokens out")
    columns = (SYSTEM, *(Column(header=header) for header in headers), Column(header="seconds", decimals=1))
    sections = tuple(_sections(board, "recall@10", values))
    return Table(title="Work of ingest, all units", columns=columns, sections=sections)


def _unit_table(
    board: Leaderboard, title: str, value: Callable[[str, str], float | None], decimals: int, note: str
) -> Table:
    """A figure by unit and its unweighted mean, which there is only where every unit has it."""
    begun = set(_begun(board).select("system", "unit").iter_rows())
    shown = len(board.units) if len(board.units) <= MOST_DOMAINS else 0

    def values(standing: Standing) -> Row:
        system = standing["system"]
        found = [value(system, unit) if (system, unit) in begun else None for unit in board.units]
        return (row_name(standing), *found[:shown], _mean(found))

    headers = (*board.units[:shown], "average")
    return Table(
        title=title,
        columns=(SYSTEM, *(Column(header=header, decimals=decimals, best="low") for header in headers)),
        sections=tuple(_sections(board, "recall@10", values)),
        notes=(note,),
        ranked="together",
    )


def _sections(board: Leaderboard, metric: str, values: Callable[[Standing], Row]) -> Iterator[Section]:
    """The families apart, each in the order of the run; rows that are not complete say so and are never the best."""
    order = {system: place for place, system in enumerate(board.cells["system"].unique(maintain_order=True))}
    standings = sorted(board.standings[metric].iter_rows(named=True), key=lambda row: order[row["system"]])
    for family, whole in product(FAMILIES, (True, False)):
        found = [row for row in standings if family_of(row) == family and (row["status"] == "complete") == whole]
        if found:
            title = family if whole else f"{family}, not complete"
            comparable = whole and family != FAMILIES[2]
            yield Section(title=title, rows=tuple(values(row) for row in found), comparable=comparable)


def _name(board: Leaderboard, standing: Standing, unit: str) -> str:
    """The system, with the status of its cell on this unit where that is not complete."""
    rows = board.select(unit=unit, category=TOTAL).filter(pl.col("system") == standing["system"])
    return row_name({**standing, "status": rows["status"].first()}) if len(rows) else row_name(standing)


def _begun(board: Leaderboard) -> pl.DataFrame:
    """The cells whose work is known: begun, and not failed."""
    return board.cells.filter(~pl.col("status").is_in(["missing", "failed"]))


def _by_unit(frame: pl.DataFrame, name: str) -> dict[tuple[str, str], float | None]:
    return {(system, unit): value for system, unit, value in frame.select("system", "unit", name).iter_rows()}


def _measure(header: str, percent: bool) -> Column:
    return Column(header=header, decimals=2 if percent else 3, percent=percent, best="high")


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
