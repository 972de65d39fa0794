"""Adapters: folders that make an official package a memory system, found by listing them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.systems.base import Capabilities, Need
from groupmem.lab.systems.isolated.process import Timeouts
from groupmem.lab.systems.options import Option
from groupmem.types import Record

ADAPTERS = Path(__file__).parent / "adapters"
SERVICES = Path(__file__).parent / "services"
_MADE_OF = ("*.toml", "*.py", "*.txt")


class Checkout(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The git commit (full hash) that a package is taken from where no release of it can be installed.

    `paths` are the files and folders of it that are copied: all where there are none.
    """

    repository: str
    commit: str
    paths: tuple[str, ...] = ()


class _Capabilities(Capabilities, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt capability is refused, and not taken for one that is absent."""


class _Timeouts(Timeouts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Likewise."""


class _Option(Option, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Likewise."""


class Manifest(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """adapter.toml. `python` is written ">=3.10,<3.14"; sizes are of the environment. `chatless` are options with which
    no chat model is called. `worker` names the adapter whose worker it shares, and whose environment too, unless it has
    requirements of its own. One that `prepares` fills an empty database, of which each cell gets a copy.
    """

    name: str
    title: str
    version: str
    python: str
    download_mb: float
    installed_mb: float
    paper: str = ""
    worker: str | None = None
    needs: tuple[Need, ...] = ()
    prepares: bool = False
    capabilities: _Capabilities = _Capabilities()
    chatless: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    timeouts: _Timeouts = _Timeouts()
    checkout: Checkout | None = None
    options: tuple[_Option, ...] = ()


class Adapter:
    """An adapter folder, or that of a service."""

    def __init__(self, folder: Path) -> None:
        path = folder / "adapter.toml"
        try:
            self.manifest = msgspec.toml.decode(path.read_bytes(), type=Manifest)
        except (OSError, msgspec.DecodeError) as error:
            raise InputError(f"{path}: {error}; docs/isolated-systems.md says what belongs into it") from error
        self.folder = folder

    @property
    def name(self) -> str:
        return self.manifest.name

    @cached_property
    def owner(self) -> Adapter:
        """The adapter whose worker is used: itself, unless it shares another's."""
        shared = self.manifest.worker
        return self if shared is None else Adapter(self.folder.with_name(_folder_name(shared)))

    @cached_property
    def built_from(self) -> Adapter:
        """The adapter of whose requirements its environment is made: itself, unless it has none of its own."""
        return self if (self.folder / "requirements.txt").is_file() else self.owner

    @property
    def worker_path(self) -> Path:
        return self.owner.folder / "worker.py"

    @property
    def requirements_path(self) -> Path:
        return self.built_from.folder / "requirements.txt"

    @cached_property
    def sha256(self) -> str:
        """Hex, of all files that it is made of."""
        folders = dict.fromkeys((self.folder, self.owner.folder))
        files = (path for folder in folders for glob in _MADE_OF for path in sorted(folder.glob(glob)))
        digests = (hashlib.sha256(path.read_bytes()).digest() for path in files)
        return hashlib.sha256(b"".join(digests)).hexdigest()


def adapter_names() -> tuple[str, ...]:
    """Names of all adapters, in alphabetical order."""
    return _names(ADAPTERS)


def service_names() -> tuple[str, ...]:
    """Names of all services that an environment can be installed for."""
    return _names(SERVICES)


def find_adapter(name: str) -> Adapter:
    """The adapter of this name. Raises UnknownNameError."""
    if name not in adapter_names():
        raise UnknownNameError("isolated system", name, adapter_names())
    return Adapter(ADAPTERS / _folder_name(name))


def find_installable(name: str) -> Adapter:
    """An adapter, or a service, of this name. Raises UnknownNameError."""
    if name in service_names():
        return Adapter(SERVICES / _folder_name(name))
    if name not in adapter_names():
        raise UnknownNameError("isolated system", name, (*adapter_names(), *service_names()))
    return find_adapter(name)


def sharing(adapter: Adapter) -> tuple[str, ...]:
    """Names of the other adapters whose environment is the same."""
    others = (find_adapter(name) for name in adapter_names() if name != adapter.name)
    return tuple(other.name for other in others if other.built_from.folder == adapter.built_from.folder)


def _names(root: Path) -> tuple[str, ...]:
    found = (path.parent.name for path in root.glob("*/adapter.toml"))
    return tuple(sorted(name.replace("_", "-") for name in found))


def _folder_name(name: str) -> str:
    return name.replace("-", "_")
