"""What every command has in common: results go to stdout, everything else to stderr.

On a terminal long work shows a bar, elsewhere plain lines, with --quiet nothing. With --json one object stands on
stdout and nothing else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer

from groupmem.text import printable

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")]

SECONDS_BETWEEN_LINES = 10.0


class Console:
    """Progress (as `groupmem.lab.runs.progress` asks for it) and results of one command."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Bar | Lines]:
        """Shows one piece of work of known length while the context lasts."""
        if self._quiet or not total:
            yield Lines(label, total, silent=True)
        elif sys.stderr.isatty():
            with _bar(label, total) as bar:
                yield bar
        else:
            lines = Lines(label, total)
            yield lines
            lines.finish()

    def note(self, text: str) -> None:
        """One line beside the results."""
        if not self._quiet:
            tell(text)


class Lines:
    """Progress as plain lines: one every ten seconds, and one at the end."""

    def __init__(self, label: str, total: int, *, silent: bool = False) -> None:
        self._label = label
        self._total = total
        self._silent = silent
        self._done = 0
        self._started = self._told = time.monotonic()

    def advance(self, count: int = 1) -> None:
        self._done += count
        if time.monotonic() - self._told >= SECONDS_BETWEEN_LINES:
            self._tell()

    def finish(self) -> None:
        self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        if not self._silent:
            seconds = self._told - self._started
            tell(f"{self._label}: {self._done} of {self._total}, {seconds:.1f} s")


class Bar:
    """Progress as a bar that vanishes when the work is done."""

    def __init__(self, progress: Any, task: Any) -> None:
        self._progress = progress
        self._task = task

    def advance(self, count: int = 1) -> None:
        self._progress.advance(self._task, count)


def print_object(value: Any) -> None:
    """The one JSON object of a command."""
    print(msgspec.json.encode(value).decode())


def tell(text: str) -> None:
    """One line on stderr. Names come from data, so what could steer a terminal is written as an escape."""
    print(one_line(text), file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    return printable(" ".join(text.splitlines()))


@contextmanager
def _bar(label: str, total: int) -> Iterator[Bar]:
    from rich.console import Console as RichConsole
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=RichConsole(stderr=True), transient=True) as progress:
        yield Bar(progress, progress.add_task(one_line(label), total=total))
