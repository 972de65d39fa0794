"""What questions are wanted, and what they are made with: an author, an examiner, and what may not be asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from groupmem.errors import InputError
from groupmem.lab.judging.judge import Judge
from groupmem.lab.judging.verdict import PROMPT_NAMES as JUDGE_PROMPTS
from groupmem.lab.measures.values import ValueFinder
from groupmem.lab.questions.author import Author
from groupmem.lab.questions.checks import check_wording
from groupmem.lab.questions.examiner import Examiner, RetrievalExaminer
from groupmem.lab.questions.facts import FILES, has_facts, read_truth
from groupmem.lab.questions.known import KnownFacts
from groupmem.lab.questions.loop import Check
from groupmem.lab.questions.modelled.author import ModelAuthor
from groupmem.lab.questions.modelled.replies import PROMPT_NAMES as AUTHOR_PROMPTS
from groupmem.lab.questions.modelled.replies import Caller
from groupmem.lab.questions.reading import ModelExaminer
from groupmem.lab.questions.records import CATEGORIES, Category
from groupmem.lab.questions.solver import Solver
from groupmem.lab.runs.reader import PROMPT_NAMES as READER_PROMPTS
from groupmem.lab.runs.reader import Reader
from groupmem.models.base import Account
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from groupmem.types import Conversation, Message, Record


class Order(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What is wanted: `per_type` questions of each category, tried on `solver` in at most `rounds` wordings an anchor.

    `author`, `reader` and `judge` name models; without any of them nothing is called and the outcome is deterministic.
    """

    per_type: int = 45
    solver: str = "bm25"
    rounds: int = 5
    seed: int = 0
    categories: tuple[Category, ...] = CATEGORIES
    author: str | None = None
    reader: str | None = None
    judge: str | None = None
    prompts: str | None = None

    @property
    def calls(self) -> bool:
        """Whether a model is called: then anchors are pursued side by side."""
        return self.author is not None or self.reader is not None

    @property
    def batched(self) -> bool:
        """Whether a model answers in its own time: then it pays to try more anchors at once than will be needed."""
        return any(name is not None and name.startswith("batch:") for name in (self.author, self.reader, self.judge))


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """All that outcomes depend on: who writes, who examines, and what may not be asked."""

    author: Author
    examiner: Examiner
    check: Check


def open_bench(order: Order, corpus: Path, conversation: Conversation, solver: Solver, models: Models) -> Bench:
    """Raises InputError for an order that cannot be kept with this corpus, and what opening a model raises."""
    messages = {message.id: message for message in conversation.messages}
    finder = ValueFinder(conversation.people, conversation.channels)
    prompts = Prompts(Path(order.prompts) if order.prompts else None)
    return Bench(
        author=_author(order, corpus, conversation, solver, models, prompts),
        examiner=_examiner(order, solver, models, finder, messages, prompts),
        check=partial(check_wording, finder=finder, messages=messages),
    )


def prompt_hashes(order: Order) -> dict[str, str]:
    """sha256 of the prompts that an order can come to use, by name."""
    prompts = Prompts(Path(order.prompts) if order.prompts else None)
    names = [
        *(AUTHOR_PROMPTS if order.author else ()),
        *((*READER_PROMPTS, *JUDGE_PROMPTS) if order.reader else ()),
    ]
    return {name: prompts.load(name).sha256 for name in names}


def _author(
    order: Order, corpus: Path, conversation: Conversation, solver: Solver, models: Models, prompts: Prompts
) -> Author:
    if order.author is not None:
        caller = Caller(models.chat(order.author, _account("write")), prompts)
        return ModelAuthor(conversation, caller, solver, order.seed)
    if not has_facts(corpus):
        raise InputError(
            f"{corpus} holds no {FILES[0]}, so its facts are not known: name a model that writes with --author"
        )
    return KnownFacts(read_truth(corpus, conversation), order.seed)


def _examiner(
    order: Order,
    solver: Solver,
    models: Models,
    finder: ValueFinder,
    messages: Mapping[str, Message],
    prompts: Prompts,
) -> Examiner:
    if order.reader is None or order.judge is None:
        if order.reader is not order.judge:
            raise InputError("--reader and --judge go together: the one answers, the other says whether it is right")
        return RetrievalExaminer(solver, finder, messages)
    reader = Reader(prompts=prompts), models.chat(order.reader, _account("answer"))
    judge = Judge(model=models.chat(order.judge, _account("judge")), prompts=prompts)
    return ModelExaminer(solver, reader, judge, messages)


def _account(phase: Literal["write", "answer", "judge"]) -> Account:
    return Account(run="questions", cell="questions", phase=phase)
