"""Order, intervals and distances of the rows."""

from __future__ import annotations

import polars as pl
import pytest
from run_builder import RunBuilder, question

from groupmem.lab.records import KeptIngest, RunFolder
from groupmem.lab.reports.frames import read_frames
from groupmem.lab.reports.leaderboard import leaderboard
from groupmem.lab.reports.statistics import compare_values, holm, mean_interval
from groupmem.lab.reports.table import marks
from groupmem.lab.reports.usage import read_usage, usage_by_system
from groupmem.lab.reports.work import effort_table
from groupmem.models.base import Account
from groupmem.models.calllog import CallLog, CallRow
from groupmem.types import Usage


def test_groups_are_ranked_apart_and_only_complete_rows_have_a_rank(answered_run: RunFolder) -> None:
    order = leaderboard(answered_run).standings["accuracy"].select("system", "group", "status", "rank").rows()
    assert order == [
        ("alpha", "systems", "complete", 1),
        ("beta", "systems", "incomplete", None),
        ("chat", "own answers", "complete", 1),
        ("no-memory", "reference rows", "complete", 1),
    ]


def test_equal_values_share_a_rank(build: RunBuilder) -> None:
    build.run(["a", "b", "c", "d"], {"u1": [question("q1", "x", ["m1"]), question("q2", "x", ["m2"])]})
    for system, found in {"a": [], "b": ["m1"], "c": ["m1", "m2"], "d": ["m1"]}.items():
        build.cell(system).recall(system, "q1", found).recall(system, "q2", found)
    ranks = leaderboard(build.folder).standings["recall@10"].select("system", "rank").rows()
    assert ranks == [("c", 1), ("b", 2), ("d", 2), ("a", 4)]


def test_intervals_and_distances_from_the_first(build: RunBuilder) -> None:
    names = [f"q{number}" for number in range(12)]
    build.run(["far", "first", "near", "oracle"], {"u1": [question(name, "x", [name]) for name in names]})
    right = {"first": 11, "near": 9, "far": 1, "oracle": 12}
    for system, count in right.items():
        build.cell(system, reference=system == "oracle")
        for name in names:
            build.recall(system, name, [name] if int(name[1:]) < count else ["x"])
    board = leaderboard(build.folder).standings["recall@10"]
    values = {system: [1.0] * count + [0.0] * (12 - count) for system, count in right.items()}
    near, far = (compare_values(values["first"], values[system]).p for system in ("near", "far"))
    expected = {"first": None, **dict(zip(("near", "far"), holm([near, far]), strict=True)), "oracle": None}
    found = dict(board.select("system", "p_first").rows())
    assert {system: p and pytest.approx(p) for system, p in expected.items()} == found
    first = board.row(by_predicate=pl.col("system") == "first", named=True)
    assert (first["low"], first["high"]) == mean_interval(values["first"])


def add_call(log: CallLog, cell: str, phase: str, *, cost_usd: float | None = 0.0, cached: bool = False) -> None:
    log.add(
        CallRow(
            account=Account(run="r", cell=cell, phase=phase),  # type: ignore[arg-type]
            kind="chat",
            model="m",
            base_url="http://127.0.0.1",
            request_hash=f"{cell}{phase}{cost_usd}{cached}",
            cached=cached,
            usage=Usage(calls=1, input_tokens=100, output_tokens=10, cost_usd=cost_usd),
            paid_usd=0.0 if cached else cost_usd,
        )
    )


def test_usage_is_summed_by_cell_and_phase(build: RunBuilder) -> None:
    build.run(["alpha", "beta"], {"u1": [question("q", "x")], "u2": [question("q", "x")]})
    log = CallLog(build.folder.calls_path)
    add_call(log, "u1/alpha", "answer", cost_usd=0.25)
    add_call(log, "u1/alpha", "answer", cost_usd=0.5, cached=True)
    add_call(log, "u2/alpha", "answer", cost_usd=1.0)
    add_call(log, "u1/beta", "judge", cost_usd=0.25)
    add_call(log, "u2/beta", "judge", cost_usd=None)
    log.close()
    usage = read_usage(build.folder, read_frames(build.folder))
    assert usage.select("unit", "system", "phase", "calls", "cached_calls", "cost_usd", "paid_usd").rows() == [
        ("u1", "alpha", "answer", 2, 1, 0.75, 0.25),
        ("u1", "beta", "judge", 1, 0, 0.25, 0.25),
        ("u2", "alpha", "answer", 1, 0, 1.0, 1.0),
        ("u2", "beta", "judge", 1, 0, None, None),
    ]
    # A cost that one provider did not say makes the sum unknown, not smaller.
    assert usage_by_system(usage).select("system", "calls", "input_tokens", "cost_usd", "paid_usd").rows() == [
        ("alpha", 3, 300, 1.75, 1.25),
        ("beta", 2, 200, None, None),
    ]


def test_times_that_the_cache_made_short_are_marked_and_never_the_best(build: RunBuilder) -> None:
    build.run(["own", "served", "none"], {"u1": [question("q", "x", ["m"])]})
    for system, seconds in (("own", 4.0), ("served", 1.0), ("none", 2.0)):
        build.cell(system, ingest_seconds=seconds).recall(system, "q", ["m"], latency_ms=8.0)
    log = CallLog(build.folder.calls_path)
    add_call(log, "u1/own", "ingest")
    add_call(log, "u1/served", "ingest", cached=True)
    add_call(log, "u1/served", "recall", cached=True)
    log.close()
    table = effort_table(leaderboard(build.folder))
    shown = {row[0]: (row[2], *row[4:6]) for row in table.rows()}
    assert shown == {"own": (4.0, 8.0, 8.0), "served": ("1.00*", "8.00*", "8.00*"), "none": (2.0, 8.0, 8.0)}
    assert marks(table, table.sections[0])[2].best == 2.0
    assert table.notes[1].startswith("*: ")


def test_an_ingest_that_was_reused_has_the_time_that_it_took_and_a_note(build: RunBuilder) -> None:
    kept = KeptIngest(key="k", made_at="2026-01-02T03:04:05Z", reused=True)
    build.run(["own", "again"], {"u1": [question("q", "x", ["m"])]})
    build.cell("own", ingest_seconds=4.0).recall("own", "q", ["m"], latency_ms=8.0)
    build.cell("again", ingest_seconds=3.0, kept_ingest=kept).recall("again", "q", ["m"], latency_ms=8.0)
    log = CallLog(build.folder.calls_path)
    add_call(log, "u1/own", "ingest")
    add_call(log, "u1/again", "ingest", cached=True)
    log.close()
    table = effort_table(leaderboard(build.folder))
    assert {row[0]: row[2] for row in table.rows()} == {"own": 4.0, "again": 3.0}
    assert table.notes[1:] == ("again: 1 ingest of earlier runs, with their seconds and calls; nothing paid again",)


def test_a_run_without_calls_has_no_usage(retrieval_run: RunFolder) -> None:
    assert leaderboard(retrieval_run).usage.is_empty()
    assert len(effort_table(leaderboard(retrieval_run)).notes) == 1
    assert not retrieval_run.calls_path.exists()
