"""The garbage collector waits while messages are taken in, and is as it was before afterwards."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
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


class Block(threading.Thread):
    """A thread that is inside a block until it is told to leave."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.leave = threading.Event(), threading.Event()
        self.start()
        assert self.entered.wait(30)

    def run(self) -> None:
        with waiting_collector():
            self.entered.set()
            self.leave.wait(30)

    def end(self) -> None:
        self.leave.set()
        self.join()


def test_it_waits_for_the_last_of_several_threads() -> None:
    first, second = Block(), Block()
    first.end()
    assert not gc.isenabled()
    third = Block()
    second.end()
    assert not gc.isenabled()
    third.end()
    assert gc.isenabled()


def test_blocks_within_blocks_are_counted() -> None:
    with waiting_collector():
        with waiting_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_switches_it_on_meanwhile_has_it_on_until_the_next_block() -> None:
    first = Block()
    gc.enable()
    second = Block()
    assert not gc.isenabled()
    second.end()
    first.end()
    assert gc.isenabled()


def test_one_that_was_off_is_left_off_by_several_threads() -> None:
    gc.disable()
    first, second = Block(), Block()
    first.end()
    second.end()
    assert not gc.isenabled()


def in_a_child(look: Callable[[], bool]) -> bool:
    """Whether something holds in the child of a fork."""
    child = os.fork()
    if not child:
        os._exit(0 if look() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def goes_on_after_a_block() -> bool:
    with waiting_collector():
        waited = not gc.isenabled()
    return waited and gc.isenabled()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork with threads is what this is about
def test_a_child_that_is_forked_meanwhile_has_its_collector() -> None:
    block = Block()
    assert in_a_child(gc.isenabled)
    assert in_a_child(goes_on_after_a_block)
    with waiting_collector():
        assert in_a_child(gc.isenabled)
    assert not gc.isenabled()
    block.end()
    assert gc.isenabled()
    gc.disable()
    assert in_a_child(lambda: not gc.isenabled())
