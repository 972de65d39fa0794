"""The garbage collector waits while many small objects are made that all go by themselves.

Taking a message in makes hundreds of objects and no cycles. The collector, which counts objects, goes again and again
through everything that the process holds, and finds nothing: up to a sixth of the time of an import.

The collector belongs to the process, so blocks of several threads are counted, and the last one switches it on. Only a
collector that a block has switched off is switched on again. What cannot be seen: who calls `gc.disable` while it is
off already finds it on behind the last block. Call it before, or again.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Pause:
    """How many blocks are inside, and whether they have switched the collector off."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal may come while it is held
        self._inside = 0
        self._has_stopped = False

    def begin(self) -> None:
        with self._lock:
            self._inside += 1
            if gc.isenabled():
                self._has_stopped = True
                gc.disable()

    def end(self) -> None:
        with self._lock:
            self._inside = max(0, self._inside - 1)  # a block that was entered before a fork counts no more
            if not self._inside:
                self._go_on()

    def forked(self) -> None:
        """In the child of a fork the other threads, which may be inside or hold the lock, are gone."""
        self._lock = threading.RLock()
        self._inside = 0
        self._go_on()

    def _go_on(self) -> None:
        if self._has_stopped:
            self._has_stopped = False
            gc.enable()


_pause = _Pause()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_pause.forked)


@contextmanager
def waiting_collector() -> Iterator[None]:
    """No pass of the collector in the block, also for other threads; where it is off already, it stays so."""
    _pause.begin()
    try:
        yield
    finally:
        _pause.end()
