"""The trace: every call with the whole of what was sent and what came back, one JSON object a line, gzipped.

Each line is a gzip member of its own, so a killed process loses none that was written, and the file is read like any
other gzip file. A call has the fields of the call log (`CallRow`), `at`, `request` and `reply`: the bodies. A reply is
null where none came, and where it is that of an earlier line with the same `request_hash`. Vectors are left out.
"""

from __future__ import annotations

import errno
import gzip
import threading
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from groupmem.errors import InputError
from groupmem.files import writing
from groupmem.models.calllog import CallRow
from groupmem.models.wire import Body

_GZIP = 16 + zlib.MAX_WBITS
_BLOCK_BYTES = 1 << 16


class Trace:
    """Appends calls. A member that a killed process left half written is cut off when the file is opened again."""

    def __init__(self, path: Path) -> None:
        """Raises InputError where the file cannot be written."""
        self._path = path
        self._lock = threading.Lock()
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            self._file.truncate(whole_bytes(path))

    def add(self, row: CallRow, request: Body, reply: Body | None) -> None:
        """One call. Raises InputError where it cannot be written."""
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            **msgspec.to_builtins(row),
            "request": request,
            "reply": _without_vectors(reply) if row.kind == "embedding" else reply,
        }
        member = gzip.compress(msgspec.json.encode(line) + b"\n", mtime=0)
        with self._lock, writing(self._path):
            if self._file.write(member) < len(member):
                raise OSError(errno.ENOSPC, "a line was not written whole")

    def close(self) -> None:
        self._file.close()


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a trace, finished or not. Raises InputError where the file cannot be read."""
    for _, line in _members(path):
        yield msgspec.json.decode(line)


def whole_bytes(path: Path) -> int:
    """How much of the file is whole members."""
    return max((end for end, _ in _members(path)), default=0)


def _members(path: Path) -> Iterator[tuple[int, bytes]]:
    """Where each whole member ends, and what it holds; nothing behind one that is not whole."""
    try:
        with path.open("rb") as file:
            end, left = 0, b""
            while True:
                inflater, held, taken = zlib.decompressobj(_GZIP), b"", 0
                while not inflater.eof:
                    block = left or file.read(_BLOCK_BYTES)
                    if not block:
                        return
                    held, taken, left = held + inflater.decompress(block), taken + len(block), b""
                left = inflater.unused_data
                end += taken - len(left)
                yield end, held
    except zlib.error:
        return
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _without_vectors(reply: Body | None) -> Body | None:
    return None if reply is None else {name: value for name, value in reply.items() if name != "data"}
