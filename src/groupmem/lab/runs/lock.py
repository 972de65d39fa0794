"""One process at a time writes to a run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groupmem.errors import InputError
from groupmem.files import only_process, writing

LOCK = "run.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder, making it where it is not there. The system lets go of the lock when the process dies.

    Raises InputError while another process holds it, and for a folder that holds something else than a run or cannot be
    written.
    """
    with writing(folder):
        _check_place(folder)
        folder.mkdir(parents=True, exist_ok=True)
    with only_process(folder / LOCK, folder):
        yield


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
