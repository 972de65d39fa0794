"""What the models of the question author reply, and how a reply that is none is asked for again."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from groupmem.lab.measures.values import AnswerKind
from groupmem.lab.questions.author import RefusedError
from groupmem.models.base import ChatMessage, ChatModel, ChatRequest
from groupmem.models.schema import schema_of
from groupmem.prompts import Prompts
from groupmem.types import Record

ATTEMPTS = 3
"""Replies that are asked for before an anchor is given up as malformed."""
MAX_TOKENS = 1024
TEMPERATURE = 0.7
PROMPT_NAMES = (
    *("questions/system", "questions/classify", "questions/propose", "questions/verify", "questions/absent"),
    *("questions/refine", "questions/twin"),
)
ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)


class Classified(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Whether a concrete question of the wanted type can be asked about the message, and what its answer would be."""

    answerable: bool
    answer: str
    kind: AnswerKind


class Proposed(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A question, who asks it, its answer, and the ids of all messages that the answer needs."""

    question: str
    asker: str
    answer: str
    evidence: tuple[str, ...]


class Verified(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """What a second call made of the question: the answer that the messages give, and whether it is the proposed one,
    with each of the messages needed for it."""

    answer: str
    same: bool
    all_needed: bool


class Absent(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Whether any of the messages shown answers the question."""

    answered: bool


class Twinned(Record, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Whether somebody else could ask the same words and get another answer: who, which, and the ids of all messages
    that it needs, the one that gives it first."""

    found: bool
    asker: str
    answer: str
    kind: AnswerKind
    evidence: tuple[str, ...]


class Caller:
    """Asks one model with the prompts of this package, and gives typed replies."""

    def __init__(self, model: ChatModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts
        self._system = prompts.load("questions/system").render()

    def ask(self, kind: type[ReplyT], prompt: str, /, **slots: object) -> ReplyT:
        """The reply to `questions/<prompt>`. Raises RefusedError where no attempt gives a usable one, and what the
        model raises."""
        text = self._prompts.load(f"questions/{prompt}").render(**slots)
        turns = (ChatMessage(role="system", content=self._system), ChatMessage(role="user", content=text))
        problem = ""
        for attempt in range(ATTEMPTS):
            reply = self._model.complete(
                ChatRequest(
                    messages=turns,
                    max_tokens=MAX_TOKENS,
                    temperature=TEMPERATURE,
                    response_schema=schema_of(kind),
                    attempt=attempt,
                )
            )
            try:
                return msgspec.convert(reply.parsed, kind)
            except msgspec.ValidationError as error:
                problem = f"{reply.finish_reason}: {error}"
        raise RefusedError("malformed", f"{prompt}, after {ATTEMPTS} attempts: {problem}")
