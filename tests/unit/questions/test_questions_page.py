"""The page about questions names every type, file, reason, flag and field that there is."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from groupmem.lab.questions.audit import Problem
from groupmem.lab.questions.output import QUESTIONS, RAW, UNFILTERED, WORK, QuestionFiles
from groupmem.lab.questions.records import CATEGORIES, Draft, Need, Outcome, Refusal, Round
from groupmem.types import Person

PAGE = (Path(__file__).parents[3] / "docs" / "questions.md").read_text()


@pytest.mark.parametrize("name", [*CATEGORIES, *(f"`{reason}`" for reason in get_args(Refusal))])
def test_types_and_reasons_are_explained(name: str) -> None:
    assert name in PAGE


@pytest.mark.parametrize("problem", get_args(Problem))
def test_findings_of_the_audit_are_explained(problem: str) -> None:
    assert problem.replace("_", " ") in PAGE


@pytest.mark.parametrize("folder", [QUESTIONS, UNFILTERED, RAW, WORK])
def test_files_are_explained(folder: str) -> None:
    assert f"`{folder}/" in PAGE


def test_every_field_of_a_row_is_named(tmp_path: Path) -> None:
    draft = Draft(category="temporal", text="When?", answer="now", asker="u1", gold=None, needs=(Need(message="m1"),))
    outcome = Outcome(anchor="a", category="temporal", rounds=(Round(wording=(draft,), trials=()),))
    QuestionFiles(tmp_path, (Person(id="u1"),), "bm25").write("temporal", [outcome])
    row = (tmp_path / QUESTIONS / "temporal.jsonl").read_text()
    fields = [part.split('"')[0] for part in row.split('"')[1::2] if f'"{part}":' in row]
    assert "asking_user_id" in fields
    assert all(f"`{field}`" in PAGE for field in fields)
