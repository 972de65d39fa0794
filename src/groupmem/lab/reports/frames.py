"""Records -> frames: one row a question and cell, one row a cell. All tables and figures are made from these two."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
import polars as pl

from groupmem.lab.judging.verdict import published_hit
from groupmem.lab.measures import RETRIEVAL_MEASURES, recall_ceiling, retrieval_scores
from groupmem.lab.measures.value_at_1 import abstains_at_1
from groupmem.lab.records import AnswerLine, CellRecord, RecalledLine, RunFolder, RunRecord, VerdictLine
from groupmem.lab.reports.outcomes import expects_abstention, says_no_information
from groupmem.models.base import canonical_json
from groupmem.types import Question, passage_ids

TOTAL = "all"
"""The unit or category of a row over all of them."""

CEILING = "ceiling@10"
"""The greatest recall@10 that the number of gold messages allows."""

VALUE = "value@1"
"""Whether the first recalled message with a value of the asked kind holds the right one (docs/reports.md)."""

QUESTION_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "unit": pl.String,
    "system": pl.String,
    "category": pl.String,
    "question": pl.String,
    "fingerprint": pl.String,
    "failed": pl.Boolean,
    "evidence": pl.Int64,
    "known_bad": pl.Boolean,
    CEILING: pl.Float64,
    **dict.fromkeys(RETRIEVAL_MEASURES, pl.Float64),
    VALUE: pl.Float64,
    "returned": pl.Int64,
    "latency_ms": pl.Float64,
    "context_tokens": pl.Int64,
    "support": pl.Float64,
    "truncated": pl.Int64,
    "hidden": pl.Int64,
    "outcome": pl.String,
    "reason": pl.String,
    "right": pl.Boolean,
    "published": pl.Boolean,
    "expects_abstention": pl.Boolean,
    "abstained": pl.Boolean,
    "gold_read": pl.Boolean,
}
CELL_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "unit": pl.String,
    "system": pl.String,
    "status": pl.String,
    "reference": pl.Boolean,
    "answers_by_itself": pl.Boolean,
    "ranked": pl.Boolean,
    "messages": pl.Int64,
    "ingest_seconds": pl.Float64,
    "ingest_reused": pl.Boolean,
    "store_bytes": pl.Int64,
    "failure": pl.String,
    "notes": pl.List(pl.String),
}
SCORE_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "unit": pl.String,
    "system": pl.String,
    "category": pl.String,
    "question": pl.String,
    "score": pl.String,
    "value": pl.Float64,
}


class RunFrames(msgspec.Struct, frozen=True, kw_only=True):
    """A run as frames.

    `questions` has a row for every question of every unit and every system of the spec, begun or not (columns:
    `QUESTION_SCHEMA`); what was not measured is null, never 0. `cells` has a row for every unit and system (columns:
    `CELL_SCHEMA`), `status` "missing" where the cell was never begun. `scores` has a row for every further measure that
    the benchmark gave an answer (columns: `SCORE_SCHEMA`).
    """

    record: RunRecord
    questions: pl.DataFrame
    cells: pl.DataFrame
    scores: pl.DataFrame

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.record.spec.systems))

    @property
    def answering(self) -> bool:
        """Whether answers belong to the run: without a reader and a judge it ends with retrieval."""
        return self.record.spec.reader is not None or self.record.spec.judge is not None

    def of_system(self, system: str) -> pl.DataFrame:
        """The question rows of one system, in the order of units and questions."""
        return self.questions.filter(pl.col("system") == system)


def read_frames(folder: RunFolder) -> RunFrames:
    """Reads the whole folder once. Raises InputError for a folder that is no run, or a line that cannot be read."""
    record = folder.read_run()
    asked = {unit: folder.read_questions(unit) for unit in record.units}
    categories = {question.category for questions in asked.values() for question in questions}
    question_rows: list[dict[str, Any]] = []
    cell_rows: list[dict[str, Any]] = []
    score_rows: list[dict[str, Any]] = []
    for unit in record.units:
        for system in dict.fromkeys(record.spec.systems):
            lines = _read_cell(folder, unit, system)
            names = {"unit": tell_apart(unit, record.units, "unit"), "system": system}
            cell_rows.append(names | _cell_row(lines.cell))
            for question in asked[unit]:
                keys = names | {"category": tell_apart(question.category, categories, "category")}
                question_rows.append(keys | _question_row(question, lines, record.spec.limit))
                score_rows += [keys | row for row in _score_rows(lines.verdicts.get(question.id))]
    questions = pl.DataFrame(question_rows, schema=QUESTION_SCHEMA)
    if record.benchmark.profile != "verdict":  # the published summary reads a verdict judge's last line
        questions = questions.with_columns(published=pl.lit(None, dtype=pl.Boolean))
    return RunFrames(
        record=record,
        questions=questions,
        cells=pl.DataFrame(cell_rows, schema=CELL_SCHEMA),
        scores=pl.DataFrame(score_rows, schema=SCORE_SCHEMA),
    )


def tell_apart(name: str, names: Collection[str], kind: str) -> str:
    """A unit or category that is itself called "all" must not be taken for the total over several."""
    return f"{name} ({kind})" if name == TOTAL and len(names) > 1 else name


class _CellLines(msgspec.Struct, frozen=True, kw_only=True):
    """What is on record of one cell; a failed or missing cell has no lines, whatever it wrote before it failed."""

    cell: CellRecord | None
    recalled: Mapping[str, RecalledLine] = {}
    answers: Mapping[str, AnswerLine] = {}
    verdicts: Mapping[str, VerdictLine] = {}


def _read_cell(folder: RunFolder, unit: str, system: str) -> _CellLines:
    cell = folder.read_cell(unit, system)
    if cell is None or cell.status == "failed":
        return _CellLines(cell=cell)
    return _CellLines(
        cell=cell,
        recalled=folder.recalled(unit, system),
        answers=folder.answers(unit, system),
        verdicts=folder.verdicts(unit, system),
    )


def _cell_row(cell: CellRecord | None) -> dict[str, Any]:
    if cell is None:
        return {"status": "missing", "reference": None, "answers_by_itself": None, "ranked": None, "notes": []}
    return {
        "status": cell.status,
        "reference": cell.reference,
        "answers_by_itself": cell.answers_by_itself,
        "ranked": cell.ranked,
        "messages": cell.messages,
        "ingest_seconds": cell.ingest_seconds,
        "ingest_reused": cell.kept_ingest is not None and cell.kept_ingest.reused,
        "store_bytes": cell.store_bytes,
        "failure": cell.failure,
        "notes": list(cell.notes),
    }


def _question_row(question: Question, lines: _CellLines, limit: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "question": question.id,
        "fingerprint": _fingerprint(question),
        "failed": lines.cell is not None and lines.cell.status == "failed",
        "evidence": len(question.evidence),
        "known_bad": question.known_bad is not None,
        CEILING: recall_ceiling(question.evidence, 10) if question.evidence else None,
        "expects_abstention": expects_abstention(question),
    }
    recalled = lines.recalled.get(question.id)
    if recalled is not None:
        row |= _recall_values(question, recalled, ranked=lines.cell is not None and lines.cell.ranked)
        if question.evidence and "returned" in row:
            handed = passage_ids(recalled.passages)[:limit]
            row["gold_read"] = not set(question.evidence).isdisjoint(handed)
    return row | _answer_values(lines.answers.get(question.id), lines.verdicts.get(question.id))


def _score_rows(graded: VerdictLine | None) -> list[dict[str, Any]]:
    if graded is None:
        return []
    return [{"question": graded.question, "score": name, "value": value} for name, value in graded.grade.scores.items()]


def _fingerprint(question: Question) -> str:
    """The same for the same words, asker, gold and evidence: a question of two runs may be compared."""
    asked = (question.text, question.asker, question.answer, sorted(question.evidence))
    return hashlib.sha256(canonical_json(asked)).hexdigest()[:16]


def _recall_values(question: Question, line: RecalledLine, *, ranked: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "latency_ms": line.latency_ms,
        "context_tokens": line.context_tokens,
        "support": line.support,
        "truncated": line.truncated,
        "hidden": len(line.hidden),
    }
    if ranked:
        found = passage_ids(line.passages)
        values |= {"returned": len(found)} | retrieval_scores(found, question.evidence, line.hidden)
        values[VALUE] = line.value_at_1
        if expects_abstention(question):
            values[VALUE] = abstains_at_1(len(found), line.support)
    return values


def _answer_values(answered: AnswerLine | None, graded: VerdictLine | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if answered is not None and answered.problem is None:
        values["abstained"] = says_no_information(answered.answer.text)
    if graded is not None:
        verdict = graded.grade.verdict
        values |= {"outcome": verdict.outcome, "reason": verdict.reason, "published": published_hit(verdict)}
        values["right"] = {"right": True, "wrong": False}.get(verdict.outcome)
    elif answered is not None and answered.problem is not None:
        values |= {"outcome": "unscored", "reason": answered.problem, "published": False}
    return values
