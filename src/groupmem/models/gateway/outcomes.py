"""What became of the calls of a cell: a package may keep to itself that one failed."""

from __future__ import annotations

import threading
from collections import Counter

from groupmem.errors import ModelError
from groupmem.models.base import Account
from groupmem.models.gateway.problems import ApiError
from groupmem.types import Record


class GatewayFailure(Record, frozen=True, kw_only=True):
    """Calls of one phase ("ingest", or "ingest/STEP") that were answered with the same error."""

    phase: str
    status: int
    message: str
    count: int


class Outcomes:
    """Safe to use from many threads. `key` stands for a request: packages send one that failed again by themselves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: Counter[tuple[str, int, str]] = Counter()
        self._lost: dict[bytes, str] = {}
        self._answered = 0
        self._stopped: BaseException | None = None

    @property
    def stopped(self) -> BaseException | None:
        """The first error that is not the provider's: the budget is full, the log cannot be written."""
        with self._lock:
            return self._stopped

    @property
    def answered(self) -> int:
        """Calls that were answered."""
        with self._lock:
            return self._answered

    def add_answer(self, key: bytes) -> None:
        with self._lock:
            self._answered += 1
            self._lost.pop(key, None)

    def add_failure(self, key: bytes, account: Account, error: BaseException, problem: ApiError) -> None:
        with self._lock:
            self._failures[account.phase_path, problem.status, problem.message] += 1
            if isinstance(error, ModelError) and not problem.of_request:
                self._lost[key] = problem.message
            elif not isinstance(error, ApiError) and self._stopped is None:
                self._stopped = error

    def failures(self) -> tuple[GatewayFailure, ...]:
        """Every error that was answered, in the order in which they came first."""
        with self._lock:
            counted = list(self._failures.items())
        return tuple(
            GatewayFailure(phase=phase, status=status, message=message, count=count)
            for (phase, status, message), count in counted
        )

    def take_lost(self) -> tuple[str, ...]:
        """The error of each request that its provider failed on and that was not answered since; each is given once."""
        with self._lock:
            lost = tuple(self._lost.values())
            self._lost.clear()
        return lost
