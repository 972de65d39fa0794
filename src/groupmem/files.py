"""Writing files: whole or not at all, by one process at a time, and a full disk is told like any other error."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from groupmem.errors import InputError


def write_atomic(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replaces the file as a whole: a reader sees the old content or the new, never a part.

    Where it is not `durable`, a power cut may lose the new content; a killed process never does. Raises InputError
    where the file cannot be written.
    """
    with open_atomic(path, durable=durable) as file:
        file.write(content)


@contextmanager
def open_atomic(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends well, and leaves no trace when it does not.

    Raises InputError where it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raises InputError where what is done with `path` fails: a full disk, a folder that may not be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def only_process(lock: Path, place: Path) -> Iterator[None]:
    """Holds a lock file; the system lets go of it when the process dies, so it never has to be removed by hand.

    Raises InputError while another process holds it, in words about the `place` that both want to write.
    """
    with writing(lock):
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("a+")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise InputError(f"{place} is in use by the process {file.read().strip()}; wait until it ends") from error
        with writing(lock):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
        yield
