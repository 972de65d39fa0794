"""The virtual environments of adapters: where they lie, and what is in them.

    $XDG_CACHE_HOME/groupmem/systems/<name>-<key>/          ~/.cache where the variable is not set
        environment.json                                    written last: without it an environment is not complete
        checkout/                                           the code, where it comes from git
        bin/python, lib/...

The key is of the requirement file, the checkout and the Python version: another one of them is another environment.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from groupmem.errors import InputError
from groupmem.lab.systems.isolated.adapter import Adapter
from groupmem.types import Record

_NEWEST_MINOR = 20
_BOUND = re.compile(r"\s*(?P<sign>>=|<)\s*3\.(?P<minor>\d+)\s*")


class Environment(Record, frozen=True, kw_only=True):
    """environment.json: what was installed. `packages` are versions by name, times are of the installation."""

    name: str
    key: str
    python: str
    packages: Mapping[str, str]
    installed_bytes: int
    seconds: float
    checkout: str | None = None


def environments_root() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache_home) if cache_home else Path.home() / ".cache") / "groupmem" / "systems"


def environment_folder(adapter: Adapter) -> Path:
    """Where the environment of an adapter lies or would lie. Raises InputError where there is no Python for it."""
    version, _ = find_python(adapter)
    return environments_root() / f"{adapter.built_from.name}-{key_of(adapter, version)}"


def installed(adapter: Adapter) -> Environment | None:
    """The record of a complete environment; None where there is none for the adapter as it is now."""
    try:
        content = (environment_folder(adapter) / "environment.json").read_bytes()
        return msgspec.json.decode(content, type=Environment)
    except (OSError, msgspec.DecodeError, InputError):
        return None


def environments_of(adapter: Adapter) -> list[Path]:
    """All environments of an adapter, of now and of earlier versions."""
    pattern = re.compile(rf"{re.escape(adapter.built_from.name)}-[0-9a-f]{{16}}")
    root = environments_root()
    return sorted(path for path in root.iterdir() if pattern.fullmatch(path.name)) if root.is_dir() else []


def outdated(adapter: Adapter) -> list[Path]:
    """Those of other requirements, another commit or another Python than the adapter has now."""
    try:
        current = environment_folder(adapter)
    except InputError:
        return environments_of(adapter)
    return [path for path in environments_of(adapter) if path != current]


def find_python(adapter: Adapter) -> tuple[str, Path]:
    """Version ("3.12") and path of an interpreter that the adapter runs on: the running one, else the newest.

    Raises InputError where none is found.
    """
    low, high = version_bounds(adapter)
    running = sys.version_info[1]
    if low <= running < high:
        return f"3.{running}", Path(sys.executable).resolve()
    for minor in range(min(high - 1, _NEWEST_MINOR), low - 1, -1):
        path = _interpreter(minor)
        if path is not None:
            return f"3.{minor}", path
    raise InputError(
        f"{adapter.name} needs Python {adapter.manifest.python}, and this machine has none (groupmem runs on "
        f"3.{running}): install one, so that python3.{low} or a later one is found on the PATH"
    )


def version_bounds(adapter: Adapter) -> tuple[int, int]:
    """The first minor version, and the first that is too new."""
    bounds = {">=": 0, "<": _NEWEST_MINOR + 1}
    for part in adapter.manifest.python.split(","):
        match = _BOUND.fullmatch(part)
        if match is None:
            raise InputError(f"{adapter.folder / 'adapter.toml'}: python = {part!r}; write it as >=3.10,<3.14")
        bounds[match["sign"]] = int(match["minor"])
    return bounds[">="], bounds["<"]


@cache
def _interpreter(minor: int) -> Path | None:
    """An interpreter of this version that runs: one on the PATH may be a wrapper for a version that is not there."""
    path = shutil.which(f"python3.{minor}")
    if path is None:
        return None
    code = "import sys; print(sys.version_info[1], sys.executable)"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version, _, executable = done.stdout.strip().partition(" ")
    return Path(executable) if done.returncode == 0 and version == str(minor) else None


def key_of(adapter: Adapter, python: str) -> str:
    checkout = adapter.built_from.manifest.checkout
    code = msgspec.json.encode(checkout) if checkout else b""
    parts = (adapter.requirements_path.read_bytes(), python.encode(), code)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
