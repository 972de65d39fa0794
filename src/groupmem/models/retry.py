"""When a call is sent again, and how long one waits before that."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from groupmem.errors import ModelError


class SendFailure(ModelError):
    """One try that brought no reply.

    `retryable`: the next try may do better. `retry_after_seconds` is what the provider asked for. `maybe_billed`: the
    request may have been worked on, so the budget counts its worst case. `too_long`: a text is over the model's limit.
    `status` is the HTTP status with which a provider refused the request for good.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_seconds: float | None = None,
        maybe_billed: bool = False,
        too_long: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
        self.maybe_billed = maybe_billed
        self.too_long = too_long
        self.status = status


def unreadable(what: str) -> SendFailure:
    """The failure of a reply that is no reply: half a JSON, a web page, a body without its parts."""
    return SendFailure(f"the reply is not readable: {what}", retryable=True, maybe_billed=True)


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with jitter; what the provider asks for (Retry-After) wins.

    `tries` counts sends of one request, `timeout_seconds` is how long one reply may take. `sleep` and `jitter` (a
    number in [0, 1)) are replaced in tests, which do not wait.
    """

    tries: int = 6
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    longest_asked_wait_seconds: float = 300.0
    timeout_seconds: float = 600.0
    sleep: Callable[[float], None] = field(default=time.sleep)
    jitter: Callable[[], float] = field(default=random.random)

    def wait_seconds(self, failure: SendFailure, tries_made: int) -> float:
        """How long to wait before the next try. Raises ModelError where there is none."""
        if not failure.retryable:
            raise failure
        asked = failure.retry_after_seconds
        if asked is not None and asked > self.longest_asked_wait_seconds:
            raise ModelError(f"{failure}; it asks to wait {asked:,.0f} s: run the same command again after that")
        if tries_made >= self.tries:
            raise ModelError(f"{failure}; gave up after {tries_made} tries: run the same command again later")
        if asked is not None:
            return asked + self.jitter()
        backoff = min(self.longest_wait_seconds, self.first_wait_seconds * 2.0 ** (tries_made - 1))
        return backoff * (0.5 + self.jitter() / 2)
