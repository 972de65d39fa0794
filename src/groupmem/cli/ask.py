"""groupmem ask: what a memory holds for one person's question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from groupmem.cli.console import JsonOption, print_object
from groupmem.cli.memory import WorkspaceOption, expect_workspace, find_person, open_memory
from groupmem.errors import PendingError
from groupmem.text import printable

if TYPE_CHECKING:
    from groupmem.memory import GroupMemory
    from groupmem.memory.recall import Assisted, Explanation, Reasons, Understood
    from groupmem.models.base import ChatModel
    from groupmem.models.session import Models
    from groupmem.types import Passage, Usage


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
    model: Annotated[
        str | None,
        typer.Option(help="A chat model that helps to find: openai:gpt-5, ... Without it none is called."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show what was understood, and every component of every score.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the messages that matter to a question, for the person who asks: who said it, where, when, in reply to what.

    Nothing is answered: the messages are quoted as they were written. No model of language is called, unless --model
    names one; it sees what the person may see, and what it took is shown below.
    """
    with _models(model) as models, open_memory(memory, workspace, _chat(models, model)) as opened:
        expect_workspace(opened)
        asker = None if person is None else find_person(opened, person)
        asked_at = None if at is None else at.replace(tzinfo=at.tzinfo or UTC)
        try:
            found = opened.explain(question, asker=asker, limit=limit, asked_at=asked_at)
        except PendingError:
            if models is not None:
                models.flush_batches()
            raise
        usage = models.usage() if models is not None else None
        if json:
            print_object(_object(question, asker, found, explain=explain) | ({"usage": usage} if usage else {}))
        else:
            print("\n\n".join([_page(opened, found, asker, explain=explain), *_model_block(found.assisted, usage)]))


@contextmanager
def _models(name: str | None) -> Iterator[Models | None]:
    """What calls the model, with the cache of the user; None where there is no model."""
    if name is None:
        yield None
        return
    from groupmem.models.cache import default_cache_path
    from groupmem.models.session import Models

    with Models(log_path=None, cache_path=default_cache_path()) as models:
        yield models


def _chat(models: Models | None, name: str | None) -> ChatModel | None:
    from groupmem.models.base import Account

    return models.chat(name, Account(phase="recall")) if models is not None and name is not None else None


def _model_block(assisted: Assisted | None, usage: Usage | None) -> list[str]:
    """What the model changed, where it failed, and what it took."""
    if assisted is None or usage is None:
        return []
    lines = [f"looked up: {lookup}" for lookup in assisted.lookups]
    lines += [f"no replacement: {pair}" for pair in assisted.unlinked]
    lines += [f"put first: {', '.join(assisted.put_first)}"] if assisted.put_first else []
    lines += [f"not used, the rest is as it is without: {failure}" for failure in assisted.failures]
    took = f"{_count(usage.input_tokens)} tokens in, {_count(usage.output_tokens)} out"
    cost = "cost unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    calls = "1 call" if usage.calls == 1 else f"{usage.calls:,} calls"
    lines.append(f"{calls}, {took}, {cost}")
    return ["\n".join(["model:", *(f"  {printable(line)}" for line in lines)])]


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _object(question: str, asker: str | None, found: Explanation, *, explain: bool) -> dict[str, Any]:
    recall = found.recall
    shown: dict[str, Any] = {
        "question": question,
        "asker": asker,
        "support": recall.support,
        "passages": recall.passages,
    }
    if found.assisted is not None:
        shown["assisted"] = found.assisted
    return shown | ({"understood": found.understood, "reasons": found.reasons} if explain else {})


def _page(memory: GroupMemory, found: Explanation, asker: str | None, *, explain: bool) -> str:
    recall = found.recall
    blocks = [_understood(found.understood)] if explain else []
    if not recall.passages:
        who = "public channels" if asker is None else f"what {asker} may see"
        return "\n\n".join([*blocks, f"Nothing in {who} speaks of this."])
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
