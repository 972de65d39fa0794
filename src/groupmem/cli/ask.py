"""groupmem ask: what a memory holds for one person's question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import JsonOption, print_object
from groupmem.cli.memory import WorkspaceOption, find_person, open_memory
from groupmem.text import printable

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory
    from groupmem.types import Passage, Recall

_GIST_CHARACTERS = 90


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")],
    memory: Annotated[Path, typer.Option("--memory", "-m", help="The file of the memory.")],
    person: Annotated[
        str | None,
        typer.Option("--as", help="Who asks: an id or a name. Without it only public channels are looked into."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many messages at most.")] = 5,
    at: Annotated[
        datetime | None,
        typer.Option(help="When it is asked (UTC); nothing said later is shown. Default: after the last message."),
    ] = None,
    workspace: WorkspaceOption = "default",
    json: JsonOption = False,
) -> None:
    """Show the messages that matter to a question, for the person who asks: who said it, where, when, in reply to what.

    Nothing is answered and no model of language is called: the messages are quoted as they were written.
    """
    with open_memory(memory, workspace) as opened:
        asker = None if person is None else find_person(opened, person)
        asked_at = None if at is None else at.replace(tzinfo=at.tzinfo or UTC)
        recall = opened.recall(question, asker=asker, limit=limit, asked_at=asked_at)
        if json:
            print_object({"question": question, "asker": asker, "support": recall.support, "passages": recall.passages})
        else:
            print(_page(opened, recall, asker))


def _page(memory: GroupMemory, recall: Recall, asker: str | None) -> str:
    if not recall.passages:
        who = "public channels" if asker is None else f"what {asker} may see"
        return f"Nothing in {who} speaks of this."
    blocks = [_block(memory, rank, passage, asker) for rank, passage in enumerate(recall.passages, start=1)]
    if recall.support is not None:
        blocks.append(f"support: {recall.support:.2f} (0: probably not in memory, 1: answered)")
    return "\n\n".join(blocks)


def _block(memory: GroupMemory, rank: int, passage: Passage, asker: str | None) -> str:
    """One message as a person wants to read it."""
    author = memory.name_of(passage.author) if passage.author else "unknown"
    who = f"{author} ({passage.role})" if passage.role else author
    where = " / ".join(part for part in (f"#{passage.channel}", passage.phase) if part)
    when = passage.sent_at.strftime("%a %Y-%m-%d %H:%M %z") if passage.sent_at else "no time"
    lines = [f"{rank}. {who} in {where}, {when}  [{', '.join(passage.source_ids)}]"]
    parent = memory.message(passage.channel or "", passage.reply_to, asker=asker) if passage.reply_to else None
    if parent is not None:
        lines.append(f"   in reply to {memory.name_of(parent.author)}: {_gist(parent.text)}")
    lines += [f"   | {line}" for line in passage.text.splitlines()]
    lines += [f"   {name}: {value}" for name, value in passage.notes.items()]
    return "\n".join(printable(line) for line in lines)


def _gist(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _GIST_CHARACTERS else flat[: _GIST_CHARACTERS - 1].rstrip() + "…"
