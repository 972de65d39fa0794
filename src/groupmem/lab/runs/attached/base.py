"""What a service is: a server of the run that gives each cell an empty database of its own."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from groupmem.errors import SystemFailure
from groupmem.lab.systems.isolated.lifetime import SCRATCH, SCRATCH_VARIABLE

START_SECONDS = 60.0
PREFIX = f"{SCRATCH}service-"


class Database(Protocol):
    """The database of one cell."""

    @property
    def url(self) -> str: ...

    def size_bytes(self) -> int:
        """What it takes on the disk, with all that was written so far."""
        ...

    def dump(self, path: Path) -> None:
        """Writes all that it holds to a file, from which another database can be made. Raises SystemFailure."""
        ...

    def close(self) -> None: ...


class Template(NamedTuple):
    """What a system makes in an empty database before it knows of any conversation: its tables. `fill` is given the URL
    of the database, and is called once for a `key`; the databases of cells are then copies."""

    key: str
    fill: Callable[[str], None]


class Service(Protocol):
    """Makes databases. What it starts is told to the ledger before it is started."""

    def create(self, template: Template | None = None, dumped: Path | None = None) -> Database:
        """An empty database, or one that holds what was `dumped`, or else what the template does, where the service can
        copy one.

        Raises SystemFailure where the server does not start, or cannot read the file, and what `fill` raises.
        """
        ...

    def close(self) -> None:
        """Stops the server and removes all that it kept."""
        ...


def free_port() -> int:
    """A port of the loopback interface that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def new_password() -> str:
    return secrets.token_hex(16)


def new_folder() -> Path:
    """A folder for a server's files, below the folder for temporary ones."""
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def server_variables(home: Path, folder: Path) -> dict[str, str]:
    """All environment variables of a server that keeps its files in `folder`: none of the user's, for there are keys
    among them."""
    return {"HOME": str(home), SCRATCH_VARIABLE: str(folder), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}


def wait_until(ready: Callable[[], bool], what: str) -> None:
    """Returns when `ready` does so. Raises SystemFailure after a minute."""
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            raise SystemFailure(f"{what} did not start within {START_SECONDS:g} seconds")
        time.sleep(0.05)
