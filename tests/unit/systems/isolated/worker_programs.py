"""Worker programs for tests: small files that keep or break the protocol, each in one way."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from groupmem.lab.systems.isolated.process import Program, Timeouts, Worker


def program(folder: Path, code: str, *, hello_s: float = 30, call_s: float = 30) -> Program:
    """A program that runs `code` in a file of its own."""
    path = folder / "worker.py"
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return Program(
        name="under-test", argv=(sys.executable, str(path)), timeouts=Timeouts(hello_s=hello_s, call_s=call_s)
    )


def served(folder: Path, methods: str, **timeouts: float) -> Program:
    """A program whose memory, served by the helper, has these methods."""
    code = "from groupmem_worker import *\nclass Memory:\n" + textwrap.indent(textwrap.dedent(methods), "    ")
    return program(folder, f"{code}\nserve(Memory)\n", **timeouts)


def started(folder: Path, what: Program) -> Worker:
    return Worker(what, folder / "worker.log")


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it does so within a minute."""
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()
