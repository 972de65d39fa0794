"""groupmem reembed, rebuild and compact: the upkeep of a memory's file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import JsonOption, print_object
from groupmem.cli.memory import expect_memory, open_memory

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory, Status

_MEGABYTE = 1e6
MemoryArgument = Annotated[Path, typer.Argument(metavar="MEMORY", help="The file of the memory.")]
_WORKSPACE = "default"


def reembed(
    memory: MemoryArgument,
    embedding: Annotated[str, typer.Argument(metavar="MODEL", help="The embedding model: minilm, openai:MODEL, ...")],
    json: JsonOption = False,
) -> None:
    """Make the vectors of a memory again, with another embedding model or for the first time.

    Until that is done the memory works with the vectors it has. Cut off, the same command goes on.
    """
    from groupmem.memory import GroupMemory

    expect_memory(memory)
    with GroupMemory(memory, embedding=None) as opened:
        opened.reembed(embedding)
        _tell(opened, json)


def rebuild(memory: MemoryArgument, json: JsonOption = False) -> None:
    """Make notes, links and indexes of a memory again from its messages.

    For a damaged index, and after people or roles have changed: notes are made with those of the time.
    """
    with open_memory(memory, _WORKSPACE) as opened:
        opened.rebuild()
        _tell(opened, json)


def compact(memory: MemoryArgument, json: JsonOption = False) -> None:
    """Remove deleted messages for good: their text is in no file of the memory afterwards."""
    with open_memory(memory, _WORKSPACE) as opened:
        opened.compact()
        _tell(opened, json)


def _tell(memory: GroupMemory, json: bool) -> None:
    status = memory.status()
    if json:
        print_object(status)
    else:
        print(_line(status))


def _line(status: Status) -> str:
    model = f"vectors by {status.embedding}" if status.embedding else "no vectors"
    size = (status.database_bytes + status.index_bytes) / _MEGABYTE
    return f"{status.path}: {status.messages} messages, {status.links} links, {model}, {size:.1f} MB"
