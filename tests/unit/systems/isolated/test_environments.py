"""Environments are really built here, from a package made on the spot, in a cache folder of the test's own."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner
from worker_programs import eventually

from groupmem.cli import app
from groupmem.errors import InputError
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.isolated import adapter as adapters
from groupmem.lab.systems.isolated import environment
from groupmem.lab.systems.isolated.adapter import Adapter, find_adapter
from groupmem.lab.systems.isolated.environment import environment_folder, environments_root, find_python, installed
from groupmem.lab.systems.isolated.install import install
from groupmem.lab.systems.registry import create_system
from groupmem.types import Message

MINOR = sys.version_info[1]
WORKER = """
from groupmem_worker import serve
import os
from pathlib import Path
import tiny

class Memory:
    packages = ("tiny",)
    def ingest(self, messages):
        self.messages = messages
    def recall(self, question, **asked):
        checkout = os.environ.get("GROUPMEM_CHECKOUT")
        told = (Path(checkout) / "code.txt").read_text() if checkout else tiny.NAME
        return [{"source_ids": [m["id"]], "text": told} for m in self.messages]

serve(Memory)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the adapter `small`, which needs a package that lies beside it."""
    monkeypatch.setattr(adapters, "ADAPTERS", tmp_path / "adapters")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "adapters" / "small"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "NAME = 'the tiny package'\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    (folder / "requirements.txt").write_text(f"--no-index\n--find-links {folder}\ntiny==1.0\n")
    (folder / "worker.py").write_text(WORKER)
    write_manifest(folder)
    return folder


def write_manifest(folder: Path, more: str = "", python: str = f">=3.{MINOR},<3.{MINOR + 1}") -> None:
    (folder / "adapter.toml").write_text(
        f'name = "small"\ntitle = "A small one"\nversion = "tiny 1.0"\npython = "{python}"\n'
        f"download_mb = 1\ninstalled_mb = 20\n{more}"
    )


class Count:
    def __init__(self) -> None:
        self.done = 0

    def advance(self, count: int = 1) -> None:
        self.done += count


def quietly(
    adapter: Adapter, checkout: Path | None = None
) -> tuple[environment.Environment, list[tuple[str, int, int]]]:
    """What was installed, and the tasks that were shown: label, total and what was done of it."""
    shown = []

    @contextmanager
    def task(label: str, total: int) -> Iterator[Count]:
        count = Count()
        yield count
        shown.append((label, total, count.done))

    return install(adapter, checkout, task), shown


def recalled_text() -> str:
    opened = create_system("small")
    opened.system.open(Setting(options=opened.options))
    try:
        opened.system.ingest([Message(id="m1", channel="dock", author="User_1", text="x")])
        return opened.system.recall("what?", asker=None, limit=1, asked_at=None).passages[0].text
    finally:
        opened.system.close()


def test_from_installing_to_recalling_to_removing(folder: Path) -> None:
    runner = CliRunner()
    left = environments_root() / ".building-other-0123456789abcdef"  # by an installation that was killed
    left.mkdir(parents=True)
    told = runner.invoke(app, ["systems", "doctor", "small"])
    assert (told.exit_code, "not installed" in told.stdout) == (1, True)
    told = runner.invoke(app, ["systems", "remove", "small"])
    assert (told.exit_code, told.stdout) == (0, "nothing to remove: small is not installed\n")

    record = json.loads(runner.invoke(app, ["systems", "install", "small", "--json"]).stdout)["installed"][0]
    assert record["packages"]["tiny"] == "1.0"
    assert record["installed_bytes"] > 1_000_000
    assert not left.exists()
    assert recalled_text() == "the tiny package"

    lines = json.loads(runner.invoke(app, ["systems", "list", "--json"]).stdout)["systems"]
    assert [(line["name"], line["installed"]) for line in lines if line["kind"] == "system"] == [("small", True)]
    told = runner.invoke(app, ["systems", "doctor"])
    assert (told.exit_code, "small: runs (tiny 1.0)" in told.stdout) == (0, True)

    where = environment_folder(find_adapter("small"))
    pip = next((where / "bin").glob("pip"))
    assert str(where) in pip.read_text()
    assert ".building" not in pip.read_text()
    removed = json.loads(runner.invoke(app, ["systems", "remove", "small", "--json"]).stdout)
    assert removed["removed"] == [str(where)]
    assert removed["freed_bytes"] >= record["installed_bytes"]
    assert installed(find_adapter("small")) is None


def test_what_cannot_be_installed_leaves_nothing_and_says_why(folder: Path) -> None:
    (folder / "requirements.txt").write_text(f"--no-index\n--find-links {folder}\ntiny==2.0\n")
    with pytest.raises(InputError, match=r"small: its packages cannot be installed[\s\S]*tiny==2\.0"):
        quietly(find_adapter("small"))
    assert [path.name for path in environments_root().iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_installation_that_is_stopped_leaves_nothing_to_be_used(folder: Path, sign: signal.Signals) -> None:
    """It is stopped while pip is at work: the package is a pipe, and nothing ever comes out of it."""
    (folder / "tiny-1.0-py3-none-any.whl").unlink()
    os.mkfifo(folder / "tiny-1.0-py3-none-any.whl")
    code = (
        "import sys; from pathlib import Path\n"
        "from groupmem.lab.systems.isolated import adapter\n"
        f"adapter.ADAPTERS = Path({str(folder.parent)!r})\n"
        "from groupmem.cli import main; sys.argv[1:] = ['systems', 'install', 'small']; main()"
    )
    log = environments_root() / "small.log"
    stopped = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        assert eventually(lambda: log.exists() and "tiny-1.0" in log.read_text())
        stopped.send_signal(sign)
        stopped.wait(timeout=20)
    finally:
        with suppress(ProcessLookupError):  # pip goes with the command where it was interrupted
            os.killpg(stopped.pid, signal.SIGKILL)
    assert stopped.returncode == (130 if sign == signal.SIGINT else -signal.SIGKILL)
    assert installed(find_adapter("small")) is None
    if sign == signal.SIGINT:
        assert [path.name for path in environments_root().iterdir() if path.is_dir()] == []


def test_other_requirements_are_another_environment(folder: Path) -> None:
    adapter = find_adapter("small")
    before = environment_folder(adapter)
    before.mkdir(parents=True)
    assert installed(adapter) is None  # it is not complete
    (folder / "requirements.txt").write_text("tiny==1.1\n")
    adapter = find_adapter("small")
    assert environment_folder(adapter) != before
    assert environment.outdated(adapter) == [before]
    told = CliRunner().invoke(app, ["systems", "remove", "small", "--outdated"])
    assert told.exit_code == 0
    assert not before.exists()


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.invalid"]
    done = subprocess.run(["git", "-C", str(where), *identity, *arguments], capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.strip()


def test_code_from_git_is_that_of_the_pinned_commit(folder: Path, tmp_path: Path) -> None:
    with (folder / "requirements.txt").open("a") as requirements:
        requirements.write("other==1.0 ; sys_platform == 'never'\n")
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    (source / "code.txt").write_text("pinned")
    git(source, "add", ".")
    git(source, "commit", "-qm", "first")
    commit = git(source, "rev-parse", "HEAD")
    (source / "code.txt").write_text("changed since")
    write_manifest(folder, f'[checkout]\nrepository = "owner/small"\ncommit = "{commit}"\n')
    with pytest.raises(InputError, match=r"no package registry holds it: clone owner/small.*--from FOLDER"):
        quietly(find_adapter("small"))
    with pytest.raises(InputError, match="does not hold commit"):
        quietly(find_adapter("small"), tmp_path)
    told = CliRunner().invoke(app, ["systems", "doctor", "small"])
    assert f"clone owner/small, so that commit {commit} is in it" in told.stdout
    record, shown = quietly(find_adapter("small"), source)
    assert record.checkout == commit
    assert shown == [("small: packages", 1, 1)]
    assert quietly(find_adapter("small")) == (record, [])
    assert recalled_text() == "pinned"


def test_a_checkout_is_refused_where_none_is_needed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave out --from"):
        quietly(find_adapter("small"), tmp_path)


def test_the_command_refuses_a_checkout_that_nothing_needs(folder: Path, tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["systems", "install", "small", "--from", str(tmp_path)])
    assert isinstance(told.exception, InputError)
    assert "leave out --from" in str(told.exception)
    assert not environments_root().exists()


def test_pip_is_not_started_where_its_requirements_cannot_be_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Watched(subprocess.Popen[str]):
        def __init__(self, command: list[str], **rest: object) -> None:
            started.append(command)
            super().__init__(command, **rest)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", Watched)
    (folder / "requirements.txt").write_text("tiny==1.0 ; not a marker\n")
    with pytest.raises(InputError, match="reading requirements failed"):
        quietly(find_adapter("small"))
    assert started
    assert not any("install" in command for command in started)


def test_an_installation_that_waits_for_another_says_so(folder: Path) -> None:
    where = environment_folder(find_adapter("small"))
    where.mkdir(parents=True)
    record = environment.Environment(name="small", key="", python="", packages={}, installed_bytes=0, seconds=0.0)
    (where / "environment.json").write_bytes(msgspec.json.encode(record))
    told: list[str] = []
    with (environments_root() / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        @contextmanager
        def task(label: str, total: int) -> Iterator[Count]:
            told.append(label)
            fcntl.flock(other, fcntl.LOCK_UN)
            yield Count()

        assert install(find_adapter("small"), None, task) == record
    assert told == ["waiting for another installation to end"]


def test_removing_says_who_shares_the_environment(folder: Path) -> None:
    sharer = folder.with_name("small_raw")
    sharer.mkdir()
    write_manifest(sharer, 'worker = "small"\n')
    (sharer / "adapter.toml").write_text((sharer / "adapter.toml").read_text().replace('"small"', '"small-raw"', 1))
    environment_folder(find_adapter("small")).mkdir(parents=True)
    told = CliRunner().invoke(app, ["systems", "remove", "small-raw"])
    assert "small-raw: its environment is that of small too" in told.stderr
    assert "removed 1 environment, " in told.stdout
    assert "too" not in CliRunner().invoke(app, ["systems", "remove", "small", "small-raw"]).stderr


def test_a_python_that_is_not_there_is_named(folder: Path) -> None:
    write_manifest(folder, python=">=3.98,<3.99")
    with pytest.raises(InputError, match=r"needs Python >=3\.98,<3\.99.*install one"):
        find_python(find_adapter("small"))
    told = CliRunner().invoke(app, ["systems", "doctor", "small"])
    assert "no Python for it" in told.stdout
    write_manifest(folder, python="3.12")
    with pytest.raises(InputError, match="write it as"):
        find_python(find_adapter("small"))
