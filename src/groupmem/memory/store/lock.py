"""One process at a time writes to a memory; any number may read."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groupmem.errors import InputError

WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.01


class BusyError(InputError):
    """Another process is writing to the memory."""


class StaleViewError(Exception):
    """Another process has deleted what a view shows: a new view has to be taken."""


class WriteLock:
    """A lock file. The system lets go of it when the process dies, so it never has to be removed by hand."""

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._is_held = False

    @contextmanager
    def held(self, *, patient: bool = True) -> Iterator[None]:
        """Holds the lock; a block inside of another one holds it already.

        Raises BusyError when another process has it, and where `patient` still has it after the time to wait.
        """
        if self._is_held:
            yield
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+") as file:
            self._acquire(file.fileno(), self._wait_seconds if patient else 0.0)
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    def _acquire(self, descriptor: int, wait_seconds: float) -> None:
        deadline = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError as error:
                if time.monotonic() >= deadline:
                    holder = self._path.read_text().strip() or "another process"
                    raise BusyError(
                        f"{self._path.parent}: the memory is being written by process {holder}; "
                        "wait until it is done, or let that process write"
                    ) from error
            time.sleep(_POLL_SECONDS)
