"""Judge: every answer is graded by the benchmark; what cannot be graded is unscored, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from groupmem.lab.benchmarks.base import Benchmark, Grade
from groupmem.lab.judging.judge import Judge
from groupmem.lab.judging.verdict import unscored
from groupmem.lab.records import AnswerLine, VerdictLine
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.stages.calls import Crew, call_all
from groupmem.types import Question, UnscoredReason


class JudgeStage:
    """Grades with the judge that `judge_of` gives a cell; without one every answer is unscored."""

    def __init__(self, judge_of: Callable[[Cell], Judge] | None, benchmark: Benchmark, crew: Crew) -> None:
        self._judge_of = judge_of
        self._benchmark = benchmark
        self._crew = crew

    def run(self, cells: Sequence[Cell]) -> None:
        """Raises PendingError, BudgetError, or ModelError where every call failed; what came in before is kept."""
        for cell in cells:
            for question in cell.unjudged():
                reason = self._reason_without_judge(cell.answers[question.id])
                if reason is not None:
                    cell.add_verdict(VerdictLine(question=question.id, grade=Grade(verdict=unscored(reason))))
        if self._judge_of is not None:
            self._grade(cells, self._judge_of)

    def _grade(self, cells: Sequence[Cell], judge_of: Callable[[Cell], Judge]) -> None:
        items = [
            (cell, question)
            for cell in cells
            for question in cell.unjudged()
            if self._reason_without_judge(cell.answers[question.id]) is None
        ]
        judges = {cell.name: judge_of(cell) for cell, _ in items}

        def call(item: tuple[Cell, Question]) -> VerdictLine:
            cell, question = item
            grade = self._benchmark.grade(question, cell.answers[question.id].answer, judges[cell.name])
            return VerdictLine(question=question.id, grade=grade)

        call_all(items, call, _keep, crew=self._crew, what="verdicts")

    def _reason_without_judge(self, line: AnswerLine) -> UnscoredReason | None:
        """Why there is nothing to ask a judge, if there is not."""
        return line.problem or ("no_judge" if self._judge_of is None else None)


def _keep(item: tuple[Cell, Question], line: VerdictLine) -> str | None:
    item[0].add_verdict(line)
    verdict = line.grade.verdict
    return verdict.reply if verdict.reason == "provider_error" else None
