"""Which isolated systems and services there are, and what each lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from groupmem.errors import GroupMemError
from groupmem.lab.systems.isolated.adapter import (
    Adapter,
    adapter_names,
    find_installable,
    service_names,
)
from groupmem.lab.systems.isolated.checkout import how_to_get
from groupmem.lab.systems.isolated.environment import environment_folder, find_python, installed, outdated
from groupmem.lab.systems.isolated.official import parts_of, program_of
from groupmem.lab.systems.isolated.process import greet
from groupmem.types import Record

Kind = Literal["system", "service"]


class Listed(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One line of the list. Sizes in bytes; `installed_bytes` is measured where it is installed, else what is known."""

    name: str
    kind: Kind
    title: str
    version: str
    needs: tuple[str, ...]
    installed: bool
    download_bytes: int
    installed_bytes: int
    folder: str | None


class Finding(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the doctor says of one system: `problem` None where it runs, else `remedy` is what to do."""

    name: str
    problem: str | None = None
    remedy: str | None = None
    detail: str = ""


def listed() -> list[Listed]:
    """All systems, then all services."""
    return [_line(find_installable(name)) for name in (*adapter_names(), *service_names())]


def examine(adapter: Adapter) -> Iterator[Finding]:
    """What is wrong with a system, part by part; one finding without a problem where it can be started and answers."""
    found = [finding for part in parts_of(adapter) if (finding := _lacking(part))]
    if not found and is_system(adapter):
        found = [_started(adapter)]
    for finding in found or [Finding(name=adapter.name)]:
        yield finding
    for folder in outdated(adapter):
        yield Finding(
            name=adapter.name,
            problem=f"{folder} is of an earlier version",
            remedy=f"groupmem systems remove {adapter.name} --outdated",
        )


def is_system(adapter: Adapter) -> bool:
    """Whether it is a memory system, and no service."""
    return adapter.name in adapter_names()


def _line(adapter: Adapter) -> Listed:
    manifest, found = adapter.manifest, installed(adapter)
    return Listed(
        name=adapter.name,
        kind="system" if is_system(adapter) else "service",
        title=manifest.title,
        version=manifest.version,
        needs=manifest.needs,
        installed=found is not None,
        download_bytes=round(manifest.download_mb * 1e6),
        installed_bytes=found.installed_bytes if found else round(manifest.installed_mb * 1e6),
        folder=str(environment_folder(adapter)) if found else None,
    )


def _lacking(adapter: Adapter) -> Finding | None:
    """Why the environment of an adapter is not there; None where it is."""
    try:
        find_python(adapter)
    except GroupMemError as error:
        return Finding(name=adapter.name, problem="no Python for it", remedy=str(error))
    if installed(adapter) is not None:
        return None
    checkout = adapter.built_from.manifest.checkout
    remedy = how_to_get(adapter.name, checkout) if checkout else f"groupmem systems install {adapter.name}"
    return Finding(name=adapter.name, problem="not installed", remedy=remedy)


def _started(adapter: Adapter) -> Finding:
    """Starts the worker and greets it: its packages are imported where it imports them at once."""
    try:
        hello = greet(program_of(adapter))
    except GroupMemError as error:
        remedy = f"groupmem systems remove {adapter.name}, then install it again"
        return Finding(name=adapter.name, problem="it does not start", remedy=remedy, detail=str(error))
    versions = ", ".join(f"{name} {version}" for name, version in hello.packages.items())
    return Finding(name=adapter.name, detail=versions)
