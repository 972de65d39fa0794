"""What a writer keeps at hand is bounded, and the bound changes nothing of what is written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from groupmem.memory.decisions import link
from groupmem.memory.store import noting
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Message
from support.memory_store import open_store, said

PHASES = ("Masts", "Gates", "Seals")


def talk() -> list[Message]:
    """Decisions and changes in three phases that take turns, one of them seldom, with answers to old messages."""
    messages = []
    for number in range(240):
        phase = PHASES[2] if number % 40 == 0 else PHASES[number % 2]
        text = (
            f"Decision: the {phase} matter {number % 17} moves to {number % 28 + 1} March 2031, not {number % 19 + 1}."
        )
        reply_to = str(number - 31) if number % 5 == 0 and number > 31 else None
        messages.append(said(str(number), text, phase=phase, topic=phase, reply_to=reply_to, position=number))
    return messages


def links(folder: Path, messages: list[Message]) -> list[tuple[object, ...]]:
    store = SqliteStore(folder / "memory.db", link=link)
    store.add(messages)
    store.edit("desk", "7", "Decision: the Gates matter 7 moves to 9 March 2031.", None)
    store.close()
    with sqlite3.connect(folder / "memory.db") as connection:
        return connection.execute("SELECT * FROM links ORDER BY new, old").fetchall()


def links_of(store: SqliteStore) -> list[tuple[object, ...]]:
    return store._connection.execute("SELECT * FROM links ORDER BY new, old").fetchall()


def threads_of(store: SqliteStore) -> dict[int, int]:
    return dict(store._connection.execute("SELECT row, thread FROM messages").fetchall())


@pytest.mark.parametrize("few", [1, 7, 30, 70])
def test_links_are_the_same_however_few_messages_are_kept_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    (tmp_path / "many").mkdir()
    (tmp_path / "few").mkdir()
    expected = links(tmp_path / "many", talk())
    monkeypatch.setattr(noting, "_REMEMBERED", few)
    assert len(expected) > 20
    assert links(tmp_path / "few", talk()) == expected


# The parent of a message comes late (its thread is another one then), or the message is edited to answer another one.
MOVED = (
    [
        said("4", "I suggest 25 GB for the cache.", reply_to="5"),
        said("5", "", reply_to="3"),
        said("6", "We decided on 30 GB instead of 20 GB.", reply_to="4"),
    ],
    [
        said("1", "The cache?"),
        said("2", "I suggest 25 GB for the cache."),
        said("2", "I suggest 25 GB for the cache.", reply_to="1"),
        said("3", "We decided on 30 GB instead of 20 GB.", reply_to="1"),
    ],
    [
        said("1", "The cache?"),
        said("3", "I suggest 25 GB for the cache.", reply_to="2"),
        said("2", "Let us see."),
        said("2", "Let us see.", reply_to="1"),
        said("4", "We decided on 30 GB instead of 20 GB.", reply_to="3"),
    ],
)


@pytest.mark.parametrize("messages", MOVED)
def test_the_thread_of_a_message_is_remembered_as_it_is_now(tmp_path: Path, messages: list[Message]) -> None:
    store = open_store(tmp_path / "memory.db")
    for message in messages:
        store.add([message])
    found = links_of(store)
    assert {row: noted.thread for row, noted in store._noting._remembered.items()} == threads_of(store)
    store.close()
    store = open_store(tmp_path / "memory.db")
    store.rebuild()
    assert links_of(store) == found != []
    store.close()


def test_a_rebuild_starts_from_nothing_remembered(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db")
    for message in MOVED[0]:
        store.add([message])
    expected = links_of(store)
    assert expected
    for row, noted in list(store._noting._remembered.items()):
        store._noting._remembered[row] = msgspec.structs.replace(noted, thread=row)
    store.rebuild()
    assert links_of(store) == expected
    store.close()
