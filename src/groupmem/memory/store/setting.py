"""People and channels of one workspace, as the setting gives them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from groupmem.errors import InputError
from groupmem.memory.notes.people import Directory
from groupmem.memory.store.database import restored, stored
from groupmem.types import Channel, Person

_DIRECTORIES = 64


@dataclass(frozen=True, slots=True)
class Room:
    """A channel with its number. One that the setting does not list is public and known by its id alone."""

    number: int
    channel: Channel
    is_listed: bool


class Setting:
    """The newest people and channels; `refresh` reads them again when the database has other ones."""

    def __init__(self, connection: sqlite3.Connection, workspace: str) -> None:
        self._connection = connection
        self.workspace = workspace
        self.version = -1
        self.people: Mapping[str, Person] = {}
        self.rooms: Mapping[int, Room] = {}
        self._numbers: dict[str, int] = {}
        self.directory = lru_cache(maxsize=_DIRECTORIES)(self._directory)

    def refresh(self) -> None:
        """Reads people and channels where they have changed. Part of the caller's transaction or snapshot."""
        version = self._connection.execute("SELECT value FROM meta WHERE key = 'setting'").fetchone()[0]
        if version != self.version:
            self.forget()
            self.people = self._read_people()
            self.rooms = self._read_rooms()
            self._numbers = {room.channel.id: number for number, room in self.rooms.items()}
            self.version = version

    def forget(self) -> None:
        """Drops what was remembered, so that the next `refresh` reads everything."""
        self.version = -1
        self.directory.cache_clear()

    def number(self, channel: str) -> int | None:
        """The number of a channel by its id."""
        return self._numbers.get(channel)

    def open_room(self, channel: str) -> Room:
        """The room of a channel, made where there is none: a public one, until the setting says otherwise."""
        number = self._numbers.get(channel)
        if number is None:
            self._connection.execute(
                "INSERT INTO channels (workspace, id, is_public) VALUES (?, ?, 1)", (self.workspace, stored(channel))
            )
            self.changed()
            number = self._numbers[channel]
        return self.rooms[number]

    def visible(self, asker: str | None) -> frozenset[int]:
        """The numbers of the channels that this person may read."""
        return frozenset(number for number, room in self.rooms.items() if room.channel.readable_by(asker))

    def _directory(self, channels: frozenset[int]) -> Directory:
        """All people, and those members of these channels that the list of people lacks."""
        return Directory(self.people.values(), [self.rooms[number].channel for number in sorted(channels)])

    def put_people(self, people: Iterable[Person]) -> list[Person]:
        """Adds or replaces people by their ids; gives those whose role is another one now."""
        moved = []
        for person in people:
            known = self.people.get(person.id)
            if (known.role if known else None) != person.role:
                moved.append(person)
            self._connection.execute(
                "INSERT OR REPLACE INTO people VALUES (?, ?, ?)", (self.workspace, person.id, _encode(person))
            )
        self.changed()
        return moved

    def put_channels(self, channels: Iterable[Channel]) -> list[int]:
        """Adds or replaces channels by their ids; gives the numbers of those that have another name now."""
        renamed = []
        for channel in channels:
            room = self.open_room(channel.id)
            if room.channel.name != channel.name:
                renamed.append(room.number)
            self._connection.execute(
                "UPDATE channels SET record = ?, is_public = ? WHERE channel = ?",
                (_encode(msgspec.structs.replace(channel, members=None)), channel.members is None, room.number),
            )
            self._connection.execute("DELETE FROM members WHERE channel = ?", (room.number,))
            self._connection.executemany(
                "INSERT OR IGNORE INTO members VALUES (?, ?)",
                [(room.number, person) for person in channel.members or ()],
            )
        self.changed()
        return renamed

    def changed(self) -> None:
        """Marks the setting as another one, for this process and for readers."""
        self._connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'setting'")
        self.refresh()

    def _read_people(self) -> dict[str, Person]:
        found = self._connection.execute("SELECT record FROM people WHERE workspace = ? ORDER BY id", (self.workspace,))
        people = (msgspec.json.decode(record, type=Person) for (record,) in found)
        return {person.id: person for person in people}

    def _read_rooms(self) -> dict[int, Room]:
        members: dict[int, list[str]] = {}
        for number, person in self._connection.execute("SELECT channel, person FROM members ORDER BY person"):
            members.setdefault(number, []).append(person)
        found = self._connection.execute(
            "SELECT channel, id, record, is_public FROM channels WHERE workspace = ?", (self.workspace,)
        )
        return {
            number: Room(
                number=number,
                channel=_channel(restored(name), record, None if is_public else tuple(members.get(number, ()))),
                is_listed=record is not None,
            )
            for number, name, record, is_public in found
        }


def _channel(name: str, record: bytes | None, members: tuple[str, ...] | None) -> Channel:
    if record is None:
        return Channel(id=name, members=members)
    return msgspec.structs.replace(msgspec.json.decode(record, type=Channel), members=members)


def _encode(record: Person | Channel) -> bytes:
    try:
        return msgspec.json.encode(record)
    except (UnicodeEncodeError, TypeError) as error:
        raise InputError(f"{type(record).__name__.lower()} {record.id!r} cannot be stored: {error}") from error
