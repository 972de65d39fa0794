"""Small runs on disk, whose figures can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_builder import NOTHING, QUESTIONS, RunBuilder

from groupmem.lab.records import RunFolder


@pytest.fixture
def build(tmp_path: Path) -> RunBuilder:
    return RunBuilder(tmp_path / "run")


@pytest.fixture
def retrieval_run(build: RunBuilder) -> RunFolder:
    """Two systems on one unit, and one that failed. `alpha` finds q1 half, q2 at rank 2, q3, half of q4; it shows one
    hidden message on q5. `beta` finds only q2. `gamma` failed on its third question."""
    build.run(["alpha", "beta", "gamma", "oracle"], {"u1": QUESTIONS})
    build.cell("alpha", messages=40, ingest_seconds=0.5, store_bytes=2_000_000)
    build.recall("alpha", "q1", ["m1", "x1"], latency_ms=1.0, context_tokens=10)
    build.recall("alpha", "q2", ["x1", "m3"], latency_ms=2.0, context_tokens=20)
    build.recall("alpha", "q3", ["m4"], latency_ms=3.0, context_tokens=30)
    build.recall("alpha", "q4", ["m5", "m6"], latency_ms=4.0, context_tokens=40)
    build.recall("alpha", "q5", ["x1", "h1"], latency_ms=5.0, context_tokens=50, hidden=("h1",))
    build.recall("alpha", "q6", [], latency_ms=6.0, context_tokens=0)
    build.cell("beta", messages=40, ingest_seconds=0.25)
    for asked in QUESTIONS:
        build.recall("beta", asked.id, ["m3", "x1"])
    build.cell("gamma", status="failed", failure="ValueError: no index")
    build.recall("gamma", "q1", ["m1", "m2"])
    build.cell("oracle", reference=True)
    for asked in QUESTIONS:
        build.recall("oracle", asked.id, asked.evidence)
    return build.folder


@pytest.fixture
def answered_run(build: RunBuilder) -> RunFolder:
    """`alpha`: right, right, wrong, unparsable; refuses q1 (a false abstention, judged right), abstains well on q5 and
    not on q6. `beta` has a provider error, a truncated answer without a verdict, and one question still open."""
    build.run(["alpha", "beta", "no-memory", "chat"], {"u1": QUESTIONS}, reader="scripted:replies.jsonl")
    for system in ("alpha", "beta", "no-memory", "chat"):
        build.cell(
            system,
            status="answered" if system == "beta" else "done",
            reference=system == "no-memory",
            ranked=system != "no-memory",
            answers_by_itself=system == "chat",
        )
        for asked in QUESTIONS:
            build.recall(system, asked.id, asked.evidence[:1])
    outcomes = {"q1": "right", "q2": "right", "q3": "wrong", "q4": "unparsable", "q5": "right", "q6": "wrong"}
    for name, outcome in outcomes.items():
        build.answer("alpha", name, NOTHING if name in ("q1", "q5") else "Friday", outcome)
    build.answer("beta", "q1", "Friday", "right").answer("beta", "q2", "", "provider_error")
    build.answer("beta", "q3", "Monday", None)
    for name in outcomes:
        build.answer("no-memory", name, NOTHING, "right" if name in ("q5", "q6") else "wrong")
        build.answer("chat", name, "Friday", "right" if name == "q1" else "wrong")
    return build.folder
