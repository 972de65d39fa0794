"""docs/reports.md names every column and field that a report prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from groupmem.lab.records import RunFolder
from groupmem.lab.reports import compare_systems, leaderboard, report_object, run_object, to_tsv, view_question

PAGE = (Path(__file__).parents[3] / "docs" / "reports.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"[\w@.]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
NAMED |= {name.split(".")[-1] for name in NAMED} | set(re.findall(r'"(\w+)"', PAGE))


def fields(value: object) -> Iterator[str]:
    """All keys of an object, however deep; those of `spec` and of file and metric names are data."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            if key not in ("spec", "files", "standings"):
                yield from fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner)


@pytest.mark.parametrize("kind", ["run", "report", "standings", "compare", "show"])
def test_every_field_of_every_object_is_documented(answered_run: RunFolder, kind: str) -> None:
    board = leaderboard(answered_run)
    shown = {
        "run": lambda: run_object(answered_run),
        "report": lambda: report_object(board),
        "standings": lambda: list(report_object(board)["standings"].values()),
        "compare": lambda: msgspec.to_builtins(compare_systems(answered_run, "accuracy", "no-memory")),
        "show": lambda: msgspec.to_builtins(view_question(answered_run, "q1")),
    }[kind]()
    found = {name for name in fields(shown) if not name.startswith("unscored_")}
    assert found and not found - NAMED


def test_every_column_of_the_tsv_is_documented(answered_run: RunFolder) -> None:
    columns = to_tsv(leaderboard(answered_run)).splitlines()[0].split("\t")
    assert not {name for name in columns if not name.startswith("unscored_")} - NAMED
