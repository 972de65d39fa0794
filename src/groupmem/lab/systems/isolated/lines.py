"""Lines to and from another process over pipes, never waiting for longer than is said."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from typing import IO

LONGEST_LINE_BYTES = 1 << 26
_CHUNK_BYTES = 1 << 16
_LOOK_SECONDS = 0.5


class Lines:
    """What is sent waits here while the other side does not read, and goes out while the next line is waited for. Many
    threads may send, and one at a time may receive.

    `has_ended` says whether the other process is gone: one that it started may hold the pipe open after it.
    """

    def __init__(self, to: IO[bytes], back: IO[bytes], has_ended: Callable[[], bool]) -> None:
        self._to = to
        self._back = back
        self._has_ended = has_ended
        self._unsent = b""
        self._sending = threading.Lock()
        self._received = bytearray()
        os.set_blocking(to.fileno(), False)

    def send(self, line: bytes) -> None:
        with self._sending:
            self._unsent += line
        self._write()

    def receive(self, seconds: float) -> bytes:
        """The next line, without its end.

        Raises TimeoutError where none was complete after `seconds`, EOFError where the other side is gone, ValueError
        for a line of more than `LONGEST_LINE_BYTES`.
        """
        deadline = time.monotonic() + seconds
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > LONGEST_LINE_BYTES:
                raise ValueError(f"a line of more than {LONGEST_LINE_BYTES} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
            self._move()
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def end(self) -> None:
        """Ends what the other side reads. Nothing can be sent after it."""
        self._to.close()

    def close(self) -> None:
        self._to.close()
        self._back.close()

    def _move(self) -> None:
        """Waits a little for what can be read or written, and does it."""
        readable, writable, _ = select.select([self._back], [self._to] if self._unsent else [], [], _LOOK_SECONDS)
        if writable:
            self._write()
        if readable:
            chunk = os.read(self._back.fileno(), _CHUNK_BYTES)
            if not chunk:
                raise EOFError
            self._received += chunk
        elif self._has_ended() and not select.select([self._back], [], [], 0)[0]:  # its last words may just have come
            raise EOFError

    def _write(self) -> None:
        """Sends what the pipe takes at once."""
        with self._sending:
            try:
                self._unsent = self._unsent[os.write(self._to.fileno(), self._unsent[:_CHUNK_BYTES]) :]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                self._unsent = b""  # a last reply may still be there to be read
