"""The garbage collector waits while messages are taken in, and is as it was before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from groupmem.memory.notes.records import Notes
from groupmem.memory.store import sqlite
from groupmem.memory.store.collector import waiting_collector
from groupmem.memory.store.sqlite import SqliteStore
from support.memory_store import said


@pytest.fixture(autouse=True)
def collector_as_before() -> Iterator[None]:
    yield
    gc.enable()


def test_it_waits_while_messages_are_taken_in_and_goes_on_behind_them(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def note(*values: Any, **named: Any) -> Notes:
        seen.append(gc.isenabled())
        return sqlite.note(*values, **named)

    monkeypatch.setattr(store._noting, "_note", note)
    store.add([said("1", "The audit is on Friday.")])
    assert seen == [False]
    assert gc.isenabled()


def test_it_goes_on_behind_a_failure() -> None:
    with pytest.raises(KeyError), waiting_collector():
        raise KeyError
    assert gc.isenabled()


def test_who_has_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    with waiting_collector():
        assert not gc.isenabled()
    assert not gc.isenabled()
