"""Sessions that never wait: what they would have waited is in `waits`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models

_VARIABLES = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_VERSION"),
    *("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OLLAMA_HOST"),
)


@pytest.fixture
def waits() -> list[float]:
    """The seconds that were waited between tries."""
    return []


@pytest.fixture
def open_models(waits: list[float]) -> Iterator[Callable[..., Models]]:
    """A function that opens sessions whose retries do not wait; all are closed at the end."""
    policy = RetryPolicy(sleep=waits.append, jitter=lambda: 0.0)
    with ExitStack() as stack:

        def open_session(**fields: Any) -> Models:
            return stack.enter_context(Models(**{"log_path": None, "cache_path": None, "retry": policy, **fields}))

        yield open_session


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no address of the machine that the tests run on."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
