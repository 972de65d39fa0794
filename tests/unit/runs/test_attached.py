"""The databases of a run: what a killed run left is ended, and those that are installed here do what they should."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.runs.attached.base import new_folder
from groupmem.lab.runs.attached.ledger import FILE, Ledger, Started
from groupmem.lab.runs.attached.pool import ServicePool
from groupmem.lab.systems.base import Need
from groupmem.lab.systems.isolated.adapter import find_installable
from groupmem.lab.systems.isolated.environment import installed
from groupmem.lab.systems.isolated.lifetime import Mark, mark_of


@pytest.fixture
def server() -> subprocess.Popen[bytes]:
    """A process that leads a group of its own, as servers do."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)


def test_the_next_start_ends_what_a_killed_run_left(tmp_path: Path, server: subprocess.Popen[bytes]) -> None:
    files = new_folder()
    Ledger(tmp_path).add("postgres", server.pid, 5432, files)
    (left,) = msgspec.json.decode((tmp_path / FILE).read_bytes(), type=list[Started])
    assert (left.service, left.process.pid, left.port, left.folder) == ("postgres", server.pid, 5432, str(files))
    Ledger(tmp_path)
    assert server.wait(timeout=10) != 0
    assert not files.exists()
    assert not (tmp_path / FILE).exists()


def test_a_folder_that_no_run_makes_is_not_removed(tmp_path: Path) -> None:
    """A run folder may come from somebody else."""
    kept = tmp_path / "groupmem-service-kept"
    kept.mkdir()
    named = Started(service="x", process=Mark(pid=1, began="long ago"), port=1, folder=str(kept))
    (tmp_path / FILE).write_bytes(msgspec.json.encode([named]))
    Ledger(tmp_path)
    assert kept.is_dir()


def test_a_process_that_took_the_number_later_is_left_alone(tmp_path: Path, server: subprocess.Popen[bytes]) -> None:
    other = Started(service="x", process=Mark(pid=server.pid, began="long ago"), port=1, folder=str(tmp_path / "no"))
    (tmp_path / FILE).write_bytes(msgspec.json.encode([other]))
    Ledger(tmp_path)
    assert mark_of(server.pid) is not None
    server.kill()
    server.wait()


def test_what_is_ended_in_time_is_not_written_down_any_more(tmp_path: Path, server: subprocess.Popen[bytes]) -> None:
    ledger = Ledger(tmp_path)
    ledger.add("postgres", server.pid, 5432, tmp_path / "files")
    ledger.end(tmp_path / "files")
    assert server.wait(timeout=10) != 0
    assert not (tmp_path / FILE).exists()


def test_a_service_that_is_not_installed_says_how_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ServicePool(tmp_path) as pool, pytest.raises(InputError, match="groupmem systems install postgres"):
        pool.open_cell(("chat", "postgres"))


def test_other_needs_start_nothing(tmp_path: Path) -> None:
    with ServicePool(tmp_path) as pool:
        cell = pool.open_cell(("chat", "embedding"))
        assert (cell.urls, cell.size_bytes()) == ({}, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("need", ["postgres", "falkordb"])
def test_each_cell_has_an_empty_database_that_is_gone_with_it(need: Need, tmp_path: Path) -> None:
    if installed(find_installable(need)) is None:
        pytest.skip(f"not installed: groupmem systems install {need}")
    with ServicePool(tmp_path) as pool:
        first, second = pool.open_cell((need,)), pool.open_cell((need,))
        assert first.urls[need] != second.urls[need]
        assert "@127.0.0.1:" in first.urls[need] or "//127.0.0.1:" in first.urls[need]
        assert 0 <= first.size_bytes() < 1000
        ports = [started.port for started in msgspec.json.decode((tmp_path / FILE).read_bytes(), type=list[Started])]
        assert all(_listens(port) for port in ports)
        first.close()
    assert not any(_listens(port) for port in ports)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("need", ["postgres", "falkordb"])
def test_a_server_that_died_hinders_no_end(need: Need, tmp_path: Path) -> None:
    if installed(find_installable(need)) is None:
        pytest.skip(f"not installed: groupmem systems install {need}")
    with ServicePool(tmp_path) as pool:
        cell = pool.open_cell((need,))
        (server,) = msgspec.json.decode((tmp_path / FILE).read_bytes(), type=list[Started])
        os.kill(server.process.pid, signal.SIGQUIT if need == "postgres" else signal.SIGKILL)
        while mark_of(server.process.pid) is not None:
            time.sleep(0.01)
        with pytest.raises(SystemFailure):
            cell.size_bytes()
        cell.close()
    assert list(tmp_path.iterdir()) == []


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
