"""What a writer keeps at hand is bounded, and the bound changes nothing of what is written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from groupmem.memory.decisions import link
from groupmem.memory.store import noting
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Message
from support.memory_store import said

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
