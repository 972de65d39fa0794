"""Workers between two cells of a run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from groupmem.lab.systems.isolated.lifetime import end_orphan
from groupmem.lab.systems.isolated.process import Program, Worker


class IdleWorkers:
    """Keeps workers that have closed a cell and can open another: starting one may take longer than its questions.

    Their marks lie in the folder `marks`; those that a killed run left there are ended when it is entered.
    """

    def __init__(self, marks: Path | None = None) -> None:
        self._marks = marks
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        for left in sorted(self._marks.glob("*.pid")) if self._marks else ():
            end_orphan(left)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        if self._marks is not None:
            with suppress(OSError):
                self._marks.rmdir()

    def take(self, program: Program, log_path: Path) -> Worker:
        """A worker of the program that serves nobody, else one that is started now. Raises as `Worker` does."""
        for worker in [worker for worker in self._workers if worker.program == program]:
            self._workers.remove(worker)
            if worker.begin_again(log_path):
                return worker
        return Worker(program, log_path)

    def give(self, worker: Worker) -> None:
        """Closes the cell that it serves, and keeps the worker where it can open another. Raises as `Worker.close`."""
        if worker.close_cell():
            if self._marks is not None:
                worker.rest(self._marks)
            self._workers.append(worker)
