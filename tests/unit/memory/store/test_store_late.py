"""New messages are written together, and nobody can see that they were late."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from groupmem.memory.store.late import FACTS, TEXTS, LateRows
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Message
from support.memory_store import open_store, said

TABLES = ("messages", "texts", "links", "orphans", "channels", "edits", "labels")
SENTENCES = (
    "We decided on 30 GB instead of 20 GB.",
    "I suggest 25 GB for the cache.",
    "Agreed, 25 GB it is.",
    "ok",
    "The audit moves to Friday.",
    "Mira thinks it is too early?",
)


def tables(store: SqliteStore) -> dict[str, list[Any]]:
    return {table: store._connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}  # noqa: S608


def talk(seed: int) -> list[Message]:
    """Answers before what they answer, late ones, ones without a time, edits, repeats: in two channels, one silent."""
    chance = random.Random(seed)
    found = []
    for number in range(60):
        minute = chance.choice([number, number, number, chance.randrange(60), None])
        answered = str(chance.randrange(60)) if chance.random() < 0.5 else None
        found.append(
            said(
                str(chance.randrange(60)) if chance.random() < 0.1 else str(number),
                chance.choice(SENTENCES),
                minute=-1 if minute is None else minute,
                channel="silent" if number % 3 == 0 else "desk",
                reply_to=None if number % 3 == 0 else answered,
                topic=chance.choice(["cache", None]),
                **({"sent_at": None} if minute is None else {}),
            )
        )
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_gives_what_its_messages_give_one_by_one(tmp_path: Path, seed: int) -> None:
    messages = talk(seed)
    together, alone = open_store(tmp_path / "together.db"), open_store(tmp_path / "alone.db")
    assert together.add(messages) == sum((alone.add([message]) for message in messages[1:]), alone.add(messages[:1]))
    assert together.delete("silent", "57") == alone.delete("silent", "57")
    more = [message for message in talk(seed + 100) if message.id != "57"]
    together.add(more)
    for message in more:
        alone._writer.forget()
        alone.add([message])
    assert tables(together) == tables(alone)
    links = tables(together)["links"]
    together.rebuild()
    assert tables(together)["links"] == links
    together.close()
    alone.close()


def test_what_waits_is_written_in_front_of_the_next_statement(store: SqliteStore) -> None:
    store.add([said("1", "hello")])
    late = LateRows(store._connection)
    facts = dict.fromkeys(FACTS, 0) | {"row": 7, "channel": 1, "id": "7", "thread": 5}
    late.add(facts, dict.fromkeys(TEXTS.values(), 0) | {"row": 7, "notes": b"", "extra": None, "days": None})
    assert (late.row((1, "7")), late.thread((1, "7"))) == (7, (7, 5, False))
    assert late.aside("SELECT count(*) FROM messages").fetchone() == (1,)
    assert late.execute("SELECT count(*) FROM messages").fetchone() == (2,)
    assert late.execute("SELECT count(*) FROM texts").fetchone() == (2,)
    late.execute("UPDATE messages SET thread = 4 WHERE row = 7")
    late.moved()
    assert (late.row((1, "7")), late.thread((1, "7"))) == (7, (7, 4, False))
    assert (late.row((1, "8")), late.thread((1, "8"))) == (None, None)


def test_what_waits_is_forgotten_with_its_transaction(store: SqliteStore) -> None:
    store._writer._connection.add(dict.fromkeys(FACTS, 0), dict.fromkeys(TEXTS.values(), 0))
    store._writer.forget()
    store.add([said("1", "hello")])
    assert store._connection.execute("SELECT count(*) FROM messages").fetchone() == (1,)
