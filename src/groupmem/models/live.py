"""Calls of a live session: somebody acts on each reply, so that asking the same again must not bring the same."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from groupmem.models.calling import Call, Endpoint, Reading, Sender
from groupmem.models.wire import Body
from groupmem.types import Usage

T = TypeVar("T")


class LiveSender:
    """Numbers equal calls, so that each is a call of its own: the n-th is sample n.

    Whoever repeats a whole session (an ingest that starts over) finds its replies in the cache, as often as they came.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._lock = threading.Lock()
        self._sent: Counter[str] = Counter()

    def call(self, endpoint: Endpoint, call: Call, read: Callable[[Body], Reading[T]]) -> tuple[T, Usage]:
        """See `Caller.call`."""
        key = call.key(endpoint.target)
        with self._lock:
            number = self._sent[key]
            self._sent[key] += 1
        return self._sender.call(endpoint, replace(call, sample=call.sample + number), read)
