"""Errata: questions whose gold is known to be wrong, marked before a run is reported.

    {"question": "temporal_3", "problem": "unsupported_gold", "detail": "...", "unit": "Finance"}

One JSON object a line, as `groupmem questions audit --errata FILE` writes them and anybody can. They change nothing of
what a run does: the questions are asked and judged like all others, and the report gives both scores, with and without.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from groupmem.errors import InputError
from groupmem.lab.runs.unit import RunUnit
from groupmem.types import Question, Record


class Erratum(Record, frozen=True, kw_only=True):
    """What is wrong with one question; `unit` None: with the question of this id in every unit."""

    question: str
    problem: str
    detail: str = ""
    unit: str | None = None

    @property
    def reason(self) -> str:
        problem = self.problem.replace("_", " ")
        return f"{problem}: {self.detail}" if self.detail else problem


def read_errata(path: Path) -> tuple[Erratum, ...]:
    """Raises InputError, naming the line, for a file that cannot be read as errata."""
    if not path.is_file():
        raise InputError(f"{path} does not exist: --errata takes a file of errata, one JSON object a line")
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            found.append(msgspec.json.decode(line, type=Erratum))
        except msgspec.DecodeError as error:
            raise InputError(f"{path}:{number}: {error}; a line names at least question and problem") from error
    return tuple(found)


def mark(units: Sequence[RunUnit], errata: Sequence[Erratum]) -> None:
    """Puts the reasons on the questions of the units, beside what their source says already. An erratum about a
    question that the run does not ask marks nothing."""
    reasons: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    for erratum in errata:
        reasons[erratum.unit, erratum.question].append(erratum.reason)
    for unit in units:
        unit.questions = tuple(_marked(unit.id, question, reasons) for question in unit.questions)


def _marked(unit: str, question: Question, reasons: dict[tuple[str | None, str], list[str]]) -> Question:
    found = [*reasons.get((None, question.id), ()), *reasons.get((unit, question.id), ())]
    if question.known_bad:
        found.insert(0, question.known_bad)
    return msgspec.structs.replace(question, known_bad="; ".join(found)) if found else question
