"""What a report prints as JSON. Null is not measured; it is never 0. docs/reports.md describes every field."""

from __future__ import annotations

from typing import Any

import msgspec

from groupmem.lab.measures import RETRIEVAL_MEASURES
from groupmem.lab.records import RunFolder
from groupmem.lab.reports.frames import VALUE, read_frames
from groupmem.lab.reports.leaderboard import Leaderboard
from groupmem.lab.reports.summary import WITHOUT_BAD, summarise


def run_object(folder: RunFolder) -> dict[str, Any]:
    """The object of `groupmem run --json`: the folder, and one row a unit, system and category, and over all of them.

    Raises InputError for a folder that is no run.
    """
    frames = read_frames(folder)
    rows = summarise(frames).iter_rows(named=True)
    name, answered, marked = frames.record.benchmark.name, frames.answering, bool(frames.questions["known_bad"].any())
    return {
        "run": str(folder.path),
        "rows": [_run_row(row, name, answered=answered, marked=marked) for row in rows],
    }


def report_object(board: Leaderboard) -> dict[str, Any]:
    """The object of `groupmem report --json`: all that the tables are made from."""
    record = board.record
    return {
        "run": board.run,
        "invalid": board.invalid,
        "spec": msgspec.to_builtins(record.spec),
        "benchmark": {
            name: getattr(record.benchmark, name) for name in ("name", "title", "revision", "licence", "source")
        },
        "data": {"status": record.data.status, "files": dict(record.data.files)},
        "repairs": len(record.repairs),
        "notices": [msgspec.to_builtins(notice) for notice in board.notices],
        "standings": {metric: frame.to_dicts() for metric, frame in board.standings.items()},
        "rows": [_with_interval(row) for row in board.rows.iter_rows(named=True)],
        "scores": board.scores.to_dicts(),
        "cells": board.cells.to_dicts(),
        "usage": board.usage.to_dicts(),
    }


def _run_row(row: dict[str, Any], benchmark: str, *, answered: bool, marked: bool) -> dict[str, Any]:
    """`marked`: the run has questions whose gold is known to be wrong, so both scores are shown."""
    bad = ("known_bad", f"recall@10{WITHOUT_BAD}") if marked else ()
    names = ("unit", "system", "category", "status", "questions", "with_evidence", *RETRIEVAL_MEASURES, VALUE, *bad)
    shown = {"benchmark": benchmark} | {name: row[name] for name in names}
    if answered:
        shown |= {name: _with_interval(row)[name] for name in ("accuracy", "interval", "scored", "unscored")}
    if answered and marked:
        shown[f"accuracy{WITHOUT_BAD}"] = row[f"accuracy{WITHOUT_BAD}"]
    return shown


def _with_interval(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the two ends of the interval as one list."""
    low, high = row["accuracy_low"], row["accuracy_high"]
    rest = {name: value for name, value in row.items() if name not in ("accuracy_low", "accuracy_high")}
    return rest | {"interval": None if low is None else [low, high]}
