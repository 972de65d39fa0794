"""The run of agentic-graphrag on BEAM that docs/beam.md shows, done again: its figures are those of the page.

`make test-systems` runs it where the package is installed (groupmem systems install agentic-graphrag).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groupmem.lab.records import RunSpec
from groupmem.lab.reports.beam import read_records
from groupmem.lab.runs.engine import RunOptions, run
from groupmem.lab.runs.estimate import make_plan
from groupmem.lab.runs.plan import Plan
from groupmem.lab.runs.prepare import prepare
from groupmem.lab.systems.isolated.adapter import find_adapter
from groupmem.lab.systems.isolated.environment import installed
from groupmem.lab.systems.isolated.official import parts_of
from groupmem.models.prices import Prices

pytestmark = pytest.mark.data
ROOT = Path(__file__).parents[2]
MODEL = f"scripted:{ROOT / 'examples' / 'graph_agent_model.py'}"
PAGE = (ROOT / "docs" / "beam.md").read_text(encoding="utf-8")


def shown(row: str) -> list[float]:
    """The numbers in the last column of a row of the page's table."""
    cells = next(line.split("|") for line in PAGE.splitlines() if line.startswith(f"| {row} |"))
    return [float(number) for number in re.findall(r"\d*\.?\d+", cells[-2])]


class PageRun:
    """The command of the page, with the kept ingests of a test."""

    def __init__(self, data: Path, folder: Path) -> None:
        (options,) = set(re.findall(r"agentic-graphrag:chat=scripted:\S+?\.py,(\S+)", PAGE))
        self._spec = RunSpec(
            benchmark="beam:lite",
            systems=(f"agentic-graphrag:chat={MODEL},{options}",),
            judge=MODEL,
            judge_profile="beam",
        )
        self._data = data
        self._folder = folder
        self._ingests = folder / "ingests"

    def record(self, name: str) -> Any:
        """The record of a run in a folder of this name."""
        options = RunOptions(out=self._folder / name, data_dir=self._data, ingest_cache=self._ingests)
        (found,) = read_records(run(self._spec, options))
        return msgspec.to_builtins(found)

    def planned(self) -> Plan:
        """The plan of a run in a folder that is not there yet."""
        prepared = prepare(self._spec, self._data, planning=True)
        return make_plan(prepared, self._folder / "planned", Prices(), ingest_cache=self._ingests)


@pytest.fixture
def page_run(
    request: pytest.FixtureRequest,
    public_data: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> PageRun:
    if not request.config.getoption("--installed", default=False):
        pytest.skip("only with --installed: it starts a package and a database")
    lacking = [part.name for part in parts_of(find_adapter("agentic-graphrag")) if not installed(part)]
    if lacking:
        pytest.skip(f"not installed: groupmem systems install {' '.join(lacking)}")
    monkeypatch.setattr("groupmem.lab.runs.kept.cell.code_identity", lambda: "this tree")
    return PageRun(public_data("beam").parent, tmp_path)


def test_beam_lite_is_built_searched_and_answered_from_as_the_page_shows(page_run: PageRun) -> None:
    assert (page_run.planned().kept_ingests, page_run.planned().total.calls) == (0, 24)
    record = page_run.record("first")
    (corpus,) = record["corpora"]
    graph = corpus["graph"]
    calls = {path: usage["calls"] for path, usage in record["by_path"].items()}
    assert [corpus["chunks"], corpus["empty_extractions"]] == shown("passages, and those that nothing was found in")
    assert [sum(graph["entities_by_label"].values())] == shown("entities")
    assert [sum(graph["relations_by_type"].values())] == shown("relations")
    assert [calls["extraction"]] == shown("calls of extraction")
    assert [calls["resolution"]] == shown("calls of resolution")
    assert [calls["agent"], *(each["llm_calls"]["answer"] for each in record["questions"])] == shown(
        "calls of the agent: all, by question"
    )
    assert [calls["judge"]] == shown("calls of the judge")
    assert [each["scores"]["score"] for each in record["questions"]] == shown("scores")
    assert {"Session", "Fact", "Measure", "Event", "Topic"} <= set(graph["entities_by_label"])
    assert {"STATED_IN", "HAS_MEASURE", "ABOUT"} == set(graph["relations_by_type"])
    assert record["usage"]["usage_complete"] is True

    plan = page_run.planned()
    assert (plan.kept_ingests, [stage.stage for stage in plan.stages]) == (1, ["answer", "judge"])
    again = page_run.record("again")
    (kept,) = again["corpora"]
    assert (corpus["ingest_cache_hit"], kept["ingest_cache_hit"]) == (False, True)
    assert kept["cache_key"] == corpus["cache_key"]
    for part in ("graph", "chunks", "empty_extractions", "ingest_usage", "ingest_seconds"):
        assert kept[part] == corpus[part]
    assert again["scores"] == record["scores"]
    assert [each["retrieved_ids"] for each in again["questions"]] == [
        each["retrieved_ids"] for each in record["questions"]
    ]
