"""What passes through the making of questions: drafts, what was tried on them, and what became of them."""

from __future__ import annotations

from typing import Literal, get_args

from groupmem.lab.measures.values import GoldValue
from groupmem.types import Question, Record

Category = Literal["multi_hop", "knowledge_update", "term_ambiguity", "user_implicit", "temporal", "abstention"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
NO_ANSWER = "There is no information available in the conversation to answer this question."
Refusal = Literal[
    "solved",
    "unanswerable",
    "answer_in_question",
    "guessable",
    "unscored",
    "no_evidence",
    "duplicate",
    "malformed",
    "not_verified",
]
"""Why an anchor gave no question: the solver answered every wording; the oracle failed; the words give the answer away;
a reader without memory answered; a model's verdict could not be read; the evidence does not exist or is empty; another
accepted question is the same; a model's reply could not be used; a second model call did not confirm the answer."""


class Need(Record, frozen=True, kw_only=True):
    """One message that the answer rests on. `alternatives` say the same and would do as well. `value` is what must be
    found in it, None where the message only links (it names the thing that the question describes)."""

    message: str
    alternatives: tuple[str, ...] = ()
    value: GoldValue | None = None

    @property
    def any_of(self) -> tuple[str, ...]:
        return (self.message, *self.alternatives)


class Draft(Record, frozen=True, kw_only=True):
    """A question in one wording. `gold` None: the right answer is that nobody said it, and `probe` is then the kind of
    value that a misled reader would give. `moves` says how it was made harder than its plainest wording. A
    `plain` draft asks for the same without the difficulty of its type: rewording starts from it, and it is never
    accepted."""

    category: Category
    text: str
    answer: str
    asker: str
    gold: GoldValue | None
    needs: tuple[Need, ...] = ()
    probe: GoldValue | None = None
    moves: tuple[str, ...] = ()
    hops: int = 1
    plain: bool = False

    @property
    def evidence(self) -> tuple[str, ...]:
        """The messages that prove the answer, each once."""
        return tuple(dict.fromkeys(need.message for need in self.needs))

    def question(self, name: str) -> Question:
        """What a system and the reader are asked."""
        return Question(
            id=name,
            text=self.text,
            answer=self.answer,
            category=self.category,
            asker=self.asker,
            evidence=self.evidence,
        )


Wording = tuple[Draft, ...]
"""One draft, or two that share their words and differ in asker and gold (twins). Only plain drafts of twins differ in
their words too: each names its own thing."""


class Trial(Record, frozen=True, kw_only=True):
    """What an examiner found about one draft. `found` are the ids that the solver retrieved, best first."""

    solved: bool
    answerable: bool
    guessable: bool = False
    unscored: str = ""
    found: tuple[str, ...] = ()
    solver_answer: str = ""
    oracle_answer: str = ""


class Round(Record, frozen=True, kw_only=True):
    """One wording and its trials, in the order of its drafts."""

    wording: Wording
    trials: tuple[Trial, ...]


class Outcome(Record, frozen=True, kw_only=True):
    """What became of one anchor. `refusal` None: the last round's wording is accepted."""

    anchor: str
    category: Category
    rounds: tuple[Round, ...]
    refusal: Refusal | None = None
    detail: str = ""

    @property
    def accepted(self) -> Wording:
        return self.rounds[-1].wording if self.refusal is None and self.rounds else ()
