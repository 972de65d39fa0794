"""groupmem import: a conversation from files into a memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object
from groupmem.cli.memory import LEXICAL, WorkspaceOption, holds_memory, stamped
from groupmem.errors import UnknownNameError

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory
    from groupmem.readers.base import Loaded

_AT_ONCE = 500


def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A conversation: the project's JSONL, or a folder in the published layout."
        ),
    ],
    into: Annotated[Path, typer.Option("--into", help="The file of the memory; it is made where there is none.")],
    embedding: Annotated[
        str | None,
        typer.Option(
            "--embedding",
            help="The model that compares meanings, or none. Default: that of the memory; of a new one, minilm.",
        ),
    ] = None,
    workspace: WorkspaceOption = "default",
    quarantine: Annotated[
        Path | None, typer.Option("--quarantine", help="Write rows that could not be read to this file (JSONL).")
    ] = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Import a conversation into a memory: its people, its channels with their members, its messages.

    Messages are known again by channel and id: importing the same file twice adds nothing, a later export adds what is
    new and takes edits over. Cut off, the same command goes on.
    """
    from groupmem.memory import GroupMemory
    from groupmem.readers.base import write_quarantine
    from groupmem.readers.registry import read_any

    console = Console(quiet=quiet)
    loaded = read_any(source)
    for warning in loaded.report.warnings():
        console.note(f"warning: {warning}")
    if quarantine is not None:
        write_quarantine(loaded.report, quarantine)
    with GroupMemory(into, embedding=_model(embedding, into, workspace), workspace=workspace) as memory:
        report = _take_in(memory, loaded, console)
    if json:
        print_object(report)
    else:
        print(_told(report, into))


def _model(asked: str | None, into: Path, workspace: str) -> str | None:
    if asked == LEXICAL:
        return None
    if asked is not None:
        return _known(asked)
    return stamped(into, workspace) if holds_memory(into) else "minilm"


def _known(embedding: str) -> str:
    """The name of an embedding model. Raises UnknownNameError, which names `LEXICAL` among the choices."""
    from groupmem.models.names import parse_embedding_name

    try:
        return parse_embedding_name(embedding).given
    except UnknownNameError as error:
        raise UnknownNameError("model", embedding, (*error.choices, LEXICAL)) from error


def _take_in(memory: GroupMemory, loaded: Loaded, console: Console) -> dict[str, object]:
    from groupmem.memory.store.base import Added

    conversation = loaded.conversation
    memory.set_people(conversation.people)
    memory.set_channels(conversation.channels)
    added = Added()
    with console.task("import", len(conversation.messages)) as task:
        for start in range(0, len(conversation.messages), _AT_ONCE):
            some = conversation.messages[start : start + _AT_ONCE]
            added += memory.add(some)
            task.advance(len(some))
    memory.flush()
    return {
        "memory": memory.status().path,
        "added": added.added,
        "edited": added.edited,
        "unchanged": added.unchanged,
        "deleted": added.deleted,
        "people": len(conversation.people),
        "channels": len(conversation.channels),
        "private_channels": sum(channel.members is not None for channel in conversation.channels),
        "set_aside": len(loaded.report.quarantined),
    }


def _told(report: dict[str, object], into: Path) -> str:
    parts = [f"{report['added']} messages added"]
    parts += [f"{report[name]} {name}" for name in ("edited", "unchanged", "deleted") if report[name]]
    if report["set_aside"]:
        parts.append(f"{report['set_aside']} rows set aside")
    rooms = f"{report['channels']} channels, {report['private_channels']} of them private"
    return f"{into}: {', '.join(parts)}; {report['people']} people; {rooms}"
