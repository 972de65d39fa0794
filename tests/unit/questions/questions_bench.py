"""What tests of questions share: how many messages their corpus has, silence, and models without a cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groupmem.models.session import Models

MESSAGES = 2400


class Quiet:
    """Shows nothing."""

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Quiet]:
        yield self


def open_models(log_path: Path) -> Models:
    return Models(log_path=log_path, cache_path=None)
