"""Messages that another memory over the same file deletes while a question is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groupmem import GroupMemory, Message, Person
from groupmem.memory.store.base import Rows, StoredMessage
from groupmem.memory.store.lock import BusyError
from groupmem.memory.store.view import ScopedView
from support.memory_store import said

TALK = (
    "We decided that the cutoff is 5 May, Mira signed it off.",
    "I propose that the cutoff be 9 May instead.",
    "Now we changed the cutoff to 9 May after all.",
    "The crane is late again.",
)
QUESTIONS = (
    "Who signed off the cutoff?",
    "What did we change about the cutoff, and what holds now?",
    "What does whoever signed off the cutoff say of the crane?",
)


def spoken() -> Iterator[Message]:
    for number in range(40):
        answers = str(number - 1) if number % 4 else None
        author = ("mira", "tomas")[number % 2]
        yield said(str(number), TALK[number % 4], author=author, reply_to=answers)


@pytest.fixture
def memories(path: Path) -> Iterator[tuple[GroupMemory, GroupMemory]]:
    with GroupMemory(path, embedding=None) as memory, GroupMemory(path, embedding=None) as other:
        memory.set_people([Person(id="mira", name="Mira"), Person(id="tomas", name="Tomas")])
        memory.add(spoken())
        yield memory, other


def deleting(
    monkeypatch: pytest.MonkeyPatch, other: GroupMemory, is_time: Callable[[int], bool]
) -> tuple[list[int], list[str]]:
    """Deletes the first and the last of the messages that are about to be read, where it is time by the number of the
    reading; the readings that were made, and the ids of what was deleted."""
    read, readings, gone = ScopedView.messages, list[int](), list[str]()

    def messages(view: ScopedView, rows: Rows) -> list[StoredMessage]:
        readings.append(len(rows))
        if is_time(len(readings)) and len(rows):
            around = read(view, rows[[0, -1]])
            view._reader._noted.clear()  # they have not been read yet
            for each in around:
                gone.append(each.message.id)
                other.delete(each.message.channel, each.message.id)
        return read(view, rows)

    monkeypatch.setattr(ScopedView, "messages", messages)
    return readings, gone


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("time", range(1, 6))
def test_a_recall_that_is_overtaken_begins_anew(
    memories: tuple[GroupMemory, GroupMemory], question: str, time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = memories
    readings, gone = deleting(monkeypatch, other, lambda number: number == time)
    recalled = memory.recall(question, asker="mira")
    assert gone or len(readings) < time
    assert recalled.passages
    assert not {name for passage in recalled.passages for name in passage.source_ids} & set(gone)


def test_a_message_that_is_deleted_while_it_is_looked_up_is_none(
    memories: tuple[GroupMemory, GroupMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = memories
    deleting(monkeypatch, other, lambda number: number == 1)
    assert memory.message("desk", "7") is None
    assert memory.message("desk", "8") is not None


def test_who_is_overtaken_all_the_while_is_told_so(
    memories: tuple[GroupMemory, GroupMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = memories
    deleting(monkeypatch, other, lambda number: True)
    with pytest.raises(BusyError, match="again and again"):
        memory.recall(QUESTIONS[0], asker="mira")
