"""A gateway before a loopback provider, and clients of the real `openai` package that talk to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openai
import pytest

from groupmem.models.gateway import Gateway, GatewayCell
from groupmem.models.session import Models

OpenCell = Callable[..., GatewayCell]
Connect = Callable[..., openai.OpenAI]


@pytest.fixture
def gateway_of() -> Iterator[Callable[[Models], Gateway]]:
    """A function from models to their gateway; all are closed at the end."""
    with ExitStack() as stack:
        yield lambda models: stack.enter_context(Gateway(models, run="r1"))


@pytest.fixture
def cell_of(gateway_of: Callable[[Models], Gateway]) -> OpenCell:
    """A function from models and their names to a cell behind a gateway of its own."""

    def open_cell(models: Models, chat: str | None = None, embedding: str | None = None) -> GatewayCell:
        return gateway_of(models).open_cell("unit/peer", chat=chat, embedding=embedding)

    return open_cell


@pytest.fixture
def connect() -> Iterator[Connect]:
    """A function from a cell (or a URL) to a client that never tries again by itself, unless told to."""
    with ExitStack() as stack:

        def open_client(cell: GatewayCell, **fields: Any) -> openai.OpenAI:
            defaults: dict[str, Any] = {"base_url": cell.base_url, "api_key": cell.api_key, "max_retries": 0}
            return stack.enter_context(openai.OpenAI(**{**defaults, **fields}))

        yield open_client
