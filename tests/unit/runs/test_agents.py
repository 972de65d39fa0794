"""Rows of agents that a benchmark has figures of: what is left of their work, and the cap that they are held to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from run_fixtures import HeldUnit, conversation, question

from groupmem.lab.benchmarks.base import Grade
from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.records import AnswerLine, CellRecord, RecalledLine, RunFolder, VerdictLine
from groupmem.lab.runs.agents import agent_cells, agent_loads, is_agent, spend_cap
from groupmem.lab.runs.plan import Caps
from groupmem.lab.runs.unit import RunUnit
from groupmem.models.budget import SpendCap
from groupmem.types import Answer, Verdict

SYSTEM = "walker:chat=openai:gpt-5-mini"
QUESTIONS = tuple(question(f"q{n}") for n in range(3))


class Known:
    """A benchmark that knows one agent."""

    def agent_caps(self, system: str) -> AgentCaps | None:
        return AgentCaps(calls=10, tokens=1_000) if system == "walker" else None

    def agent_loads(self, system: str, held: Any) -> AgentLoads | None:
        chunks = len(held.messages)
        return AgentLoads(
            chunks=chunks,
            ingest=Load(calls=2 * chunks, input_tokens=20 * chunks),
            answer=Load(calls=3, input_tokens=30),
            judge=Load(calls=1, input_tokens=5, output_tokens=1),
        )


BENCHMARK: Any = Known()


def loads(folder: RunFolder, judge: str | None = None, *, kept: bool = False) -> dict[str, tuple[str, int, int]]:
    unit = RunUnit(HeldUnit("small", conversation(4), QUESTIONS), QUESTIONS)
    cells = list(agent_cells(BENCHMARK, (SYSTEM, "bm25"), (unit,), folder, lambda *_: kept))
    assert [(cell.system, cell.loads.chunks) for cell in cells] == [(SYSTEM, 4)]
    return {
        found.stage: (found.model, found.load.calls, found.load.input_tokens) for found in agent_loads(cells, judge)
    }


def test_a_row_is_known_by_the_name_before_its_options() -> None:
    assert [is_agent(BENCHMARK, name) for name in ("walker", SYSTEM, "bm25", "my.py:walker")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_agents_own_model_judges_where_no_other_is_named(tmp_path: Path) -> None:
    assert loads(RunFolder(tmp_path)) == {
        "ingest": ("openai:gpt-5-mini", 8, 80),
        "answer": ("openai:gpt-5-mini", 9, 90),
        "judge": ("openai:gpt-5-mini", 3, 15),
    }
    assert loads(RunFolder(tmp_path), "openai:gpt-5")["judge"] == ("openai:gpt-5", 3, 15)


def test_what_is_on_record_is_left_out_unless_the_cell_failed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for asked in QUESTIONS:
        folder.append("small", SYSTEM, "recalled", RecalledLine(question=asked.id))
    for asked in QUESTIONS[:2]:
        folder.append("small", SYSTEM, "answers", AnswerLine(question=asked.id, answer=Answer(text="x")))
    folder.append(
        "small", SYSTEM, "verdicts", VerdictLine(question="q0", grade=Grade(verdict=Verdict(outcome="right")))
    )
    folder.write_cell(CellRecord(unit="small", system=SYSTEM, status="recalled"))
    found = loads(folder)
    assert (found["ingest"][1], found["answer"][1], found["judge"][1]) == (8, 3, 2), "it must be open to answer"
    assert "ingest" not in loads(folder, kept=True)
    folder.append("small", SYSTEM, "answers", AnswerLine(question=QUESTIONS[2].id, answer=Answer(text="x")))
    assert "ingest" not in loads(folder)
    folder.write_cell(CellRecord(unit="small", system=SYSTEM, status="failed"))
    assert {stage: calls for stage, (_, calls, _) in loads(folder).items()} == {"ingest": 8, "answer": 9, "judge": 3}


@pytest.mark.parametrize(
    ("systems", "given", "cap"),
    [
        (("bm25",), Caps(calls=5), SpendCap(calls=5)),
        (("bm25", SYSTEM), Caps(), SpendCap(calls=10, tokens=1_000)),
        ((SYSTEM, "walker"), Caps(usd=2.0), SpendCap(calls=20, tokens=2_000, usd=2.0)),
        ((SYSTEM,), Caps(tokens=7), SpendCap(calls=10, tokens=7, overridden=("tokens",))),
        ((SYSTEM,), Caps(calls=0, tokens=0), SpendCap(calls=0, tokens=0, overridden=("calls", "tokens"))),
    ],
)
def test_the_users_caps_replace_each_its_own_half(systems: tuple[str, ...], given: Caps, cap: SpendCap) -> None:
    assert spend_cap(BENCHMARK, systems, given) == cap
