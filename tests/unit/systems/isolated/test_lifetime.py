"""Processes are told apart by number and beginning, and are ended with all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from worker_programs import eventually

from groupmem.lab.systems.isolated import lifetime
from groupmem.lab.systems.isolated.lifetime import (
    SCRATCH,
    SCRATCH_VARIABLE,
    Mark,
    end_belonging,
    end_gently,
    end_orphan,
    leave_mark,
    mark_of,
)

SLEEPING = "import time; print(flush=True); time.sleep(600)"
PARENT = (
    "import subprocess, sys\n"
    f"child = subprocess.Popen([sys.executable, '-c', {SLEEPING!r}])\n"
    "print(child.pid, flush=True)\n"
    "child.wait()"
)
STUBBORN = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {SLEEPING}"


def started(code: str) -> tuple[subprocess.Popen[str], str]:
    """A process that leads a group, and its first line."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.mark.parametrize("began", [lifetime._began, lifetime._began_by_ps], ids=["proc", "ps"])
def test_a_process_that_has_ended_did_not_begin(began: Callable[[int], str | None]) -> None:
    if began is lifetime._began_by_ps and not Path("/bin/ps").exists():
        pytest.skip("no ps here")
    process, _ = started(SLEEPING)
    assert began(process.pid) == began(process.pid) is not None
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked how
    assert began(process.pid) is None
    process.wait()
    assert began(process.pid) is None


def test_an_orphan_is_ended_with_what_it_started(tmp_path: Path) -> None:
    process, child = started(PARENT)
    scratch = Path(tempfile.mkdtemp(prefix=lifetime.SCRATCH))
    leave_mark(tmp_path / "mark", process.pid, scratch)
    end_orphan(tmp_path / "mark")
    assert not scratch.exists()
    assert process.wait() == -signal.SIGKILL
    assert eventually(lambda: mark_of(int(child)) is None)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("content", [b"", b"{", b'{"pid": "x"}'])
def test_a_mark_that_cannot_be_read_ends_nobody(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mark").write_bytes(content)
    end_orphan(tmp_path / "mark")


def test_a_number_that_was_taken_again_is_left_alone(tmp_path: Path) -> None:
    process, _ = started(SLEEPING)
    mark = mark_of(process.pid)
    assert mark is not None
    kept = tmp_path / f"{lifetime.SCRATCH}kept"  # not where scratch folders are made
    kept.mkdir()
    (tmp_path / "mark").write_text(f'{{"pid": {mark.pid}, "began": "another time", "scratch": "{kept}"}}')
    end_orphan(tmp_path / "mark")
    assert mark_of(process.pid) == mark == Mark(pid=process.pid, began=mark.began)
    assert kept.is_dir()
    process.kill()
    process.wait()


@pytest.mark.parametrize(("code", "status"), [(SLEEPING, 1), (STUBBORN, -signal.SIGKILL)], ids=["asked", "forced"])
def test_who_does_not_end_when_asked_is_ended_by_force(code: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetime, "_ENDING_SECONDS", 5.0 if status == 1 else 0.1)
    process, _ = started(code)
    end_gently(process.pid)
    assert process.wait() in (status, -signal.SIGINT if status == 1 else status)


def daemon_of(folder: Path, *, named: bool, inside: bool) -> int:
    """A process in a session of its own whose parent has ended, so that nobody knows of it."""
    code = (
        "import subprocess, sys; silent = {name: -3 for name in ('stdin', 'stdout', 'stderr')}; "
        f"daemon = subprocess.Popen([sys.executable, '-c', {SLEEPING!r}], **silent, start_new_session=True); "
        "print(daemon.pid)"
    )
    variables = {**os.environ, **({SCRATCH_VARIABLE: str(folder)} if named else {})}
    place = folder if inside else None
    told = subprocess.run([sys.executable, "-c", code], env=variables, cwd=place, capture_output=True, check=True)
    return int(told.stdout)


@pytest.fixture
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
    yield folder
    folder.rmdir()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="they are found in /proc alone")
@pytest.mark.parametrize(("named", "inside"), [(True, False), (False, True)], ids=["named", "inside"])
@pytest.mark.parametrize("first", [signal.SIGKILL, signal.SIGINT])
def test_a_daemon_that_nobody_knows_is_found_by_its_folder(
    scratch: Path, named: bool, inside: bool, first: signal.Signals
) -> None:
    pid = daemon_of(scratch, named=named, inside=inside)
    assert mark_of(pid) is not None
    end_belonging(scratch, first)
    assert mark_of(pid) is None


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="they are found in /proc alone")
def test_one_that_does_not_end_when_asked_is_killed(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetime, "_ENDING_SECONDS", 0.2)
    process = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, cwd=scratch)
    assert process.stdout is not None
    process.stdout.readline()
    end_belonging(scratch, signal.SIGINT)
    assert process.wait() == -signal.SIGKILL


def test_what_belongs_to_another_folder_or_has_a_terminal_is_left_alone(scratch: Path, tmp_path: Path) -> None:
    """A user's shell may stand in the folder; and a folder that nobody here made is nobody's."""
    master, terminal = os.openpty()
    shell = subprocess.Popen(
        [sys.executable, "-c", SLEEPING],
        cwd=scratch,
        preexec_fn=partial(os.login_tty, terminal),
    )
    other = daemon_of(tmp_path, named=True, inside=True)
    end_belonging(scratch)
    end_belonging(tmp_path)
    alive = mark_of(other) is not None and mark_of(shell.pid) is not None
    os.kill(other, signal.SIGKILL)
    shell.kill()
    shell.wait()
    os.close(master)
    os.close(terminal)
    assert alive
