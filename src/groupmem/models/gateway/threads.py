"""Work that waits, beside an event loop that must not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises, from a thread of its own.

    Threads of a pool would wait for each other, and a program that is interrupted would wait for them. These are as
    many as requests are under way, and daemons.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(value: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value, error = None, None
        try:
            value = work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop was closed in the meantime, and nobody waits
            loop.call_soon_threadsafe(finish, value, error)

    threading.Thread(target=run, daemon=True).start()
    return await done
