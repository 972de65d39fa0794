"""Twins by a model: the same words from somebody else, for whom the conversation has another answer.

A twin is sought for every wording, among the messages that the solver finds for it, those of the question and those of
the twin that an earlier wording had; it is proven like any question. Where none is found the question stays alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupmem.lab.measures.values import GoldValue
from groupmem.lab.questions.author import RefusedError
from groupmem.lab.questions.modelled.context import Context
from groupmem.lab.questions.modelled.proving import Claim, Prover, block
from groupmem.lab.questions.modelled.replies import Caller, Twinned
from groupmem.lab.questions.records import Category, Draft, Wording
from groupmem.lab.questions.solver import Solver
from groupmem.text import words
from groupmem.types import Question, passage_ids

TWINNED: tuple[Category, ...] = ("term_ambiguity", "user_implicit")
"""Types whose answer can differ by asker."""
NEAREST = 20
"""Messages that are looked at for another answer, or for one that should be absent."""


class Twins:
    """Looks for twins in one conversation."""

    def __init__(self, context: Context, caller: Caller, solver: Solver) -> None:
        self._context = context
        self._caller = caller
        self._solver = solver
        self._prover = Prover(context, caller)

    def with_twin(self, draft: Draft, earlier: Sequence[Draft] = ()) -> Wording:
        """The draft, with its twin where its type can have one and the conversation has it."""
        if draft.category not in TWINNED:
            return (draft,)
        try:
            return (draft, self._prover.prove(self._claim(draft, earlier)))
        except RefusedError:
            return (draft,)

    def _claim(self, draft: Draft, earlier: Sequence[Draft]) -> Claim:
        shown = self._context.shown([self._context.message(name) for name in self._near(draft, earlier)])
        others = [person for person in self._context.people if person != draft.asker]
        found = self._caller.ask(
            Twinned,
            "twin",
            question=draft.text,
            asker=draft.asker,
            answer=draft.answer,
            askers=", ".join(map(self._context.named, others)),
            **block(shown),
        )
        if not found.found or found.asker not in others or words(found.answer) == words(draft.answer):
            raise RefusedError("not_verified", "nobody else gets another answer")
        if not words(found.answer):
            raise RefusedError("malformed", "the answer of the twin is empty")
        return Claim(
            category=draft.category,
            question=draft.text,
            asker=found.asker,
            gold=GoldValue(kind=found.kind, values=(found.answer.strip(),)),
            evidence=found.evidence,
            anchor=found.evidence[0] if found.evidence else "",
            moves=draft.moves,
        )

    def _near(self, draft: Draft, earlier: Sequence[Draft]) -> list[str]:
        question = Question(id="trial", text=draft.text, asker=draft.asker)
        found = passage_ids(self._solver.recall(question, NEAREST).passages)
        known = [name for one in (draft, *earlier) for name in one.evidence]
        return list(dict.fromkeys([*known, *found]))
