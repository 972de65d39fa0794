"""Commands of users as memory systems: `cmd:node memory.js`."""

from __future__ import annotations

import hashlib
import re
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.systems.isolated.process import Program, greet
from groupmem.lab.systems.isolated.protocol import Hello
from groupmem.lab.systems.isolated.system import Declaration, IsolatedSystem

PREFIX = "cmd:"
_OPTION = re.compile(r"(?P<name>[a-z][a-z0-9_-]*)=(?P<value>.*)", re.DOTALL)


class Command(NamedTuple):
    """A command line in words, and the options that stand before it."""

    words: tuple[str, ...]
    options: dict[str, str]


def parse_command(written: str) -> Command:
    """The parts of what follows `cmd:`. Raises InputError where it is no command line."""
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise InputError(f"{PREFIX}{written}: {error}; quote words as in a shell") from error
    options: dict[str, str] = {}
    while words and (option := _OPTION.fullmatch(words[0])):
        if option["name"] in options:
            raise InputError(f"{PREFIX}{written}: option {option['name']} is given twice")
        options[option["name"]] = option["value"]
        words.pop(0)
    if not words:
        raise InputError(f"{PREFIX}{written}: no command; write {PREFIX}PROGRAM ARGUMENTS, as in cmd:node memory.js")
    return Command(tuple(words), options)


def command_system(command: Command) -> IsolatedSystem:
    """The system that the command speaks for. It is started once, to be asked what it can do.

    Raises InputError where it cannot be started, SystemFailure where it does not speak the protocol.
    """
    files = [Path(word) for word in command.words if Path(word).is_file()]
    argv = tuple(str(Path(word).resolve()) if Path(word) in files else word for word in command.words)
    sha256 = _sha256(files)
    program = Program(name=f"{PREFIX}{shlex.join(command.words)}", argv=argv)
    try:
        hello = _ask(program.name, argv, sha256)
    except (InputError, SystemFailure) as error:
        names = ", ".join(map(str, files)) or "none"
        told = f"files that a command names are looked for in {Path.cwd()}; found for this one: {names}"
        raise type(error)(f"{error}\n({told})") from error
    declared = Declaration(
        capabilities=hello.capabilities,
        needs=hello.needs,
        prepares=hello.prepares,
        options=hello.options,
        sha256=sha256,
    )
    return IsolatedSystem(program, declared)


def _sha256(files: list[Path]) -> str | None:
    """Of the content of all files, in their order; None where the command names no file."""
    if not files:
        return None
    digests = (hashlib.sha256(path.read_bytes()).digest() for path in files)
    return hashlib.sha256(b"".join(digests)).hexdigest()


@cache
def _ask(name: str, argv: tuple[str, ...], sha256: str | None) -> Hello:
    """What the worker says of itself; asked again where its files have changed."""
    return greet(Program(name=name, argv=argv))
