"""groupmem ask: what a memory holds for one person's question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from groupmem.cli.console import JsonOption, print_object
from groupmem.cli.memory import WorkspaceOption, find_person, open_memory
from groupmem.text import printable

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory
    from groupmem.memory.recall import Explanation, Reasons, Understood
    from groupmem.types import Passage


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
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show what was understood, and every component of every score.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the messages that matter to a question, for the person who asks: who said it, where, when, in reply to what.

    Nothing is answered and no model of language is called: the messages are quoted as they were written.
    """
    with open_memory(memory, workspace) as opened:
        asker = None if person is None else find_person(opened, person)
        asked_at = None if at is None else at.replace(tzinfo=at.tzinfo or UTC)
        found = opened.explain(question, asker=asker, limit=limit, asked_at=asked_at)
        if json:
            print_object(_object(question, asker, found, explain=explain))
        else:
            print(_page(opened, found, asker, explain=explain))


def _object(question: str, asker: str | None, found: Explanation, *, explain: bool) -> dict[str, Any]:
    recall = found.recall
    shown = {"question": question, "asker": asker, "support": recall.support, "passages": recall.passages}
    return shown | ({"understood": found.understood, "reasons": found.reasons} if explain else {})


def _page(memory: GroupMemory, found: Explanation, asker: str | None, *, explain: bool) -> str:
    recall = found.recall
    if not recall.passages:
        who = "public channels" if asker is None else f"what {asker} may see"
        return f"Nothing in {who} speaks of this."
    blocks = [_understood(found.understood)] if explain else []
    for rank, (passage, reasons) in enumerate(zip(recall.passages, found.reasons, strict=True), start=1):
        blocks.append(_block(memory, rank, passage) + (_why(reasons) if explain else ""))
    if recall.support is not None:
        blocks.append(f"support: {recall.support:.2f} (0: probably not in memory, 1: answered)")
    return "\n\n".join(blocks)


def _understood(understood: Understood) -> str:
    """What was taken from the question, a line each."""
    values = msgspec.to_builtins(understood)
    lines = [f"  {name}: {_listed(value)}" for name, value in values.items() if value]
    return "\n".join(["understood:", *map(printable, lines)])


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(name if weight == 1 else f"{name} ({weight:g})" for name, weight in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def _why(reasons: Reasons) -> str:
    listed = ", ".join(f"{name} {value:+.2f}" for name, value in reasons.components.items())
    return f"\n   score {reasons.score:.2f}: {listed}"


def _block(memory: GroupMemory, rank: int, passage: Passage) -> str:
    """One message as a person wants to read it."""
    author = memory.name_of(passage.author) if passage.author else "unknown"
    who = f"{author} ({passage.role})" if passage.role else author
    where = " / ".join(part for part in (f"#{passage.channel}", passage.phase) if part)
    when = passage.sent_at.strftime("%a %Y-%m-%d %H:%M %z") if passage.sent_at else "no time"
    lines = [f"{rank}. {who} in {where}, {when}  [{', '.join(passage.source_ids)}]"]
    lines += [f"   | {line}" for line in passage.text.splitlines()]
    lines += [f"   {name}: {value}" for name, value in passage.notes.items() if name != "author"]
    return "\n".join(printable(line) for line in lines)
