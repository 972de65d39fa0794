"""The garbage collector waits while many small objects are made that all go by themselves.

Taking a message in makes hundreds of objects and no cycles. The collector, which counts objects, goes again and again
through everything that the process holds, and finds nothing: up to a sixth of the time of an import.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting_collector() -> Iterator[None]:
    """No pass of the collector in the block, also for other threads; where it is off already, it stays so."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
