"""What tests of the gateway say to it."""

from __future__ import annotations

from typing import Any

from support.openai_server import OpenAIServer


def served(server: OpenAIServer, model: str = "gpt-4o-mini") -> str:
    """The lab's name of a model at a loopback server."""
    return f"openai:{model}@{server.url}"


def user(text: str) -> list[dict[str, Any]]:
    """A chat of one message."""
    return [{"role": "user", "content": text}]


def ask(client: Any, text: str, **fields: Any) -> str:
    """The content of the reply to one message."""
    reply = client.chat.completions.create(**{"model": "gpt-4o-mini", "messages": user(text), **fields})
    return str(reply.choices[0].message.content)
