"""Answer: the reader is given what was recalled, the same way for every system."""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.errors import ModelError, PendingError
from groupmem.lab.records import AnswerLine, RecalledLine
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.reader import Reader, provider_error
from groupmem.lab.runs.stages.calls import Crew, call_all
from groupmem.models.base import ChatModel
from groupmem.types import Question


class AnswerStage:
    """Asks the reader `model` for every recalled question; rows that answer by themselves have done so already."""

    def __init__(self, model: str, reader: Reader, crew: Crew) -> None:
        self._model = model
        self._reader = reader
        self._crew = crew

    def run(self, cells: Sequence[Cell]) -> None:
        """Raises PendingError, BudgetError, or ModelError where every call failed; what came in before is kept."""
        items = [(cell, question) for cell in cells if not cell.row.traits.answers for question in cell.unanswered()]
        chats = {cell.name: self._chat(cell) for cell, _ in items}

        def call(item: tuple[Cell, Question]) -> AnswerLine:
            cell, question = item
            line = cell.recalled[question.id]
            try:
                return self._ask(chats[cell.name], cell, question, line)
            except ModelError as error:
                return provider_error(question, error)

        call_all(items, call, _keep, crew=self._crew, what="answers")

    def now(self, cell: Cell, question: Question, line: RecalledLine) -> AnswerLine:
        """One answer at once, for it joins the history. Raises ModelError, BudgetError or PendingError."""
        try:
            return self._ask(self._chat(cell), cell, question, line)
        except PendingError:
            self._crew.models.flush_batches()
            raise

    def _chat(self, cell: Cell) -> ChatModel:
        return self._crew.chat(self._model, cell.name, "answer")

    def _ask(self, chat: ChatModel, cell: Cell, question: Question, line: RecalledLine) -> AnswerLine:
        return self._reader.read(question, chat.complete(cell.row.request(self._reader, question, line)))


def _keep(item: tuple[Cell, Question], line: AnswerLine) -> str | None:
    item[0].add_answer(line)
    return line.detail if line.problem == "provider_error" else None
