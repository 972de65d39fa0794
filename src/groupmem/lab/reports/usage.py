"""What the model calls of a run came to, by cell and phase, from the call log in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from groupmem.lab.names import cell_name
from groupmem.lab.records import RunFolder
from groupmem.lab.reports.frames import RunFrames, tell_apart
from groupmem.models.calllog import CallLog, Kind, Totals
from groupmem.models.prices import Prices
from groupmem.models.targets import Target

PHASES = ("ingest", "recall", "answer", "judge")

USAGE_SCHEMA = {
    "unit": pl.String,
    "system": pl.String,
    "phase": pl.String,
    "calls": pl.Int64,
    "failed_calls": pl.Int64,
    "cached_calls": pl.Int64,
    "input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "cost_usd": pl.Float64,
    "paid_usd": pl.Float64,
    "paper_usd": pl.Float64,
}

PAPER_MODELS: Mapping[Kind, str] = {"chat": "gpt-4o-mini", "embedding": "text-embedding-3-large"}
"""The models whose list prices GroupMemBench counts with (App. "Per-Domain Ingestion Cost and Storage")."""

_PRICES = Prices()
_TARGETS = [Target(name=name, model=name, runs=name, base_url="list price") for name in PAPER_MODELS.values()]


def read_usage(folder: RunFolder, frames: RunFrames) -> pl.DataFrame:
    """One row for every cell and phase that made a call. Tokens and costs that a provider did not say are null.

    `calls` are replies, from the cache too; `cost_usd` is what they cost at list price, `paid_usd` what was newly paid,
    `paper_usd` what the same tokens cost at the prices of the GroupMemBench paper, whatever models were called.
    """
    rows: list[dict[str, Any]] = []
    if folder.calls_path.is_file():
        log = CallLog(folder.calls_path, read_only=True)
        try:
            for unit in frames.record.units:
                for system in frames.systems:
                    rows += _cell_rows(
                        log, cell_name(unit, system), tell_apart(unit, frames.record.units, "unit"), system
                    )
        finally:
            log.close()
    return pl.DataFrame(rows, schema=USAGE_SCHEMA)


def usage_by_system(usage: pl.DataFrame) -> pl.DataFrame:
    """Sums over the units: system, phase and the figures. A sum with an unknown in it is unknown, not smaller."""
    figures = [name for name in USAGE_SCHEMA if name not in ("unit", "system", "phase")]
    return usage.group_by("system", "phase", maintain_order=True).agg(
        pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()).alias(name) for name in figures
    )


def _cell_rows(log: CallLog, cell: str, unit: str, system: str) -> list[dict[str, Any]]:
    rows = []
    for phase in PHASES:
        totals = log.totals(cell=cell, phase=phase)
        if totals.usage.calls or totals.failed_calls:
            figures = _figures(totals) | {"paper_usd": _paper_usd(log, cell, phase)}
            rows.append({"unit": unit, "system": system, "phase": phase} | figures)
    return rows


def _figures(totals: Totals) -> dict[str, int | float | None]:
    return {
        "calls": totals.usage.calls,
        "failed_calls": totals.failed_calls,
        "cached_calls": totals.cached_calls,
        "input_tokens": totals.usage.input_tokens,
        "output_tokens": totals.usage.output_tokens,
        "cost_usd": totals.usage.cost_usd,
        "paid_usd": totals.paid_usd,
    }


def _paper_usd(log: CallLog, cell: str, phase: str) -> float | None:
    usages = (log.totals(cell=cell, phase=phase, kind=kind).usage for kind in PAPER_MODELS)
    costs = [_PRICES.cost_usd(target, usage) for target, usage in zip(_TARGETS, usages, strict=True)]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
