"""What servers a run starts: written down before they are started, so that the next start can end what is left."""

from __future__ import annotations

import signal
from pathlib import Path

import msgspec
from msgspec.structs import replace

from groupmem.files import write_atomic
from groupmem.lab.runs.attached.base import PREFIX
from groupmem.lab.systems.isolated.lifetime import (
    Mark,
    end_belonging,
    end_gently,
    mark_of,
    remove_scratch,
)
from groupmem.types import Record

FILE = "services.json"


class Started(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A server: its port, the folder of its files, and its process; None while it is being started."""

    service: str
    port: int
    folder: str
    process: Mark | None = None


class Ledger:
    """services.json of a run folder. Opening it ends what a killed process of this run left."""

    def __init__(self, run_folder: Path) -> None:
        self._path = run_folder / FILE
        for left in self._read():
            _end(left)
        self._started: list[Started] = []
        self._path.unlink(missing_ok=True)

    def begin(self, service: str, port: int, folder: Path) -> None:
        """Before a server is started: a start that is cut off leaves processes that only their folder tells of."""
        self._started.append(Started(service=service, port=port, folder=str(folder)))
        self._write()

    def add(self, folder: Path, pid: int) -> None:
        """The process of the server whose files lie in `folder`."""
        self._started = [
            replace(started, process=mark_of(pid)) if started.folder == str(folder) else started
            for started in self._started
        ]
        self._write()

    def end(self, folder: Path) -> None:
        """Ends the server whose files lie in `folder`, also one that is still starting, and removes them."""
        for started in [started for started in self._started if started.folder == str(folder)]:
            _end(started)
            self._started.remove(started)
        remove_scratch(folder)
        self._write()

    def _read(self) -> list[Started]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[Started])
        except (OSError, msgspec.DecodeError):
            return []

    def _write(self) -> None:
        if self._started:
            write_atomic(self._path, msgspec.json.encode(self._started), durable=False)
        else:
            self._path.unlink(missing_ok=True)


def _end(started: Started) -> None:
    """A process of the same number that began at another time is somebody else's. The folder's name comes from a file
    of a run: only one that is a server's is touched."""
    if started.process is not None and mark_of(started.process.pid) == started.process:
        end_gently(started.process.pid)
    folder = Path(started.folder)
    if folder.name.startswith(PREFIX):
        end_belonging(folder, signal.SIGINT)
        remove_scratch(folder)
