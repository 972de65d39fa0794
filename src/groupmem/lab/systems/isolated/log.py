"""What a worker writes to its standard error, kept in the log of the cell that it serves."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO

from groupmem.files import writing

LAST_LINES = 12
_LAST_BYTES = 1 << 14
_CHUNK_BYTES = 1 << 16
_DRAIN_SECONDS = 2.0


class WorkerLog:
    """Copies a pipe to a file, which may become another while the worker lives. `path` is that of the file.

    Messages name the file where it is `kept`.
    """

    def __init__(self, path: Path, *, kept: bool) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._copying: threading.Thread | None = None
        self._begin(path)

    def follow(self, pipe: IO[bytes]) -> None:
        """Copies what comes out of the pipe until all that write to it are gone."""
        self._copying = threading.Thread(target=self._copy, args=(pipe,), name="worker log", daemon=True)
        self._copying.start()

    def turn_to(self, path: Path) -> None:
        """From now on the log of another cell."""
        with self._lock:
            self._file.close()
            self._begin(path)

    def add(self, text: str) -> None:
        """Writes lines of our own."""
        with self._lock, self.path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))

    def end(self) -> None:
        """Once the worker is gone: what it wrote last is there afterwards."""
        if self._copying is not None:
            self._copying.join(_DRAIN_SECONDS)
        with self._lock:
            self._file.close()

    @property
    def named(self) -> str:
        """Where to look, for a message; "" where the file will be gone."""
        return f"(log: {self.path})" if self._kept else ""

    def last_words(self) -> str:
        """The last lines of what this worker wrote for the cell, and where the others are."""
        with self.path.open("rb") as log:
            log.seek(max(self._start, self.path.stat().st_size - _LAST_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
        last = [line for line in lines if line.strip()][-LAST_LINES:]
        return "".join(f"\n  | {line}" for line in last) + (f"\n{self.named}" if last and self._kept else "")

    def _begin(self, path: Path) -> None:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        self.path = path
        self._start = path.stat().st_size

    def _copy(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK_BYTES):
                with self._lock:
                    if not self._file.closed:
                        self._file.write(chunk)
