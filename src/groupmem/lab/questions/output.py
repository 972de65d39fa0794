"""The folder of made questions.

    questions/<type>.jsonl             hard and answerable: what `groupmem run` asks
    questions-unfiltered/<type>.jsonl  all that the solver failed on, also where the oracle failed (flag "unsolvable")
    questions-raw/<type>.jsonl         the first wording of every anchor that was tried, whatever became of it
    questions-made/order.json          what was asked for
    questions-made/trace.jsonl         one line an anchor: every wording, its trials, and why it was refused
    questions-made/counts.json         counts by type

A question is a row in the published fields (id, question, answer, asking_user_id) with type, evidence and twin, and
beyond these: alternatives, hops, asker_role, answer_kind, answer_values, stale_values, rounds, moves, solver, flags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groupmem.files import open_atomic, write_atomic
from groupmem.lab.questions.checks import is_yes_no
from groupmem.lab.questions.records import Category, Draft, Outcome, Wording
from groupmem.types import Person, Record

QUESTIONS = "questions"
UNFILTERED = "questions-unfiltered"
RAW = "questions-raw"
WORK = "questions-made"
Row = dict[str, Any]


class TypeCounts(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What came of one type. `raw_solved` are first wordings that the solver answered; `refused` counts anchors by
    reason; `yes_no` counts accepted questions that a yes or a no would answer."""

    category: Category
    anchors: int
    accepted: int
    twins: int
    raw: int
    raw_solved: int
    mean_rounds: float
    yes_no: int
    refused: Mapping[str, int] = {}


class QuestionFiles:
    """Writes the files of one set of questions."""

    def __init__(self, folder: Path, people: Iterable[Person], solver: str) -> None:
        self._folder = folder
        self._roles = {person.id: person.role for person in people}
        self._solver = solver

    def write(self, category: Category, outcomes: Sequence[Outcome]) -> TypeCounts:
        """All files of one type, from what became of its anchors, in their order."""
        accepted: list[Row] = []
        unfiltered: list[Row] = []
        raw: list[Row] = []
        for outcome in outcomes:
            if outcome.rounds:
                raw += self._rows(outcome, outcome.rounds[0].wording, f"{category}_raw", len(raw), ("raw",))
            rows = self._rows(outcome, outcome.accepted, category, len(accepted))
            accepted += rows
            unfiltered += rows
            if outcome.refusal == "unanswerable" and not any(trial.solved for trial in outcome.rounds[-1].trials):
                last = outcome.rounds[-1].wording
                unfiltered += self._rows(outcome, last, f"{category}_unsolvable", len(unfiltered), ("unsolvable",))
        for name, rows in ((QUESTIONS, accepted), (UNFILTERED, unfiltered), (RAW, raw)):
            write_lines(self._folder / name / f"{category}.jsonl", rows)
        return _counts(category, outcomes, accepted)

    def _rows(
        self, outcome: Outcome, wording: Wording, name: str, before: int, flags: tuple[str, ...] = ()
    ) -> list[Row]:
        ids = [f"{name}_{before + place}" for place in range(1, len(wording) + 1)]
        return [
            self._row(draft, ids[place], outcome, flags) | {"twin": _other(ids, place)}
            for place, draft in enumerate(wording)
        ]

    def _row(self, draft: Draft, name: str, outcome: Outcome, flags: tuple[str, ...]) -> Row:
        gold = draft.gold
        return {
            "id": name,
            "type": draft.category,
            "question": draft.text,
            "answer": draft.answer,
            "asking_user_id": draft.asker,
            "evidence": draft.evidence,
            "alternatives": {need.message: need.alternatives for need in draft.needs if need.alternatives},
            "twin": None,
            "hops": draft.hops,
            "asker_role": self._roles.get(draft.asker),
            "answer_kind": gold.kind if gold else "abstention",
            "answer_values": gold.values if gold else (),
            "stale_values": gold.stale if gold else (),
            "anchor": outcome.anchor,
            "rounds": len(outcome.rounds),
            "moves": draft.moves,
            "solver": self._solver,
            "flags": [*flags, *(["yes_no"] if is_yes_no(draft.text) else [])],
        }


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """One JSON value a line; a file of no rows is not there."""
    lines = [msgspec.json.encode(row) + b"\n" for row in rows]
    if not lines:
        path.unlink(missing_ok=True)
        return
    with open_atomic(path) as file:
        file.writelines(lines)


def write_document(path: Path, value: Any) -> None:
    """One JSON document, indented."""
    write_atomic(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")


def _other(ids: Sequence[str], place: int) -> str | None:
    return ids[1 - place] if len(ids) == 2 else None


def _counts(category: Category, outcomes: Sequence[Outcome], accepted: Sequence[Row]) -> TypeCounts:
    first = [outcome.rounds[0] for outcome in outcomes if outcome.rounds]
    kept = [len(outcome.rounds) for outcome in outcomes if outcome.accepted]
    return TypeCounts(
        category=category,
        anchors=len(outcomes),
        accepted=len(accepted),
        twins=sum(row["twin"] is not None for row in accepted),
        raw=sum(len(one.wording) for one in first),
        raw_solved=sum(trial.solved for one in first for trial in one.trials),
        mean_rounds=round(sum(kept) / len(kept), 3) if kept else 0.0,
        yes_no=sum("yes_no" in row["flags"] for row in accepted),
        refused=dict(sorted(Counter(outcome.refusal for outcome in outcomes if outcome.refusal).items())),
    )
