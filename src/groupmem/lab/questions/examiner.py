"""What is tried on a draft: does a solver answer it, and can it be answered at all?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from groupmem.lab.measures.value_at_1 import SUPPORT_THRESHOLD
from groupmem.lab.measures.values import ValueFinder
from groupmem.lab.questions.records import Draft, Need, Trial
from groupmem.lab.questions.solver import Solver
from groupmem.types import Message, passage_ids

RANKS = 10
"""What the solver may return, as in the published evaluation."""


class Examiner(Protocol):
    """One trial a draft; it depends on the draft alone."""

    def examine(self, draft: Draft) -> Trial:
        """Raises what the models raise."""
        ...


class RetrievalExaminer:
    """Without a model: the solver has solved a question when all of the evidence (or its alternatives) is among the
    first ranks and the value can be extracted from it; the oracle succeeds when it can be from the evidence itself.

    A question without an answer is solved when the solver says that nothing supports one, or when nothing that it
    returns could be taken for a value of the kind that is asked for.
    """

    def __init__(self, solver: Solver, finder: ValueFinder, messages: Mapping[str, Message]) -> None:
        self._solver = solver
        self._finder = finder
        self._messages = messages

    def examine(self, draft: Draft) -> Trial:
        found = self._solver.recall(draft.question("trial"), RANKS)
        ranked = passage_ids(found.passages)
        if draft.gold is None:
            return Trial(solved=self._declines(draft, ranked, found.support), answerable=True, found=tuple(ranked))
        solved = all(self._proven(need, ranked) for need in draft.needs)
        answerable = all(self._proven(need, (need.message,)) for need in draft.needs)
        return Trial(solved=solved, answerable=answerable, found=tuple(ranked))

    def _proven(self, need: Need, ranked: list[str] | tuple[str, ...]) -> bool:
        there = [name for name in need.any_of if name in ranked]
        if need.value is None:
            return bool(there)
        return any(self._finder.holds(self._messages[name], need.value) for name in there)

    def _declines(self, draft: Draft, ranked: list[str], support: float | None) -> bool:
        if support is not None and support < SUPPORT_THRESHOLD:
            return True
        probe = draft.probe
        return probe is None or not any(self._finder.offered(self._messages[name], probe) for name in ranked)
