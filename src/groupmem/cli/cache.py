"""groupmem cache: what is kept of this user's work so that nothing is paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import JsonOption, print_object
from groupmem.errors import UnknownNameError

if TYPE_CHECKING:
    from groupmem.lab.runs.kept.cache import Entry, IngestCache

app = typer.Typer(help="List and remove the ingests that are kept for later runs.", no_args_is_help=True)

SHOWN_DIGITS = 12
MB = 1_000_000

Keys = Annotated[list[str] | None, typer.Argument(metavar="[KEY]...", help="Keys, or how they begin. Default: all.")]


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """Every ingest that is kept: of which system and conversation, since when, and what it takes on the disk.

    --json: {"folder", "bytes", "ingests": [{"key", "system", "options", "models", "unit", "messages", "made_at",
    "ingest_seconds", "bytes"}]}
    """
    cache = _cache()
    entries = cache.entries()
    size = sum(entry.bytes for entry in entries)
    if json:
        print_object({"folder": str(cache.root), "bytes": size, "ingests": [_told(entry) for entry in entries]})
        return
    for entry in entries:
        made = entry.made_from
        print(
            f"{entry.key[:SHOWN_DIGITS]}  {made.system}  {entry.unit}, {entry.messages:,} messages, "
            f"{entry.ingest_seconds:,.1f} s, {made.models.get('chat', 'no chat model')}, {entry.made_at}, "
            f"{entry.bytes / MB:,.1f} MB"
        )
    print(f"{len(entries)} kept ingests, {size / MB:,.1f} MB in {cache.root}")


@app.command()
def clear(keys: Keys = None, json: JsonOption = False) -> None:
    """Remove kept ingests: those whose keys begin so, or all.

    --json: {"removed": ["KEY", ...], "freed_bytes"}
    """
    cache = _cache()
    entries = cache.entries()
    chosen = [entry for entry in entries if keys is None or entry.key.startswith(tuple(keys))]
    for key in keys or ():
        if not any(entry.key.startswith(key) for entry in entries):
            raise UnknownNameError("kept ingest", key, [entry.key[:SHOWN_DIGITS] for entry in entries])
    cache.remove(None if keys is None else [entry.key for entry in chosen])
    freed = sum(entry.bytes for entry in chosen)
    if json:
        print_object({"removed": [entry.key for entry in chosen], "freed_bytes": freed})
        return
    print(f"removed {len(chosen)} kept ingests, {freed / MB:,.1f} MB")


def _cache() -> IngestCache:
    from groupmem.lab.runs.kept.cache import IngestCache, default_ingest_cache

    return IngestCache(default_ingest_cache())


def _told(entry: Entry) -> dict[str, object]:
    made = entry.made_from
    return {
        "key": entry.key,
        "system": made.system,
        "options": dict(made.options),
        "models": dict(made.models),
        "unit": entry.unit,
        "messages": entry.messages,
        "made_at": entry.made_at,
        "ingest_seconds": entry.ingest_seconds,
        "bytes": entry.bytes,
    }
