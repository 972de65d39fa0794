"""How long work tells what it does. The library is silent; the command line hands in something that prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work whose length is known."""

    def advance(self, count: int = 1) -> None: ...


class Progress(Protocol):
    """Bars, lines, or nothing."""

    def task(self, label: str, total: int) -> AbstractContextManager[Task]:
        """A task that lasts as long as its context."""
        ...

    def note(self, text: str) -> None:
        """One line that a user wants to read: a warning, a failed cell."""
        ...


class Silent:
    """The progress of a library: nothing."""

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Task]:
        yield _SilentTask()

    def note(self, text: str) -> None:
        pass


class _SilentTask:
    def advance(self, count: int = 1) -> None:
        pass
