"""The tables of what the work took: time, size, model use."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from groupmem.lab.reports.grouping import SYSTEM, Standing, row_name, sections_of
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.table import Column, Row, Section, Table, Value, counted, write_value
from groupmem.lab.reports.usage import usage_by_system

MARK = "*"
_MEGABYTE = 1_000_000
_TIME = Column(header="", decimals=2)


def effort_table(board: Leaderboard) -> Table:
    """What a system took and gave: time, space, and the context it filled."""
    columns = (
        SYSTEM,
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

    hurried = _served_from_cache(board)

    def values(standing: Standing) -> Row:
        system = standing["system"]
        total, cell = board.total(system), sums.get(system)
        seconds = _marked(cell["ingest_seconds"] if cell else None, (system, "ingest") in hurried)
        quantiles = (total["recall_p50_ms"], total["recall_p95_ms"])
        return (
            row_name(standing),
            *((cell["messages"], seconds, cell["store_bytes"] / _MEGABYTE) if cell else (None,) * 3),
            *(_marked(value, (system, "recall") in hurried) for value in quantiles),
            *(total[name] for name in ("context_tokens", "hidden")),
        )

    sections = tuple(sections_of(board.standings["recall@10"], values))
    notes = [
        "context tokens and hidden ids (that the asker may not read): mean a question; p50, p95: of recall",
        f"{MARK}: with replies of models that came from the cache; without it, it takes longer",
    ]
    marked = any(str(value).endswith(MARK) for section in sections for row in section.rows for value in row[1:])
    shown = (*(notes if marked else notes[:1]), *reuse_notes(board))
    return Table(title="Time and size", columns=columns, sections=sections, notes=shown)


def reuse_notes(board: Leaderboard) -> Iterator[str]:
    """Which systems were given ingests that earlier runs paid for."""
    for system, count in _reused(board).group_by("system", maintain_order=True).len().iter_rows():
        yield f"{system}: {counted(count, 'ingest')} of earlier runs, with their seconds and calls; nothing paid again"


def _served_from_cache(board: Leaderboard) -> set[tuple[str, str]]:
    """(system, phase) of which a model call was answered from the cache, so that its time is not its own. An ingest
    that was reused has the time that it took."""
    cached = board.usage.filter(pl.col("cached_calls") > 0)
    reused = _reused(board).with_columns(phase=pl.lit("ingest"))
    return set(cached.join(reused, on=("unit", "system", "phase"), how="anti").select("system", "phase").rows())


def _reused(board: Leaderboard) -> pl.DataFrame:
    """Unit and system of the cells whose ingest was kept before."""
    return board.cells.filter(pl.col("ingest_reused").fill_null(False)).select("unit", "system")


def _marked(value: float | None, marked: bool) -> Value:
    """A time; one that the cache made short is text, which is never the best of its column."""
    return f"{write_value(value, _TIME)}{MARK}" if marked and value is not None else value


def usage_table(board: Leaderboard) -> Table:
    """What the model calls of each system came to, by phase."""
    counts = ("calls", "failed_calls", "cached_calls", "input_tokens", "output_tokens")
    headers = ("calls", "failed", "cached", "tokens in", "tokens out")
    columns = (
        SYSTEM,
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
