"""What became of the calls of a cell: a package may keep to itself that one failed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from groupmem.errors import ModelError
from groupmem.models.base import Account
from groupmem.models.calllog import Kind
from groupmem.models.gateway.problems import ApiError, told
from groupmem.types import Record, Usage


class GatewayFailure(Record, frozen=True, kw_only=True):
    """Calls of one phase ("ingest", or "ingest/STEP") that were answered with the same error."""

    phase: str
    status: int
    message: str
    count: int


class Lost(NamedTuple):
    """A request that its provider failed on, and that was not answered since."""

    kind: Kind
    message: str


class Outcomes:
    """Safe to use from many threads. `key` stands for a request: packages send one that failed again by themselves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: Counter[tuple[str, int, str]] = Counter()
        self._lost: dict[bytes, Lost] = {}
        self._answered: Counter[Kind] = Counter()
        self._stopped: BaseException | None = None
        self._usage = Usage(cost_usd=None)

    @property
    def usage(self) -> Usage:
        """What the chat calls that were answered took."""
        with self._lock:
            return self._usage

    def add_usage(self, usage: Usage) -> None:
        with self._lock:
            self._usage += usage

    def add(self, other: Outcomes) -> None:
        """Adds errors, and what stopped the other; what it lost it must have told itself."""
        with self._lock:
            self._failures.update(other._failures)
            self._stopped = self._stopped or other.stopped

    @property
    def stopped(self) -> BaseException | None:
        """The first error that is not the provider's: the budget is full, the log cannot be written."""
        with self._lock:
            return self._stopped

    @property
    def answered(self) -> Mapping[Kind, int]:
        """Calls that were answered."""
        with self._lock:
            return dict(self._answered)

    def add_answer(self, kind: Kind, key: bytes) -> None:
        with self._lock:
            self._answered[kind] += 1
            self._lost.pop(key, None)

    def add_failure(self, kind: Kind, key: bytes, account: Account, error: BaseException) -> ApiError:
        """What the package is told of it."""
        problem = told(error)
        with self._lock:
            self._failures[account.phase_path, problem.status, problem.message] += 1
            if isinstance(error, ModelError) and not problem.of_request:
                self._lost[key] = Lost(kind, problem.message)
            elif not isinstance(error, ApiError | ModelError) and self._stopped is None:
                self._stopped = error
        return problem

    def failures(self) -> tuple[GatewayFailure, ...]:
        """Every error that was answered, in the order in which they came first."""
        with self._lock:
            counted = list(self._failures.items())
        return tuple(
            GatewayFailure(phase=phase, status=status, message=message, count=count)
            for (phase, status, message), count in counted
        )

    def take_lost(self) -> tuple[Lost, ...]:
        """The requests that are lost so far; each is given once."""
        with self._lock:
            lost = tuple(self._lost.values())
            self._lost.clear()
        return lost
