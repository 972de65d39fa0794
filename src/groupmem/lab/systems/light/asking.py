"""The chat model of LIGHT: one prompt, one reply, many side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from groupmem.models.base import ChatMessage, ChatModel, ChatReply, ChatRequest
from groupmem.prompts import Prompts, text_marker

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

PROMPT_NAMES = ("light/episode", "light/notes", "light/compress", "light/keep", "light/answer")
WORKERS = 8
"""Calls that are asked for at a time; how many are really under way is the run's to say."""


class Asker:
    """Fills a prompt of LIGHT and sends it, at temperature 0."""

    def __init__(self, chat: ChatModel, prompts: Prompts) -> None:
        self._chat = chat
        self._prompts = prompts

    def ask(self, prompt: str, quoted: str, *, max_tokens: int, **slots: object) -> ChatReply:
        """The reply to light/`prompt`; `quoted` is the foreign text in it, which cannot leave its markers. Raises
        ModelError, BudgetError or PendingError."""
        text = self._prompts.load(f"light/{prompt}").render(marker=text_marker(quoted), **slots)
        turns = (ChatMessage(role="user", content=text),)
        return self._chat.complete(ChatRequest(messages=turns, max_tokens=max_tokens, temperature=0.0))


def side_by_side(call: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
    """The result of each item, in order. The first exception is raised, and what has not begun by then never does."""
    pool = ThreadPoolExecutor(WORKERS)
    try:
        return list(pool.map(call, items))
    finally:
        pool.shutdown(cancel_futures=True)
