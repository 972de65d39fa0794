"""docs/beam.md says what is so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from groupmem.lab.benchmarks.beam import SETS, Beam
from groupmem.lab.benchmarks.beam.agentic import PROFILES
from groupmem.lab.benchmarks.beam.grading import grade
from groupmem.lab.judging.judge import BEAM, Judge
from groupmem.lab.measures import recall_at_k
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.light.scratchpad import GROWN_TIMES
from groupmem.lab.systems.light.system import CONTEXT, EPISODES, NOTES
from groupmem.lab.systems.registry import create_system
from groupmem.models.base import ChatReply, ChatRequest
from groupmem.types import Answer, Question, passage_ids

PAGE = (Path(__file__).parents[3] / "docs" / "beam.md").read_text(encoding="utf-8")
FLAT = " ".join(PAGE.split())


class Silent:
    name = "silent"

    def complete(self, request: ChatRequest) -> ChatReply:
        raise AssertionError("an empty answer needs no judge")


def test_it_lists_every_set_with_the_number_of_its_files() -> None:
    rows = {row[0]: row[1] for row in re.findall(r"^\| (`beam.*?) \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE)}
    listed = {name for names in rows for name in re.findall(r"`beam:(\w+)`", names)}
    assert listed - {"conv17"} == set(SETS)
    assert rows["`beam`, `beam:full`"] == str(len(Beam.declared(None)))
    assert rows["`beam:conv17`, ..."] == str(len(Beam.declared("conv17")))
    tiers = ", ".join(str(len(SETS[name].declared(None))) for name in ("500K", "1M"))
    assert rows["`beam:500K`, `beam:1M`, `beam:10M`"] == f"{tiers} and {len(SETS['10M'].declared(None))}"


def test_it_explains_every_measure() -> None:
    failed = grade(Question(id="q", text="?"), Answer(text=""), Judge(model=Silent(), profile=BEAM))
    measures = re.search(r"\| measure \| what \|\n(.+?)\n\n", PAGE, re.DOTALL)
    assert measures is not None
    assert set(re.findall(r"^\| (.+?) \|", measures[1], re.MULTILINE)) - {"---"} == {
        *(f"`{name}`" for name in failed.scores if not name.startswith("event_")),
        "`event_f1`, `event_tau_norm`",
    }


@pytest.mark.parametrize("name", PROFILES)
def test_its_figures_of_an_agent_are_those_of_the_plan(name: str) -> None:
    found = PROFILES[name]
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `beam:{name}` | {found.chunk_calls} calls"))
    for part in (
        f"{found.chunk_tokens:,} tokens",
        f"{found.agent_calls}, {found.agent_tokens:,}",
        f"{found.judge_calls}, of {found.judge_tokens:,} each",
        f"| {found.caps.calls:,}, {found.caps.tokens:,} |",
    ):
        assert part in row


def test_its_figures_of_light_are_the_defaults() -> None:
    assert EPISODES.default == "5" and "from five exchanges" in FLAT
    assert {CONTEXT.default, NOTES.default} == {"14000"} and "14,000 tokens" in FLAT
    assert GROWN_TIMES == 2 and "twice that" in FLAT


def test_it_names_the_questions_whose_rubric_is_bad() -> None:
    assert set(re.findall(r"`(conv\d+:\w+:\d)`", PAGE)) == set(Beam.known_bad)


@pytest.mark.data
def test_its_lexical_row_is_measured(public_data: Callable[[str], Path]) -> None:
    found: dict[str, list[float]] = defaultdict(list)
    for unit in Beam.open(public_data("beam")).units():
        system = create_system("bm25").system
        system.open(Setting())
        system.ingest(unit.conversation().messages)
        for question in unit.questions():
            passages = system.recall(question.text, asker=None, limit=10, asked_at=None).passages
            recall = recall_at_k(passage_ids(passages), question.evidence, 10) if question.evidence else None
            if recall is not None:
                found[question.category].append(recall)
    rows = re.findall(r"^\| (\w+) \| (\d+) \| \**([\d.]+)\** \| .+\|$", PAGE.partition("## Retrieval")[2], re.MULTILINE)
    shown = {name: (int(count), float(mean)) for name, count, mean in rows}
    everything = [value for values in found.values() for value in values]
    assert shown == {
        name: (len(values), pytest.approx(fmean(values), abs=5e-4))
        for name, values in {**found, "all": everything}.items()
    }
