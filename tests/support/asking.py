"""Short ways to ask a model something in a test."""

from __future__ import annotations

from typing import Any

from groupmem.models.base import Account, ChatMessage, ChatRequest

ACCOUNT = Account(run="trial", cell="unit/bm25", phase="answer")


def ask(text: str, **fields: Any) -> ChatRequest:
    """A request with one user message."""
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), **fields)
