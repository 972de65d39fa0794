"""Of whom a message speaks, and which days it names: kept beside it, and gone with it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Channel, Person
from support.memory_store import everything, said

PEOPLE = [Person(id="mira", name="Mira"), Person(id="tomas", name="Tomas"), Person(id="lena", name="Lena")]


def spoken_of(store: SqliteStore, asker: str | None = None) -> list[str | None]:
    """Of whom each visible message speaks, in the order of rows."""
    view = store.view(asker)
    people = list(view.spoken_of)
    return [None if place < 0 else people[place] for place in view.outline(everything(view)).spoken_of.tolist()]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Lena prefers mornings.", "lena"),
        ("Lena told me: mornings, please.", "lena"),
        ("Speaking for Lena: mornings.", "lena"),
        ("@Tomas, Lena has the mast.", "lena"),
        ("@Lena the mast is done.", None),
        ("The mast is done.", None),
        ("I, Mira, have the mast.", None),
        ("Lena and Tomas met here.", None),
    ],
)
def test_the_person_of_whom_a_message_speaks_is_kept(store: SqliteStore, text: str, person: str | None) -> None:
    store.set_people(PEOPLE)
    store.add([said("1", text, author="mira")])
    assert spoken_of(store) == [person]


def test_an_edit_and_a_deletion_change_of_whom_is_spoken(store: SqliteStore) -> None:
    store.set_people(PEOPLE)
    store.add([said("1", "Lena prefers mornings.", author="mira"), said("2", "Tomas has the mast.", author="mira")])
    store.edit("desk", "1", "Tomas prefers mornings.", None)
    assert spoken_of(store) == ["tomas", "tomas"]
    store.delete("desk", "2")
    assert spoken_of(store) == ["tomas"]


def test_people_of_hidden_channels_are_not_counted(store: SqliteStore) -> None:
    store.set_people(PEOPLE)
    store.set_channels([Channel(id="board", members=("mira",))])
    store.add([said("1", "Lena prefers mornings.", author="mira", channel="board"), said("2", "Hello.", author="mira")])
    assert dict(store.view(None).spoken_of) == {}
    assert dict(store.view("mira").spoken_of) == {"lena": 1}


def test_somebody_spoken_of_leaves_with_the_last_message(store: SqliteStore, path: Path) -> None:
    store.set_people([Person(id="mira"), Person(id="wolfsbane", name="Wolf")])
    store.add([said("1", "Wolf prefers mornings.", author="mira")])

    def labels() -> set[str]:
        with sqlite3.connect(path) as connection:
            return {text for (text,) in connection.execute("SELECT text FROM labels")}

    assert "wolfsbane" in labels()
    store.delete("desk", "1")
    store.compact()
    assert "wolfsbane" not in labels()


def test_days_are_found_however_they_are_written(store: SqliteStore) -> None:
    store.add(
        [
            said("1", "The audit is on 1 April 2031.", position=1),
            said("2", "The audit is next week.", position=2),
            said("3", "2031-04-01 it is.", position=3),
        ]
    )
    view = store.view(None)
    assert view.frequencies("context", ["@2031-04-01"]).tolist() == [2]
    assert view.frequencies("content", ["@2031-04-01"]).tolist() == [0]
    store.delete("desk", "3")
    assert store.view(None).frequencies("context", ["@2031-04-01"]).tolist() == [1]
