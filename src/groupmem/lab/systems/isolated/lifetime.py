"""Processes that must not outlive the run that started them, also where the run was killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from groupmem.files import write_atomic
from groupmem.types import Record

SCRATCH = "groupmem-"
_ENDING_SECONDS = 5.0


class Mark(Record, frozen=True, kw_only=True):
    """A process, told from a later one with the same number by when it began (in the system's own notation)."""

    pid: int
    began: str


class Left(Mark, frozen=True, kw_only=True):
    """A process with the folder that is to go with it."""

    scratch: str


def mark_of(pid: int) -> Mark | None:
    """The mark of a process that is running; None where there is none of this number."""
    began = _began(pid)
    return Mark(pid=pid, began=began) if began else None


def leave_mark(path: Path, pid: int, scratch: Path) -> None:
    """Writes down a process and its scratch folder, for a later start to end and remove where this one cannot."""
    mark = mark_of(pid)
    if mark is not None:
        write_atomic(path, msgspec.json.encode(Left(pid=pid, began=mark.began, scratch=str(scratch))), durable=False)


def end_orphan(path: Path) -> None:
    """Ends the process group that a killed run left, by its mark in a file, and removes its scratch folder."""
    try:
        left = msgspec.json.decode(path.read_bytes(), type=Left)
    except (OSError, msgspec.DecodeError):
        return
    if mark_of(left.pid) == Mark(pid=left.pid, began=left.began):
        end_group(left.pid)
        _wait(left.pid)
    remove_scratch(Path(left.scratch))
    path.unlink(missing_ok=True)


def remove_scratch(folder: Path) -> None:
    """Removes a folder for temporary files of this user and package, and no other: its name may come from a file of a
    run."""
    with suppress(OSError):
        ours = folder.name.startswith(SCRATCH) and folder.lstat().st_uid == os.geteuid()
        if ours and folder.parent == Path(tempfile.gettempdir()):
            shutil.rmtree(folder, ignore_errors=True)


def end_group(pid: int) -> None:
    """Kills what is left of the group of a process that leads one; nothing where nobody is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def end_gently(pid: int) -> None:
    """Asks a process to end (an interrupt), and ends its group by force where it does not within seconds."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGINT)
    _wait(pid)
    if _began(pid) is not None:
        end_group(pid)
        _wait(pid)


def _wait(pid: int) -> None:
    deadline = time.monotonic() + _ENDING_SECONDS
    while _began(pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)


def _began(pid: int) -> str | None:
    """When a process began; None where it has ended, whether or not its parent knows."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None if Path("/proc/self/stat").exists() else _began_by_ps(pid)
    fields = stat.rpartition(")")[2].split()
    state, ticks = fields[0], fields[19]
    return None if state in "ZX" else ticks


def _began_by_ps(pid: int) -> str | None:
    command = ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    state, _, began = told.partition(" ")
    return began.strip() if began and not state.startswith("Z") else None
