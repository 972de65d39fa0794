"""Which statements are likely to replace each other, and which merely stand in the same room."""

from __future__ import annotations

from groupmem.memory.notes import Directory, note
from groupmem.memory.signs import likelihood
from groupmem.memory.store.base import Noted
from support.memory_store import said

NOBODY = Directory(())


def noted(row: int, text: str, *, thread: int | None = None) -> Noted:
    message = said(str(row), text)
    return Noted(
        row=row, thread=row if thread is None else thread, message=message, notes=note(message, directory=NOBODY)
    )


def likely(new: str, old: str, *, changing: float = 0.5, thread: int | None = None, among: int = 1) -> float:
    return likelihood(noted(2, new, thread=thread), noted(1, old), changing=changing, among=among)


def test_another_matter_of_the_same_person_is_not_replaced() -> None:
    new = "The pier audit moves from Friday to Tuesday the 24th."
    same, other = "The pier audit is on Friday the 20th.", "The crane letter is due on Friday the 13th."
    assert likely(new, same) > 0.25 > 0.1 > likely(new, other)


def test_each_sign_adds() -> None:
    new, old = "The pier audit goes from 12 to 14 days.", "The pier audit takes 12 days."
    assert likely(new, old) > likely("The pier audit takes 14 days.", old)
    assert likely(new, old, thread=1) > likely(new, old)
    assert likely(new, old, changing=0.9) > likely(new, old, changing=0.1)


def test_one_of_many_is_less_likely_the_one() -> None:
    new, old = "The pier audit goes from 12 to 14 days.", "The pier audit takes 12 days."
    assert likely(new, old, among=100) < likely(new, old, among=20) < likely(new, old, among=1)
