"""Which questions of a benchmark a run asks."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from groupmem.errors import DataError, UnknownNameError
from groupmem.lab.benchmarks.base import Unit
from groupmem.lab.records import RunSpec
from groupmem.lab.runs.unit import RunUnit
from groupmem.types import Question


def choose_questions(units: Iterable[Unit], spec: RunSpec) -> tuple[RunUnit, ...]:
    """The units with the questions of the wanted categories, or of a seeded sample over all units, in their own order.

    A unit without a question left is left out, so there may be none. Raises UnknownNameError for a category that no
    question has, DataError for a question id that a unit holds twice.
    """
    known = list(units)
    asked = {unit.id: _distinct(unit) for unit in known}
    if spec.categories:
        _check_categories(spec.categories, asked.values())
        asked = {unit: [q for q in questions if q.category in spec.categories] for unit, questions in asked.items()}
    if spec.sample_questions is not None:
        asked = _sample(asked, spec.sample_questions, spec.seed)
    return tuple(RunUnit(unit, tuple(asked[unit.id])) for unit in known if asked[unit.id])


def _sample(asked: dict[str, list[Question]], count: int, seed: int) -> dict[str, list[Question]]:
    keys = [(unit, question.id) for unit, questions in asked.items() for question in questions]
    kept = set(random.Random(seed).sample(keys, min(count, len(keys))))
    return {unit: [q for q in questions if (unit, q.id) in kept] for unit, questions in asked.items()}


def _check_categories(wanted: Sequence[str], asked: Iterable[Sequence[Question]]) -> None:
    known = sorted({question.category for questions in asked for question in questions})
    for category in wanted:
        if category not in known:
            raise UnknownNameError("question type", category, known)


def _distinct(unit: Unit) -> list[Question]:
    """Records are kept by question id, so an id must mean one question."""
    questions: dict[str, Question] = {}
    for question in unit.questions():
        if question.id in questions:
            raise DataError(f"unit {unit.id}: two questions have the id {question.id!r}; ids must differ")
        questions[question.id] = question
    return list(questions.values())
