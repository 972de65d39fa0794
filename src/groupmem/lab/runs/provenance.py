"""What a run must know about itself to be repeated: code revision and package versions."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import groupmem

_REQUIREMENT_NAME = re.compile(r"[A-Za-z0-9._-]+")
_GIT_SECONDS = 10


def package_versions() -> dict[str, str]:
    """Versions of the packages that groupmem needs, by name; none where groupmem itself is not installed."""
    try:
        needed = requires("groupmem") or []
    except PackageNotFoundError:
        return {}
    names = sorted({match.group() for match in map(_REQUIREMENT_NAME.match, needed) if match})
    return {name: found for name in names if (found := _version(name))}


def code_revision() -> dict[str, str]:
    """{"revision": commit, "dirty": "true" or "false"}, where the package is a git checkout of its own; else empty."""
    folder = Path(groupmem.__file__).parent
    # A package that merely lies inside somebody's repository (in its .venv) is not tracked there.
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return {}
    revision, changes = _git(folder, "rev-parse", "HEAD"), _git(folder, "status", "--porcelain", "--", ".")
    if revision is None or changes is None:
        return {}
    return {"revision": revision.strip(), "dirty": str(bool(changes.strip())).lower()}


def code_identity() -> str | None:
    """What stands for the code of the package: its commit, or the sum of its files where it is no checkout. None where
    it has changes that are in no commit, for nobody could name them."""
    code = code_revision()
    if not code:
        return f"files {_sum_of_files(Path(groupmem.__file__).parent)}"
    return None if code["dirty"] == "true" else f"commit {code['revision']}"


def _sum_of_files(folder: Path) -> str:
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    named = ((path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths)
    return hashlib.sha256(repr(list(named)).encode()).hexdigest()


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, "-C", str(folder), *arguments], capture_output=True, text=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
