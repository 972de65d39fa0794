"""The one way of every call to a provider: look up, reserve, send (again), log, keep."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec.structs import replace

from groupmem.errors import PendingError
from groupmem.models.base import Account, canonical_json
from groupmem.models.budget import Budget, Charge
from groupmem.models.cache import StoredReply
from groupmem.models.calllog import CallLog, CallRow, Kind
from groupmem.models.flights import Flights
from groupmem.models.prices import Prices
from groupmem.models.retry import RetryPolicy, SendFailure
from groupmem.models.targets import Target
from groupmem.models.trace import Trace
from groupmem.models.wire import PATHS, Body, read_usage, worst_case
from groupmem.types import Record, Usage

T = TypeVar("T")


class Call(Record, frozen=True, kw_only=True):
    """One request: what is sent where, for whom. `sample` and `attempt` tell equal bodies apart and are not sent."""

    kind: Kind
    body: Mapping[str, Any]
    account: Account
    sample: int = 0
    attempt: int = 0
    truncated_inputs: int = 0

    @property
    def path(self) -> str:
        return PATHS[self.kind]

    def key(self, target: Target) -> str:
        """sha256 in hex of all that decides the reply."""
        whole = (self.path, target.base_url, target.api_version, self.body, self.sample, self.attempt)
        return hashlib.sha256(canonical_json(whole)).hexdigest()


class ReplyStore(Protocol):
    """Where replies are that need not be sent for."""

    def get(self, key: str) -> StoredReply | None: ...

    def put(self, key: str, body: Body, latency_ms: float) -> None: ...


class Endpoint(Protocol):
    """Answers calls for one target. `replies` None: nothing is kept. `repeats`: equal calls are calls of their own."""

    @property
    def target(self) -> Target: ...

    @property
    def replies(self) -> ReplyStore | None: ...

    @property
    def repeats(self) -> bool: ...

    def post(self, call: Call, key: str) -> Body:
        """The body that came back. Raises SendFailure, or PendingError where the answer comes later."""
        ...


class Reading(NamedTuple, Generic[T]):
    """What was made of a body."""

    value: T
    finish_reason: str | None = None


class Sender(Protocol):
    """Whatever sends calls: a `Caller`, or something before it."""

    def call(self, endpoint: Endpoint, call: Call, read: Callable[[Body], Reading[T]]) -> tuple[T, Usage]:
        """See `Caller.call`."""
        ...


class _Delivery(NamedTuple, Generic[T]):
    reading: Reading[T]
    usage: Usage
    latency_ms: float | None


@dataclass(frozen=True)
class _Request(Generic[T]):
    """A call on its way: where to, under which key, and how its body is read."""

    endpoint: Endpoint
    call: Call
    key: str
    read: Callable[[Body], Reading[T]]

    def row(self, **outcome: Any) -> CallRow:
        target, call = self.endpoint.target, self.call
        return CallRow(
            account=call.account,
            kind=call.kind,
            model=target.name,
            base_url=target.base_url,
            request_hash=self.key,
            attempt=call.attempt,
            truncated_inputs=call.truncated_inputs,
            **outcome,
        )


class Caller:
    """Sends calls for many threads, at most `concurrency` at a time."""

    def __init__(
        self,
        *,
        log: CallLog,
        budget: Budget,
        prices: Prices,
        policy: RetryPolicy,
        concurrency: int,
        trace: Trace | None = None,
    ) -> None:
        self._log = log
        self._trace = trace
        self._budget = budget
        self._prices = prices
        self._policy = policy
        self._slots = threading.BoundedSemaphore(concurrency)
        self._flights: Flights[_Delivery[Any]] = Flights()

    def call(self, endpoint: Endpoint, call: Call, read: Callable[[Body], Reading[T]]) -> tuple[T, Usage]:
        """What `read` makes of the reply, and what it took. `read` raises SendFailure for a body that is no reply.

        Raises ModelError, BudgetError or PendingError. Each try is logged, and a reply that was here already too.
        """
        request = _Request(endpoint, call, call.key(endpoint.target), read)
        if endpoint.repeats:
            delivery = self._obtain(request)
        else:
            delivery, mine = self._flights.run(request.key, lambda: self._obtain(request))
            if not mine:
                self._book_stored(request, delivery, None)
        return delivery.reading.value, delivery.usage

    def _obtain(self, request: _Request[T]) -> _Delivery[T]:
        store = request.endpoint.replies
        stored = store.get(request.key) if store else None
        if stored is None:
            return self._send_until_answered(request)
        delivery = _Delivery(request.read(stored.body), self._priced(request, stored.body), stored.latency_ms)
        if stored.billed and not self._log.has_reply(request.key):
            charged = _charge(delivery.usage, self._worst(request))
            self._budget.carry(charged)
            row = self._replied(request, delivery, charged=charged, paid_usd=delivery.usage.cost_usd)
            self._book(request, row, stored.body)
        else:
            self._book_stored(request, delivery, stored.body)
        return delivery

    def _send_until_answered(self, request: _Request[T]) -> _Delivery[T]:
        worst = self._worst(request)
        number = 0
        while True:
            number += 1
            try:
                return self._send(request, worst, number)
            except SendFailure as failure:
                wait_seconds = self._policy.wait_seconds(failure, number)
            self._policy.sleep(wait_seconds)

    def _send(self, request: _Request[T], worst: Charge, number: int) -> _Delivery[T]:
        """One try, within a slot. The budget is settled and the try logged, whatever comes of it."""
        with self._slots:
            self._budget.reserve(worst)
            actual = Charge(calls=1)
            started = time.perf_counter()
            try:
                body = request.endpoint.post(request.call, request.key)
                reading = request.read(body)
                latency_ms = (time.perf_counter() - started) * 1_000
                usage = self._priced(request, body)
                actual = _charge(usage, worst)
            except SendFailure as failure:
                actual = worst if failure.maybe_billed else actual
                latency_ms = (time.perf_counter() - started) * 1_000
                row = request.row(error=str(failure), try_number=number, charged=actual, latency_ms=latency_ms)
                self._book(request, row, None)
                raise
            except PendingError:
                actual = worst  # it is as good as sent
                raise
            finally:
                self._budget.settle(worst, actual)
        delivery = _Delivery(reading, usage, latency_ms)
        row = self._replied(request, delivery, try_number=number, charged=actual, paid_usd=usage.cost_usd)
        self._book(request, row, body)
        if request.endpoint.replies:
            request.endpoint.replies.put(request.key, body, latency_ms)
        return delivery

    # -- money and log -------------------------------------------------------------------------------------------------

    def _worst(self, request: _Request[Any]) -> Charge:
        usage = worst_case(request.call.body)
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return Charge(calls=1, tokens=tokens, usd=self._prices.cost_usd(request.endpoint.target, usage))

    def _priced(self, request: _Request[Any], body: Body) -> Usage:
        usage = read_usage(body)
        return replace(usage, cost_usd=self._prices.cost_usd(request.endpoint.target, usage))

    def _book(self, request: _Request[Any], row: CallRow, reply: Body | None) -> None:
        """Logs a call, and traces it with what was sent and what came back."""
        self._log.add(row)
        if self._trace is not None:
            self._trace.add(row, request.call.body, reply)

    def _book_stored(self, request: _Request[Any], delivery: _Delivery[Any], reply: Body | None) -> None:
        self._book(request, self._replied(request, delivery, cached=True, paid_usd=0.0), reply)

    @staticmethod
    def _replied(request: _Request[Any], delivery: _Delivery[Any], **outcome: Any) -> CallRow:
        return request.row(
            usage=delivery.usage,
            finish_reason=delivery.reading.finish_reason,
            latency_ms=delivery.latency_ms,
            **outcome,
        )


def _charge(usage: Usage, worst: Charge) -> Charge:
    """What a reply counts for: what the provider said, and the worst case for what it did not."""
    known = usage.input_tokens is not None and usage.output_tokens is not None
    tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0) if known else worst.tokens
    return Charge(calls=1, tokens=tokens, usd=worst.usd if usage.cost_usd is None else usage.cost_usd)
