"""The author for a conversation whose facts nobody wrote down: models classify, propose, verify and reword.

    anchor      a message that the light filter lets through
    classify    is something concrete said there that a question of the type could ask for?
    propose     the question, its asker, its evidence
    verify      a second call answers from the evidence alone; only where it agrees is the question one
    twin        for types whose answer differs by asker: who else could ask this, with another answer? verified too
    refine      another wording after the solver's success, verified again

A question without an answer is verified the other way round: none of the messages that come nearest may answer it.
Source: GroupMemBench, "Shared Generation Pipeline"; its prompts are not published, these are our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from groupmem.lab.measures.values import GoldValue
from groupmem.lab.questions.author import Anchor, RefusedError
from groupmem.lab.questions.modelled.candidates import Candidates
from groupmem.lab.questions.modelled.context import Context
from groupmem.lab.questions.modelled.proving import Claim, Prover, block
from groupmem.lab.questions.modelled.replies import Absent, Caller, Classified, Proposed
from groupmem.lab.questions.modelled.twins import NEAREST, Twins
from groupmem.lab.questions.records import NO_ANSWER, Category, Draft, Round, Wording
from groupmem.lab.questions.solver import Solver
from groupmem.types import Conversation, Message, Question, passage_ids

MEANINGS: Mapping[Category, str] = {
    "multi_hop": "the answer stands in one message, and only another message, by somebody else or elsewhere, tells "
    "which thing or person the question means.",
    "knowledge_update": "something that was decided, dated or given to somebody was changed later; the question asks "
    "for what holds now, what held before, or what set the change off.",
    "term_ambiguity": "the question names a thing as people of the asker's role do, while the message uses the word of "
    "another role; or the word means another thing to others.",
    "user_implicit": 'the question is in the first person ("I", "my"), and its answer is that of the asker alone.',
    "temporal": 'the message gives a time relative to when it was written ("by Friday", "in two weeks"), and the '
    "question asks for the date, or for an order of events.",
    "abstention": "the question asks for something plausible about what the messages speak of, which nobody ever said.",
}


class MessageAnchor(msgspec.Struct, frozen=True, kw_only=True):
    """A message to start from, and the type of question that is wanted of it."""

    id: str
    message: Message
    category: Category


class ModelAuthor:
    """An author over any conversation. `solver` finds the messages that an absent answer is looked for in."""

    def __init__(self, conversation: Conversation, caller: Caller, solver: Solver, seed: int) -> None:
        self._context = Context(conversation)
        self._candidates = Candidates(conversation, seed)
        self._caller = caller
        self._solver = solver
        self._prover = Prover(self._context, caller)
        self._twins = Twins(self._context, caller, solver)

    def anchors(self, category: Category) -> Iterator[MessageAnchor]:
        for message in self._candidates.of(category):
            yield MessageAnchor(id=message.id, message=message, category=category)

    def compose(self, anchor: Anchor) -> Wording:
        """Raises RefusedError where a call finds nothing to ask, or another one does not confirm it."""
        start = _known(anchor)
        shown = self._context.around((start.message,))
        gold = self._classify(start, shown)
        proposed = self._caller.ask(
            Proposed,
            "propose",
            category=start.category,
            meaning=MEANINGS[start.category],
            anchor=start.message.id,
            answer=gold.values[0] if gold else "",
            kind=gold.kind if gold else "",
            askers=", ".join(self._context.askers(start.message, start.category)),
            **block(shown),
        )
        return self._checked(start, proposed, gold, ())

    def refine(self, anchor: Anchor, rounds: Sequence[Round]) -> Wording | None:
        start, (last, *twin) = _known(anchor), rounds[-1].wording
        evidence = [self._context.message(name) for name in last.evidence] or [start.message]
        shown = self._context.around(evidence)
        trial = next((trial for trial in rounds[-1].trials if trial.solved), rounds[-1].trials[0])
        proposed = self._caller.ask(
            Proposed,
            "refine",
            category=start.category,
            meaning=MEANINGS[start.category],
            asker=last.asker,
            question=last.text,
            answer=last.answer,
            solved=trial.solver_answer or f"it found {', '.join(trial.found)}",
            **block(shown),
        )
        if proposed.asker != last.asker:
            raise RefusedError("malformed", f"the asker became {proposed.asker}")
        return self._checked(start, proposed, last.gold, (*last.moves, "reworded"), twin)

    def _classify(self, start: MessageAnchor, shown: str) -> GoldValue | None:
        """What is to be asked for; None for a question that has no answer."""
        if start.category == "abstention":
            return None
        found = self._caller.ask(
            Classified,
            "classify",
            category=start.category,
            meaning=MEANINGS[start.category],
            anchor=start.message.id,
            **block(shown),
        )
        if not found.answerable or not found.answer.strip():
            raise RefusedError("no_evidence", f"{start.message.id} states nothing to ask for")
        return GoldValue(kind=found.kind, values=(found.answer.strip(),))

    def _checked(
        self,
        start: MessageAnchor,
        proposed: Proposed,
        gold: GoldValue | None,
        moves: tuple[str, ...],
        twin: Sequence[Draft] = (),
    ) -> Wording:
        if proposed.asker not in self._context.people:
            raise RefusedError("malformed", f"the asker {proposed.asker!r} is nobody of the conversation")
        if not proposed.question.strip():
            raise RefusedError("malformed", "the question is empty")
        if gold is None:
            return (self._absent(proposed, moves),)
        claim = Claim(
            category=start.category,
            question=proposed.question.strip(),
            asker=proposed.asker,
            gold=gold,
            evidence=proposed.evidence,
            anchor=start.message.id,
            moves=moves,
        )
        return self._twins.with_twin(self._prover.prove(claim), twin)

    def _absent(self, proposed: Proposed, moves: tuple[str, ...]) -> Draft:
        question = Question(id="trial", text=proposed.question.strip(), asker=proposed.asker)
        found = passage_ids(self._solver.recall(question, NEAREST).passages)
        nearest = self._context.shown([self._context.message(name) for name in found])
        reply = self._caller.ask(Absent, "absent", question=question.text, asker=proposed.asker, **block(nearest))
        if reply.answered:
            raise RefusedError("not_verified", "a message answers it")
        return Draft(
            category="abstention",
            text=question.text,
            answer=NO_ANSWER,
            asker=proposed.asker,
            gold=None,
            moves=moves,
            hops=0,
        )


def _known(anchor: Anchor) -> MessageAnchor:
    if not isinstance(anchor, MessageAnchor):
        raise TypeError(f"{anchor.id} is no anchor of this author")
    return anchor
