"""Model calls side by side. Results come back to the one thread that writes the record."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Literal, TypeVar

import msgspec

from groupmem.errors import BudgetError, ModelError, PendingError
from groupmem.lab.runs.progress import Progress
from groupmem.models.base import Account, ChatModel
from groupmem.models.session import Models

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

GIVE_UP_AFTER = 10
"""Failed calls without a single good one, after which a stage stops: the name, the key or the network is wrong."""


class Crew(msgspec.Struct, frozen=True, kw_only=True):
    """What the calling stages share: the models, how many calls go out at once, and who is told."""

    models: Models
    run: str
    workers: int
    progress: Progress

    def chat(self, name: str, cell: str, phase: Literal["answer", "judge"]) -> ChatModel:
        """The model, its calls booked on this cell."""
        return self.models.chat(name, Account(run=self.run, cell=cell, phase=phase))


def side_by_side(
    items: Sequence[ItemT], call: Callable[[ItemT], ResultT], *, workers: int
) -> Iterator[tuple[ItemT, ResultT | Exception]]:
    """Each item with its result or its exception, as they come in.

    A thread begins its next call only when the caller has asked for the next result, and so has kept the last: at most
    `workers` results are ever in memory alone, for a kill to lose. When the caller stops early (an interrupt), nothing
    more is begun. The threads are daemons: an interrupted program ends at once and does not wait for replies.
    """
    todo = deque(items)
    results: SimpleQueue[tuple[ItemT, ResultT | Exception]] = SimpleQueue()
    kept = threading.Semaphore(0)
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            try:
                item = todo.popleft()
            except IndexError:
                return
            try:
                results.put((item, call(item)))
            except Exception as error:
                results.put((item, error))
            kept.acquire()

    threads = min(workers, len(items))
    for _ in range(threads):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in items:
            yield results.get()
            kept.release()
    finally:
        stopped.set()
        kept.release(max(threads, 1))


def call_all(
    items: Sequence[ItemT],
    call: Callable[[ItemT], ResultT],
    keep: Callable[[ItemT, ResultT], str | None],
    *,
    crew: Crew,
    what: str,
) -> None:
    """Calls for every item and keeps each result. `keep` returns the provider's error where the result is one.

    A full budget and a pending batch let the other calls go on, for a reply in the cache is free; they are raised at
    the end, as BudgetError or PendingError. Raises ModelError where not a single call succeeded.
    """
    good, failed = 0, 0
    stopped: BudgetError | None = None
    with crew.progress.task(what, len(items)) as task:
        for item, result in side_by_side(items, call, workers=crew.workers):
            task.advance()
            if isinstance(result, BudgetError):
                stopped = result
            elif isinstance(result, Exception):
                if not isinstance(result, PendingError):
                    raise result
            else:
                failure = keep(item, result)
                good, failed = good + (failure is None), failed + (failure is not None)
                if failure and not good and failed in (GIVE_UP_AFTER, len(items)):
                    raise ModelError(f"{what}: {failed} calls and all failed; the last: {failure}")
    crew.models.flush_batches()
    if stopped is not None:
        raise stopped
