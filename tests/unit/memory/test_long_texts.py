"""The time that a text takes grows with its length, whatever it is made of."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from groupmem.memory.notes.reading import read
from groupmem.memory.notes.values import find_values
from groupmem.memory.recall.reread import only_asks

SIZE, TIMES = 2000, 8
MOST = 3 * TIMES  # where it grew with the square it would be TIMES * TIMES

TEXTS: dict[str, Callable[[int], str]] = {
    "marks": lambda size: "!" * size + "1?",
    "marks and signs": lambda size: "!)" * size + "1?",
    "closing signs": lambda size: "!" + ")" * size + "1?",
    "joined letters": lambda size: "a-" * size + "!1",
    "joined words": lambda size: "word_" * size + "!1 " + "word-" * size + "!1",
    "a long word before an address": lambda size: "a" * size + " is not x://y 1",
    "digits": lambda size: "1" * size + "x",
    "groups of digits": lambda size: "111," * size + "x",
    "parts of a version": lambda size: "v" + "1." * size + "x",
    "capitals": lambda size: "A'" * size + " B" * size,
    "quotes": lambda size: '"' * size + " 1",
}


def taken(use: Callable[[str], object], text: str) -> float:
    """The least time of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        use(text)
        found.append(time.process_time() - start)
    return min(found)


def values_of(text: str) -> object:
    return find_values(read(text), (), ())


@pytest.mark.parametrize("use", [only_asks, values_of])
@pytest.mark.parametrize("made", TEXTS.values(), ids=TEXTS)
def test_the_time_grows_with_the_length(use: Callable[[str], object], made: Callable[[int], str]) -> None:
    few, many = taken(use, made(SIZE)), taken(use, made(SIZE * TIMES))
    assert many < max(MOST * few, 0.05)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Really?!", False), ("Done!!! Why?", False), ("Wait... what?", False), ("Is it 1.5?", True), ("Oh!) No?", False)],
)
def test_what_only_asks(text: str, expected: bool) -> None:
    assert only_asks(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("see PROJ-123", "PROJ-123"), ("1a-b2", "b2"), ("éa-b1 x", "b1"), ("so " + "a-" * 20 + "7 is", "a-" * 20 + "7")],
)
def test_identifiers(text: str, expected: str) -> None:
    found = find_values(read(text), (), ())
    assert [value.text for value in found if value.kind == "identifier"] == [expected]
