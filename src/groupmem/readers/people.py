"""people.json and channels.json: who takes part, and who may read what.

    people.json    [{"id": "User_1", "name": "...", "role": "...", "aliases": ["..."], "is_bot": false, ...}, ...]
    channels.json  [{"name": "board", "members": ["User_1", "User_2"]}, {"name": "general", "members": null}, ...]

A channel whose `members` is null is public; a list, even an empty one, is the ids of all who may read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from groupmem.errors import InputError
from groupmem.readers import rows
from groupmem.readers.base import BadRow, Ledger
from groupmem.readers.documents import read_document
from groupmem.types import Channel, Person

_PERSON = frozenset(("id", "name", "role", "aliases", "is_bot"))
_CHANNEL = frozenset(("name", "members"))


def read_people(path: Path, ledger: Ledger) -> tuple[Person, ...]:
    """The people of a file; a row that cannot be used, or whose id was there before, is quarantined."""
    people: dict[str, Person] = {}
    for index, row in _listed(path):
        try:
            person = _person(row)
            if person.id in people:
                raise BadRow(f"duplicate id {person.id}")
        except BadRow as reason:
            ledger.quarantine(path, f"[{index}]", reason, row)
            continue
        people[person.id] = person
    return tuple(people.values())


def read_channels(path: Path | None, names: Sequence[str], ledger: Ledger) -> tuple[Channel, ...]:
    """The channels `names`, in that order, then those that only the file knows. Without a file all are public.

    Raises InputError for a row that cannot be read: who may read a channel is never guessed. A channel that the file
    leaves out is taken as public, and noted.
    """
    declared = _declared(path) if path else {}
    missing = [name for name in names if name not in declared]
    if path and missing:
        ledger.note(f"{len(missing)} channels are not in {path.name} and are read as public: {', '.join(missing)}")
    return tuple(declared.get(name) or Channel(id=name) for name in dict.fromkeys([*names, *declared]))


def _declared(path: Path) -> dict[str, Channel]:
    channels: dict[str, Channel] = {}
    for index, row in _listed(path):
        try:
            channel = _channel(row)
            if channel.id in channels:
                raise BadRow(f"channel {channel.id!r} is there twice")
        except BadRow as reason:
            raise InputError(f"{path}[{index}]: {reason}; say who may read the channel (null: everybody)") from reason
        channels[channel.id] = channel
    return channels


def _person(row: rows.Row) -> Person:
    return Person(
        id=rows.identifier(row, "id"),
        name=rows.optional_text(row, "name"),
        role=rows.optional_text(row, "role"),
        aliases=rows.identifiers(row, "aliases"),
        is_bot=rows.flag(row, "is_bot"),
        extra=rows.rest(row, _PERSON),
    )


def _channel(row: rows.Row) -> Channel:
    """A channel. A corpus knows channels by their names, so the name is the id here; any other stays in `extra`."""
    return Channel(
        id=rows.identifier(row, "name"),
        members=None if row.get("members") is None else rows.identifiers(row, "members"),
        extra=rows.rest(row, _CHANNEL),
    )


def _listed(path: Path) -> Iterator[tuple[int, rows.Row]]:
    value = read_document(path).value
    if not isinstance(value, list):
        raise InputError(f"{path}: expected a list of objects")
    for index, row in enumerate(value):
        if not isinstance(row, dict):
            raise InputError(f"{path}[{index}]: expected an object, got {row!r}")
        yield index, row
