"""Judge: every answer is graded by the benchmark; what cannot be graded is unscored, with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.lab.benchmarks.base import Benchmark, Grade
from groupmem.lab.judging.judge import Judge, JudgeProfile
from groupmem.lab.judging.verdict import unscored
from groupmem.lab.records import VerdictLine
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.stages.calls import Crew, call_all
from groupmem.prompts import Prompts
from groupmem.types import Question, UnscoredReason


class JudgeStage:
    """Grades with the judge `model`; None leaves every answer unscored."""

    def __init__(
        self, model: str | None, benchmark: Benchmark, profile: JudgeProfile, prompts: Prompts, crew: Crew
    ) -> None:
        self._model = model
        self._benchmark = benchmark
        self._profile = profile
        self._prompts = prompts
        self._crew = crew

    def run(self, cells: Sequence[Cell]) -> None:
        """Raises PendingError, BudgetError, or ModelError where every call failed; what came in before is kept."""
        items = [(cell, question) for cell in cells for question in cell.unjudged()]
        gradable = [item for item in items if self._settled_without_judge(*item) is None]
        for cell, question in items:
            reason = self._settled_without_judge(cell, question)
            if reason is not None:
                cell.add_verdict(VerdictLine(question=question.id, grade=Grade(verdict=unscored(reason))))
        judges = {cell.name: self._judge(cell) for cell, _ in gradable}

        def call(item: tuple[Cell, Question]) -> VerdictLine:
            cell, question = item
            grade = self._benchmark.grade(question, cell.answers[question.id].answer, judges[cell.name])
            return VerdictLine(question=question.id, grade=grade)

        call_all(gradable, call, _keep, crew=self._crew, what=f"verdicts of {self._model}")

    def _settled_without_judge(self, cell: Cell, question: Question) -> UnscoredReason | None:
        problem = cell.answers[question.id].problem
        return problem or ("no_judge" if self._model is None else None)

    def _judge(self, cell: Cell) -> Judge:
        model = self._crew.chat(str(self._model), cell.name, "judge")
        return Judge(model=model, profile=self._profile, prompts=self._prompts)


def _keep(item: tuple[Cell, Question], line: VerdictLine) -> str | None:
    item[0].add_verdict(line)
    verdict = line.grade.verdict
    return verdict.reply if verdict.reason == "provider_error" else None
