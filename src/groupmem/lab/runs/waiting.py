"""Cells that wait for a batch: the others ask first, so that all of it is one wave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from groupmem.errors import BudgetError, PendingError


class Waiting:
    """The block in which cells ask. At its end, also where the budget is used up, `flush` writes what was asked for and
    raises PendingError where anything waits."""

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._pending: PendingError | None = None

    def __enter__(self) -> None:
        self._pending = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, BudgetError):
            self._flush()
        if error is None and self._pending is not None:
            raise self._pending

    @contextmanager
    def one(self) -> Iterator[None]:
        """One cell; where it waits, the next one is begun."""
        try:
            yield
        except PendingError as error:
            self._pending = error
