"""Builds the environment of an adapter: beside the finished ones first, and under its name only when it is complete."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Protocol

import msgspec

from groupmem.errors import InputError
from groupmem.files import write_atomic, writing
from groupmem.lab.systems.isolated.adapter import Adapter
from groupmem.lab.systems.isolated.checkout import check_checkout, extract
from groupmem.lab.systems.isolated.environment import (
    Environment,
    environment_folder,
    environments_root,
    find_python,
    key_of,
)

_PIN = re.compile(r"^[A-Za-z0-9._-]+(?:\[[^]]+\])?==[^ ;\\\n]+(?: ; (?P<marker>[^\\\n]+))?", re.MULTILINE)
_COUNTING = (
    "import json, sys; from pip._vendor.packaging.markers import Marker; "
    "print(sum(Marker(written).evaluate() for written in json.load(sys.stdin)))"
)
_STRANGE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
_LAST_LINES = 15


class Task(Protocol):
    """The progress of one piece of work."""

    def advance(self, count: int = 1) -> None: ...


OpenTask = Callable[[str, int], AbstractContextManager[Task]]


def install(adapter: Adapter, checkout: Path | None, open_task: OpenTask) -> Environment:
    """Builds the environment; one that is there already stays as it is.

    `checkout` is a git folder that holds the pinned commit, for an adapter whose code comes from git. Raises InputError
    where it is missing or not needed, where there is no Python for it, and where a package cannot be installed.
    """
    source, folder = adapter.built_from, environment_folder(adapter)
    with _building(folder, open_task) as build:
        if build is None:
            return msgspec.json.decode((folder / "environment.json").read_bytes(), type=Environment)
        check_checkout(source, checkout)
        started = time.monotonic()
        python, interpreter = find_python(source)
        _run([str(interpreter), "-m", "venv", str(build)], f"{source.name}: making the environment failed")
        _install_packages(source, build, open_task)
        if source.manifest.checkout is not None and checkout is not None:
            extract(source.manifest.checkout, checkout, build / "checkout")
        _rename_in_scripts(build, folder)
        record = Environment(
            name=source.name,
            key=key_of(source, python),
            python=python,
            packages=_packages(build),
            installed_bytes=_size(build),
            seconds=round(time.monotonic() - started, 1),
            checkout=source.manifest.checkout.commit if source.manifest.checkout else None,
        )
        write_atomic(build / "environment.json", msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
        build.rename(folder)
    return record


def remove(folders: Sequence[Path]) -> int:
    """Removes environments; the bytes that it freed."""
    freed = sum(map(_size, folders))
    for folder in folders:
        with writing(folder):
            shutil.rmtree(folder)
    return freed


@contextmanager
def _building(folder: Path, open_task: OpenTask) -> Iterator[Path | None]:
    """A folder to build in, which is gone afterwards unless it was renamed; None where `folder` is complete.

    One process at a time installs. What one that was killed left is removed by the next.
    """
    root = environments_root()
    with writing(root):
        root.mkdir(parents=True, exist_ok=True)
        lock = (root / ".lock").open("w")
    with lock:
        _take(lock, open_task)
        for left in root.glob(".building-*"):
            shutil.rmtree(left, ignore_errors=True)
        if (folder / "environment.json").is_file():
            yield None
            return
        build = root / f".building-{folder.name}"
        try:
            yield build
        finally:
            shutil.rmtree(build, ignore_errors=True)


def _take(lock: IO[str], open_task: OpenTask) -> None:
    """Waits where another process is installing, and says so."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with open_task("waiting for another installation to end", 1) as task:
            fcntl.flock(lock, fcntl.LOCK_EX)
            task.advance()


def _install_packages(adapter: Adapter, build: Path, open_task: OpenTask) -> None:
    """Exactly what the requirement file names: it may leave out what a package asks for and never imports."""
    requirements = adapter.requirements_path
    command = [str(build / "bin" / "python"), "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
    command += ["--disable-pip-version-check", "--no-deps", "-r", str(requirements)]
    log_path = environments_root() / f"{adapter.name}.log"
    at_once = {"PYTHONUNBUFFERED": "1"}  # so that its lines are progress
    total = _count_packages(build, requirements.read_text(encoding="utf-8"))
    with (
        log_path.open("w", 1, "utf-8") as log,
        open_task(f"{adapter.name}: packages", total) as task,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_own_variables() | at_once
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                log.write(line)
                if line.startswith(("Collecting ", "Processing ")):
                    task.advance()
        except BaseException:
            process.kill()  # else it would go on writing to a folder that is being removed
            raise
    if process.returncode:
        last = log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
        told = "".join(f"\n  | {line}" for line in last)
        raise InputError(f"{adapter.name}: its packages cannot be installed{told}\n(log: {log_path})")


def _count_packages(build: Path, requirements: str) -> int:
    """Packages of a requirement file that are for this Python and this machine."""
    markers = [pin["marker"] for pin in _PIN.finditer(requirements)]
    conditions = msgspec.json.encode([marker.strip() for marker in markers if marker])
    holding = _run([str(build / "bin" / "python"), "-c", _COUNTING], "reading requirements failed", conditions.decode())
    return markers.count(None) + int(holding)


def _rename_in_scripts(build: Path, folder: Path) -> None:
    """Scripts name the interpreter by its path, which is another one after the folder is renamed."""
    old, new = os.fsencode(build), os.fsencode(folder)
    for script in (build / "bin").iterdir():
        if script.is_file() and not script.is_symlink() and old in (content := script.read_bytes()):
            script.write_bytes(content.replace(old, new))


def _packages(build: Path) -> dict[str, str]:
    listed = _run([str(build / "bin" / "python"), "-m", "pip", "list", "--format=json"], "pip list failed")
    return {package["name"]: package["version"] for package in msgspec.json.decode(listed)}


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _run(command: list[str], failed: str, stdin: str = "") -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=_own_variables(), check=False)
    if done.returncode:
        raise InputError(f"{failed}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def _own_variables() -> dict[str, str]:
    """The user's variables (where packages come from is the user's affair), without another environment's."""
    return {name: value for name, value in os.environ.items() if name not in _STRANGE}
