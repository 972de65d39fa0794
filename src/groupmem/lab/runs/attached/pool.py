"""The services of a run, each started when the first cell needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from groupmem.errors import InputError
from groupmem.lab.runs.attached.base import Database, Service, Template
from groupmem.lab.runs.attached.falkordb import FalkorDB
from groupmem.lab.runs.attached.ledger import Ledger
from groupmem.lab.runs.attached.postgres import Postgres
from groupmem.lab.systems.base import Need
from groupmem.lab.systems.isolated.adapter import find_installable
from groupmem.lab.systems.isolated.environment import environment_folder, installed

_SERVICES: Mapping[Need, Callable[[Path, Ledger], Service]] = {"postgres": Postgres, "falkordb": FalkorDB}


class CellDatabases:
    """The databases of one cell."""

    def __init__(self) -> None:
        self._databases: dict[Need, Database] = {}

    def add(self, need: Need, database: Database) -> None:
        self._databases[need] = database

    @property
    def urls(self) -> dict[Need, str]:
        return {need: database.url for need, database in self._databases.items()}

    def dump(self, folder: Path) -> None:
        """Writes each to a file of its need's name. Raises SystemFailure."""
        for need, database in self._databases.items():
            database.dump(folder / need)

    def size_bytes(self) -> int:
        """What they take on the disk together."""
        return sum(database.size_bytes() for database in self._databases.values())

    def close(self) -> None:
        """Removes them."""
        for database in self._databases.values():
            database.close()
        self._databases.clear()


class ServicePool:
    """Starts and stops the services of a run; what a killed process of the run left is ended when it is entered."""

    def __init__(self, run_folder: Path) -> None:
        self._run_folder = run_folder
        self._services: dict[Need, Service] = {}

    def __enter__(self) -> Self:
        self._ledger = Ledger(self._run_folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for service in self._services.values():
            service.close()

    def open_cell(
        self, needs: Sequence[Need], template: Template | None = None, dumped: Path | None = None
    ) -> CellDatabases:
        """A database for each of the needs that is a service: with what was `dumped` to this folder, else a copy of the
        template where the service makes copies, else an empty one.

        Raises InputError where a service is not installed, SystemFailure where it does not start, and what filling the
        template raises.
        """
        databases = CellDatabases()
        try:
            for need in needs:
                if need in _SERVICES:
                    own = dumped / need if dumped else None
                    databases.add(need, self._service(need).create(template, own))
        except BaseException:
            databases.close()
            raise
        return databases

    def _service(self, need: Need) -> Service:
        if need not in self._services:
            adapter = find_installable(need)
            if installed(adapter) is None:
                raise InputError(f"{need} is not installed: say groupmem systems install {need}")
            self._services[need] = _SERVICES[need](environment_folder(adapter), self._ledger)
        return self._services[need]
