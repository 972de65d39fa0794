"""A small run on disk, written through RunFolder as a run writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState, Grade, Repair
from groupmem.lab.records import AnswerLine, CellRecord, RecalledLine, RunFolder, RunRecord, RunSpec, VerdictLine
from groupmem.types import Answer, Passage, Question, UnscoredReason, Verdict

REPLIES = {"right": "It says so.\nFinal: Correct", "wrong": "It does not.\nFinal: Incorrect"}


class RunBuilder:
    """Writes a run folder. Every method is one kind of line, so that a test shows nothing but what it is about."""

    def __init__(self, path: Path) -> None:
        self.folder = RunFolder(path)

    def run(
        self,
        systems: Sequence[str],
        questions: Mapping[str, Sequence[Question]],
        *,
        reader: str | None = None,
        status: str = "bundled",
        profile: str = "verdict",
        warnings: tuple[str, ...] = (),
        repairs: tuple[Repair, ...] = (),
        name: str = "sample",
    ) -> RunBuilder:
        record = RunRecord(
            spec=RunSpec(benchmark=name, systems=tuple(systems), reader=reader, judge=reader),
            benchmark=BenchmarkMetadata(
                name=name,
                title="A sample",
                licence="Apache-2.0",
                source="groupmem",
                revision="1",
                citation="none",
                profile=profile,  # type: ignore[arg-type]
            ),
            data=DataState(status=status, files={"sample.jsonl": "ab" * 32}),  # type: ignore[arg-type]
            created_at="2026-01-02T03:04:05Z",
            groupmem_version="0.1.0",
            python="3.11",
            warnings=warnings,
            repairs=repairs,
            units=tuple(questions),
        )
        self.folder.write_run(record)
        for unit, asked in questions.items():
            self.folder.write_questions(unit, tuple(asked))
        return self

    def cell(self, system: str, *, unit: str = "u1", status: str = "done", **fields: object) -> RunBuilder:
        self.folder.write_cell(CellRecord(unit=unit, system=system, status=status, **fields))  # type: ignore[arg-type]
        return self

    def recall(
        self,
        system: str,
        question: str,
        ids: Sequence[str],
        *,
        unit: str = "u1",
        latency_ms: float = 1.0,
        context_tokens: int = 100,
        hidden: tuple[str, ...] = (),
        truncated: int = 0,
    ) -> RunBuilder:
        line = RecalledLine(
            question=question,
            passages=tuple(Passage(text=f"text of {found}", source_ids=(found,), author="ines") for found in ids),
            latency_ms=latency_ms,
            context_tokens=context_tokens,
            hidden=hidden,
            truncated=truncated,
        )
        self.folder.append(unit, system, "recalled", line)
        return self

    def answer(self, system: str, question: str, text: str, outcome: str | None, *, unit: str = "u1") -> RunBuilder:
        """An answer with the judge's verdict; the outcome may be the reason why it is unscored, or None: not judged."""
        self.folder.append(unit, system, "answers", AnswerLine(question=question, answer=Answer(text=text)))
        if outcome is not None:
            self.folder.append(unit, system, "verdicts", VerdictLine(question=question, grade=grade(outcome)))
        return self


def grade(outcome: str) -> Grade:
    if outcome in REPLIES:
        return Grade(verdict=Verdict(outcome=outcome, reply=REPLIES[outcome]))  # type: ignore[arg-type]
    reason: UnscoredReason = outcome  # type: ignore[assignment]
    return Grade(verdict=Verdict(outcome="unscored", reason=reason, reply="hm"))


def question(name: str, category: str, evidence: Sequence[str] = (), answer: str | None = "Friday") -> Question:
    return Question(
        id=name, text=f"What about {name}?", answer=answer, category=category, asker="ines", evidence=tuple(evidence)
    )


@pytest.fixture
def build(tmp_path: Path) -> RunBuilder:
    return RunBuilder(tmp_path / "run")


NOTHING = "There is no information on this."
QUESTIONS = (
    question("q1", "multi_hop", ["m1", "m2"]),
    question("q2", "multi_hop", ["m3"]),
    question("q3", "temporal", ["m4"]),
    question("q4", "temporal", ["m5", "m6", "m7", "m8"]),
    question("q5", "abstention", answer=NOTHING),
    question("q6", "abstention", answer=NOTHING),
)


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
