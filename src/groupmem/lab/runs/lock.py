"""One process at a time writes to a run folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from groupmem.errors import InputError
from groupmem.files import writing

LOCK = "run.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder, making it where it is not there. The system lets go of the lock when the process dies.

    Raises InputError while another process holds it, and for a folder that holds something else than a run or cannot be
    written.
    """
    with _lock_file(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise InputError(f"{folder} is in use by the process {file.read().strip()}; wait until it ends") from error
        with writing(folder):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
        yield


def _lock_file(folder: Path) -> TextIO:
    with writing(folder):
        _check_place(folder)
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / LOCK).open("a+")


def _check_place(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: a run needs a folder")
    if not folder.is_dir() or (folder / "run.json").is_file():
        return
    others = sorted(
        path.name for path in folder.iterdir() if path.name != LOCK and not path.name.startswith(".run.json")
    )
    if others:
        raise InputError(f"{folder} is no run and not empty (it holds {others[0]}): give --out a folder of its own")
