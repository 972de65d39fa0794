"""From what a user writes after `--system` to a memory system that is ready to be opened."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from groupmem.errors import InputError, UnknownNameError
from groupmem.lab.systems.base import BaseSystem
from groupmem.lab.systems.bm25 import Bm25, Bm25Okapi, Bm25Stemmed
from groupmem.lab.systems.dense import Dense
from groupmem.lab.systems.groupmem import GroupMem
from groupmem.lab.systems.hybrid import Hybrid
from groupmem.lab.systems.isolated.adapter import adapter_names, find_adapter
from groupmem.lab.systems.isolated.command import PREFIX, command_system, parse_command
from groupmem.lab.systems.isolated.official import adapter_system, check_installed
from groupmem.lab.systems.isolated.system import IsolatedSystem, model_options
from groupmem.lab.systems.light import Light
from groupmem.lab.systems.options import NO_CHAT, Option, resolve_options
from groupmem.lab.systems.user import load_user_system

SYSTEMS: Mapping[str, type[BaseSystem]] = {
    "bm25": Bm25,
    "bm25-stemmed": Bm25Stemmed,
    "bm25-okapi": Bm25Okapi,
    "dense": Dense,
    "hybrid": Hybrid,
    "groupmem": GroupMem,
    "light": Light,
}
_USER_SPEC = re.compile(
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^:]+\.py) (?: : (?P<class>[^:=,]*) (?: : (?P<options>.*) )? )?",
    re.DOTALL | re.VERBOSE,
)


class SystemSpec(NamedTuple):
    """A spec in its parts: a name (`path` None) or the class `name` in the file `path`; and the options as given.

    The name of a command is the command line, with `cmd:` before it.
    """

    name: str
    path: Path | None
    options: dict[str, str]


class OpenedSpec(NamedTuple):
    """A system and what it is to be opened with.

    `options` are complete, defaults filled in. `embedding` and `chat` name the models that it is to be given; None
    where it takes none. `sha256` (hex) is of the files of a user's or an isolated system; None for one of the package.
    """

    spec: str
    system: BaseSystem
    options: dict[str, str]
    embedding: str | None
    chat: str | None
    sha256: str | None


class NamedModels(NamedTuple):
    """The models that a system is given, by the names of users; None where it takes none, or nobody knows."""

    chat: str | None
    embedding: str | None


def system_names() -> tuple[str, ...]:
    """Names of the systems that come with the package."""
    return tuple(SYSTEMS)


def parse_spec(spec: str) -> SystemSpec:
    """The parts of `NAME`, `NAME:key=value,...`, `FILE.py:Class`, `FILE.py:Class:key=value,...` or `cmd:COMMAND`.

    A value may hold colons and equals signs, but no comma. Raises InputError for options that are not written so.
    """
    if spec.startswith(PREFIX):
        command = parse_command(spec.removeprefix(PREFIX))
        return SystemSpec(PREFIX + shlex.join(command.words), None, command.options)
    user = _USER_SPEC.fullmatch(spec)
    if user:
        return SystemSpec(user["class"] or "", Path(user["path"]), _parse_options(user["options"], spec))
    name, _, options = spec.partition(":")
    return SystemSpec(name, None, _parse_options(options, spec))


def create_system(spec: str, *, also: Sequence[str] = ()) -> OpenedSpec:
    """The system of a spec, not opened yet. `also` are further names that the caller knows, for the list of choices.

    Raises UnknownNameError for a name or an option that there is not, InputError for an option's value that is not
    allowed, for a user's file or class that cannot be used, and then, for nobody should install what is of no use, for
    an official package that is not installed.
    """
    name, path, given = parse_spec(spec)
    system = load_user_system(path, name) if path else _system_of(name, also)
    options = resolve_options(given, system.options, owner=name)
    if isinstance(system, IsolatedSystem):
        system.check_models(options)
    if name in adapter_names() and path is None:
        check_installed(name)
    chat = options.get("chat")
    return OpenedSpec(spec, system, options, options.get("embedding"), None if chat == NO_CHAT else chat, system.sha256)


def named_models(spec: str) -> NamedModels:
    """The models of a spec, defaults filled in where the system comes with the package.

    Nothing is loaded or started, so of a user's file or a command only what the spec says is known. Raises InputError
    for options that are not written as options.
    """
    name, path, given = parse_spec(spec)
    declared = () if path else _declared(name)
    options = {option.name: option.default for option in declared} | given
    chat = options.get("chat")
    return NamedModels(None if chat == NO_CHAT else chat, options.get("embedding"))


def _declared(name: str) -> tuple[Option, ...]:
    """The options of a system of the package; none for another name."""
    if name in adapter_names():
        manifest = find_adapter(name).manifest
        return (*model_options(manifest.needs), *manifest.options)
    return SYSTEMS[name].options if name in SYSTEMS else ()


def _system_of(name: str, also: Sequence[str]) -> BaseSystem:
    if name.startswith(PREFIX):
        return command_system(parse_command(name.removeprefix(PREFIX)))
    if name in adapter_names():
        return adapter_system(name)
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, [*SYSTEMS, *adapter_names(), *also])
    return SYSTEMS[name]()


def _parse_options(written: str | None, spec: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in written.split(",") if written else ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InputError(
                f"system {spec!r}: {pair!r} is no option; write key=value, several with commas between, "
                "and a class of your own as FILE.py:Class"
            )
        if key.strip() in options:
            raise InputError(f"system {spec!r}: option {key.strip()} is given twice")
        options[key.strip()] = value.strip()
    return options
