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
SCRATCH_VARIABLE = "GROUPMEM_SCRATCH"
"""Names its scratch folder to a process, and so to all that it starts: by this they are found again."""

_ENDING_SECONDS = 5.0
_TERMINAL, _BEGAN = 4, 19  # among the fields of /proc/PID/stat from the state on


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
    end_belonging(Path(left.scratch))
    remove_scratch(Path(left.scratch))
    path.unlink(missing_ok=True)


def remove_scratch(folder: Path) -> None:
    """Removes a folder for temporary files of this user and package, and no other: its name may come from a file of a
    run."""
    if _is_scratch(folder):
        shutil.rmtree(folder, ignore_errors=True)


def end_belonging(folder: Path, first: signal.Signals = signal.SIGKILL) -> None:
    """Ends every process that belongs to a scratch folder, also one that made a session of its own and whose parents
    are gone: it works below the folder, or its environment names it.

    They are asked with the signal `first`, and killed where they are still there after seconds. They are found where
    the system shows processes as files (/proc); elsewhere nobody is.
    """
    if not _is_scratch(folder):
        return
    how, deadline = first, time.monotonic() + _ENDING_SECONDS
    asked: set[Mark] = set()
    while found := _belonging(folder):
        if time.monotonic() > deadline:
            if how == signal.SIGKILL:
                return  # what cannot be killed waits for the system: nothing here can end it
            how, deadline, asked = signal.SIGKILL, time.monotonic() + _ENDING_SECONDS, set()
        for mark in found - asked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(mark.pid, how)
        asked |= found
        time.sleep(0.01)


def _is_scratch(folder: Path) -> bool:
    try:
        ours = folder.name.startswith(SCRATCH) and folder.lstat().st_uid == os.geteuid()
    except OSError:
        return False
    return ours and folder.parent == Path(tempfile.gettempdir())


def _belonging(folder: Path) -> set[Mark]:
    """The processes of a folder that are running, and never this one."""
    numbers = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    marks = (mark_of(pid) for pid in numbers if pid != os.getpid() and _belongs(pid, folder))
    return {mark for mark in marks if mark is not None}


def _belongs(pid: int, folder: Path) -> bool:
    """Whether a process has the folder's name, or works below it without a terminal (a user's shell in there has one,
    and a server may have overwritten its environment). Not where that cannot be seen: it is another user's."""
    named = os.fsencode(f"{SCRATCH_VARIABLE}={folder}")
    process = Path(f"/proc/{pid}")
    try:
        if named in (process / "environ").read_bytes().split(b"\0"):
            return True
        in_it = (process / "cwd").readlink().is_relative_to(folder.resolve())
        return in_it and _fields(process)[_TERMINAL] == "0"
    except OSError:
        return False


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
        fields = _fields(Path(f"/proc/{pid}"))
    except OSError:
        return None if Path("/proc/self/stat").exists() else _began_by_ps(pid)
    return None if fields[0] in "ZX" else fields[_BEGAN]


def _fields(process: Path) -> list[str]:
    """What the system says of a process, from its state on. Raises OSError where there is none."""
    return (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _began_by_ps(pid: int) -> str | None:
    command = ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    state, _, began = told.partition(" ")
    return began.strip() if began and not state.startswith("Z") else None
