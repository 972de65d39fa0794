"""The examiner with models: a solver and a reader answer, and the verdict judge grades.

The same reader is then given the evidence alone (the oracle) and, for what can be guessed, nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groupmem.lab.judging.judge import Judge
from groupmem.lab.judging.verdict import judge_answer
from groupmem.lab.questions.examiner import RANKS
from groupmem.lab.questions.records import Draft, Trial
from groupmem.lab.questions.solver import Solver
from groupmem.lab.runs.reader import Reader, read_answer
from groupmem.lab.systems.base import passage_of
from groupmem.models.base import ChatModel, ChatRequest
from groupmem.types import Message, Question, Verdict, passage_ids


class ModelExaminer:
    """See the module. Of what is solved no more is asked: only a hard question needs an oracle."""

    def __init__(
        self, solver: Solver, reader: tuple[Reader, ChatModel], judge: Judge, messages: Mapping[str, Message]
    ) -> None:
        self._solver = solver
        self._reader, self._model = reader
        self._judge = judge
        self._messages = messages

    def examine(self, draft: Draft) -> Trial:
        question = draft.question("trial")
        passages = self._solver.recall(question, RANKS).passages
        found = tuple(passage_ids(passages))
        answer, verdict = self._answered(question, self._reader.request(question, passages))
        trial = Trial(solved=verdict.outcome == "right", answerable=True, found=found, solver_answer=answer)
        if verdict.outcome == "unscored":
            return msgspec.structs.replace(trial, unscored=f"solver: {verdict.reason}")
        if trial.solved or draft.gold is None:
            return trial
        return self._with_oracle(question, draft, trial)

    def _with_oracle(self, question: Question, draft: Draft, trial: Trial) -> Trial:
        evidence = [passage_of(self._messages[name]) for name in draft.evidence]
        answer, verdict = self._answered(question, self._reader.request(question, evidence))
        if verdict.outcome == "unscored":
            return msgspec.structs.replace(trial, unscored=f"oracle: {verdict.reason}")
        trial = msgspec.structs.replace(trial, answerable=verdict.outcome == "right", oracle_answer=answer)
        if not trial.answerable:
            return trial
        _, guess = self._answered(question, self._reader.request_alone(question))
        if guess.outcome == "unscored":
            return msgspec.structs.replace(trial, unscored=f"no memory: {guess.reason}")
        return msgspec.structs.replace(trial, guessable=guess.outcome == "right")

    def _answered(self, question: Question, request: ChatRequest) -> tuple[str, Verdict]:
        line = read_answer(question, self._model.complete(request))
        if line.problem is not None:
            return line.answer.text, Verdict(outcome="unscored", reason=line.problem)
        return line.answer.text, judge_answer(question, line.answer, self._judge)
