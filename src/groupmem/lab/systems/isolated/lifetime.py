"""Processes that must not outlive the run that started them, also where the run was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from groupmem.files import write_atomic
from groupmem.types import Record

_ENDING_SECONDS = 5.0


class Mark(Record, frozen=True, kw_only=True):
    """A process, told from a later one with the same number by when it began (in the system's own notation)."""

    pid: int
    began: str


def mark_of(pid: int) -> Mark | None:
    """The mark of a process that is running; None where there is none of this number."""
    began = _began(pid)
    return Mark(pid=pid, began=began) if began else None


def leave_mark(path: Path, pid: int) -> None:
    """Writes the mark of a process to a file, for a later start to end it where this one cannot."""
    mark = mark_of(pid)
    if mark is not None:
        write_atomic(path, msgspec.json.encode(mark), durable=False)


def end_orphan(path: Path) -> bool:
    """Ends the process group that a killed run left, by the mark in a file; whether there was one still running."""
    try:
        mark = msgspec.json.decode(path.read_bytes(), type=Mark)
    except (OSError, msgspec.DecodeError):
        return False
    running = mark_of(mark.pid) == mark
    if running:
        end_group(mark.pid)
    path.unlink(missing_ok=True)
    return running


def end_group(pid: int) -> None:
    """Kills a process and all of its group, and waits until the leader is gone; nothing where it is gone already.

    A child of this process must not have been waited for before: its number stays taken until then.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    _wait(pid)


def end_gently(pid: int) -> None:
    """Asks a process to end (an interrupt), and ends its group by force where it does not within seconds."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGINT)
    _wait(pid)
    end_group(pid)


def has_ended(pid: int) -> bool:
    """Whether a child has ended. It is not waited for, so its number still is its own."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return ended is not None


def _wait(pid: int) -> None:
    deadline = time.monotonic() + _ENDING_SECONDS
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return not has_ended(pid)
    except ChildProcessError:
        return _began(pid) is not None


def _began(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None if Path("/proc/self/stat").exists() else _began_by_ps(pid)
    fields = stat.rpartition(")")[2].split()
    state, ticks = fields[0], fields[19]
    return None if state in "ZX" else ticks


def _began_by_ps(pid: int) -> str | None:
    done = subprocess.run(["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None
