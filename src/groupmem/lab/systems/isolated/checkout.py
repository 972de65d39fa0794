"""Code that comes from git: a commit, pinned, out of a checkout that the user has."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from groupmem.errors import InputError
from groupmem.lab.systems.isolated.adapter import Adapter, Checkout


def check_checkout(adapter: Adapter, given: Path | None) -> None:
    """Raises InputError unless `given` is a git folder that holds the commit of the adapter, or neither is there."""
    needed = adapter.manifest.checkout
    if needed is None and given is not None:
        raise InputError(f"{adapter.name} comes from a package registry: leave out --from")
    if needed is None:
        return
    if given is None:
        raise InputError(f"{adapter.name}: {how_to_get(adapter.name, needed)}")
    held = _git(given, "cat-file", "-e", f"{needed.commit}^{{commit}}")
    if held.returncode:
        raise InputError(
            f"{given} does not hold commit {needed.commit} of {needed.repository} "
            f"({held.stderr.decode(errors='replace').strip()}): clone it, or fetch the commit there first"
        )


def how_to_get(name: str, needed: Checkout) -> str:
    """What a user has to do before the adapter can be installed."""
    return (
        f"its code comes from git, no package registry holds it: clone {needed.repository}, so that commit "
        f"{needed.commit} is in it, and say groupmem systems install {name} --from FOLDER"
    )


def extract(needed: Checkout, source: Path, target: Path) -> None:
    """Writes the files of the commit to `target`, whatever the work tree of `source` holds.

    Nothing but what is written is read: `source` may be a sparse or partial clone.
    """
    packed = _git(source, "archive", "--format=tar", needed.commit, "--", *needed.paths)
    if packed.returncode:
        raise InputError(f"{source}: commit {needed.commit} cannot be read: {packed.stderr.decode(errors='replace')}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(target, filter="data")


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    git = shutil.which("git")
    if git is None:
        raise InputError("git is not installed, and a checkout cannot be read without it")
    return subprocess.run([git, "-C", str(folder), *arguments], capture_output=True, check=False)
