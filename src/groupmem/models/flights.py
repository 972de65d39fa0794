"""One flight per key: whoever asks for what is already on its way waits for that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """Runs at most one `make` per key at a time, in the thread that came first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[str, Future[T]] = {}

    def run(self, key: str, make: Callable[[], T]) -> tuple[T, bool]:
        """(value, whether this thread made it). An error of the maker is raised in every waiting thread."""
        with self._lock:
            waiting = self._flying.get(key)
            if waiting is None:
                mine = self._flying[key] = Future()
        if waiting is not None:
            return waiting.result(), False
        try:
            value = make()
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(value)
            return value, True
        finally:
            with self._lock:
                del self._flying[key]
