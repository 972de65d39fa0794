"""Writes small runs through RunFolder, as a run writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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

    def answer(
        self, system: str, question: str, text: str, outcome: str | None, *, unit: str = "u1", **scores: float
    ) -> RunBuilder:
        """An answer with the judge's verdict; the outcome may be the reason why it is unscored, or None: not judged."""
        self.folder.append(unit, system, "answers", AnswerLine(question=question, answer=Answer(text=text)))
        if outcome is not None:
            self.folder.append(unit, system, "verdicts", VerdictLine(question=question, grade=grade(outcome, **scores)))
        return self


def grade(outcome: str, **scores: float) -> Grade:
    if outcome in REPLIES:
        return Grade(verdict=Verdict(outcome=outcome, reply=REPLIES[outcome]), scores=scores)  # type: ignore[arg-type]
    reason: UnscoredReason = outcome  # type: ignore[assignment]
    return Grade(verdict=Verdict(outcome="unscored", reason=reason, reply="hm"))


def question(name: str, category: str, evidence: Sequence[str] = (), answer: str | None = "Friday") -> Question:
    return Question(
        id=name, text=f"What about {name}?", answer=answer, category=category, asker="ines", evidence=tuple(evidence)
    )


NOTHING = "There is no information on this."
QUESTIONS = (
    question("q1", "multi_hop", ["m1", "m2"]),
    question("q2", "multi_hop", ["m3"]),
    question("q3", "temporal", ["m4"]),
    question("q4", "temporal", ["m5", "m6", "m7", "m8"]),
    question("q5", "abstention", answer=NOTHING),
    question("q6", "abstention", answer=NOTHING),
)
