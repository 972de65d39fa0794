"""Asks a chat model for the memory. What it does not answer well is counted, and never costs the recall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal, TypeVar

import msgspec

from groupmem.errors import ModelError
from groupmem.memory.assistance.replies import SYSTEM
from groupmem.models.base import ChatMessage, ChatModel, ChatRequest
from groupmem.models.schema import schema_of
from groupmem.prompts import Prompts, text_marker

Problem = Literal["malformed", "truncated", "refused", "failed"]
"""Why a reply cannot be used: it is not what was asked for, it was cut off, the model would not, or none came."""

ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)

MAX_TOKENS = 400
_CUT_OFF: dict[str, Problem] = {"length": "truncated", "refusal": "refused"}


class UnusableReplyError(Exception):
    """The model gave no reply that can be used; the recall goes on without it."""

    def __init__(self, task: str, problem: Problem, detail: str) -> None:
        self.problem = problem
        super().__init__(f"{task}: {problem} ({' '.join(detail.split())})")


class Calls:
    """One model, asked with the prompts of the memory. `counts` holds calls and problems by task ("rerank calls",
    "rerank malformed")."""

    def __init__(self, model: ChatModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts
        self.counts: Counter[str] = Counter()

    def ask(self, kind: type[ReplyT], prompt: str, check: Callable[[ReplyT], str], /, **slots: object) -> ReplyT:
        """The reply to `prompt`. `check` says what is wrong with one of the right form, "" where nothing is.

        The marker of the prompt depends on all its slots, so that no text in it can end its own block. Raises
        UnusableReplyError, and BudgetError or PendingError, which are no failures of the model.
        """
        task = prompt.rpartition("/")[2]
        marker = text_marker("\n".join(map(str, slots.values())))
        turns = (
            ChatMessage(role="system", content=self._prompts.load(SYSTEM).render()),
            ChatMessage(role="user", content=self._prompts.load(prompt).render(marker=marker, **slots)),
        )
        self.counts[f"{task} calls"] += 1
        try:
            return self._reply(kind, task, check, turns)
        except UnusableReplyError as error:
            self.counts[f"{task} {error.problem}"] += 1
            raise

    def _reply(
        self, kind: type[ReplyT], task: str, check: Callable[[ReplyT], str], turns: tuple[ChatMessage, ...]
    ) -> ReplyT:
        request = ChatRequest(messages=turns, max_tokens=MAX_TOKENS, temperature=0.0, response_schema=schema_of(kind))
        try:
            reply = self._model.complete(request)
        except ModelError as error:
            raise UnusableReplyError(task, "failed", str(error)) from error
        if reply.finish_reason in _CUT_OFF:
            raise UnusableReplyError(task, _CUT_OFF[reply.finish_reason], reply.text[-80:] or "no text")
        try:
            read = msgspec.convert(reply.parsed, kind)
        except msgspec.ValidationError as error:
            raise UnusableReplyError(task, "malformed", str(error)) from error
        if wrong := check(read):
            raise UnusableReplyError(task, "malformed", wrong)
        return read


def wrong_numbers(numbers: tuple[int, ...], count: int, most: int) -> str:
    """What is wrong with a list of numbers that are to be different, from 1 to `count`, and at most `most`."""
    unknown = [number for number in numbers if not 1 <= number <= count]
    if unknown:
        return f"the number {unknown[0]} is none of 1 to {count}"
    if len(set(numbers)) < len(numbers):
        return "a number is given twice"
    return f"{len(numbers)} numbers, where at most {most} were asked for" if len(numbers) > most else ""
