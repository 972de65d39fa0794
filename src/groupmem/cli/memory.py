"""What the commands that use a memory have in common: how its file is opened, and who is meant by a name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory
    from groupmem.models.base import ChatModel

WorkspaceOption = Annotated[str, typer.Option("--workspace", help="The workspace in the file.")]
LEXICAL = "none"


def open_memory(path: Path, workspace: str, model: ChatModel | None = None) -> GroupMemory:
    """The memory in this file, with the embedding model that made its vectors; `model` helps at recall.

    Raises InputError where there is none.
    """
    from groupmem.memory import GroupMemory

    expect_memory(path)
    return GroupMemory(path, embedding=stamped(path, workspace), workspace=workspace, model=model)


def holds_memory(path: Path) -> bool:
    """Whether there may be a memory here: a file without a byte is a place for one, and holds none."""
    return path.is_file() and path.stat().st_size > 0


def expect_memory(path: Path) -> None:
    """Raises InputError where there is no memory."""
    if not holds_memory(path):
        raise InputError(f"there is no memory {path}: make one with groupmem import FILE --into {path}")


def expect_workspace(memory: GroupMemory) -> None:
    """Raises UnknownNameError where the memory holds others alone, and InputError where it holds nothing at all."""
    status = memory.status()
    if not status.workspaces:
        raise InputError(f"{status.path} holds no message: take some in with groupmem import FILE --into {status.path}")
    if status.workspace not in status.workspaces:
        raise UnknownNameError("workspace", status.workspace, status.workspaces)


def stamped(path: Path, workspace: str) -> str | None:
    """The name of the embedding model of an existing memory; None where messages are found by words alone."""
    from groupmem.memory import GroupMemory

    with GroupMemory(path, embedding=None, workspace=workspace) as memory:
        return memory.status().embedding


def find_person(memory: GroupMemory, name: str) -> str:
    """The id of the person who is meant: an id, or a name that only one person of the memory answers to.

    Raises UnknownNameError, and InputError where several answer to it.
    """
    found = memory.candidates(name)
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name!r} can be {' or '.join(found)}: give the id")
    raise UnknownNameError("person", name, [memory.name_of(person) for person in memory.known_people()])
