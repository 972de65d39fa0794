"""What is remembered of texts is bounded by its size, and changes nothing of what is found."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
import weakref
from collections.abc import Callable

import pytest

from groupmem.memory.analysis import content_terms, running_terms, running_words
from groupmem.memory.known import known_if_short
from groupmem.memory.notes.dates.tokens import cut
from groupmem.memory.notes.people import Directory, normalise
from groupmem.types import Person

READERS = {
    "running terms": running_terms,
    "running words": running_words,
    "content terms": content_terms,
    "tokens": cut,
    "name": normalise,
    "candidates": Directory([Person(id="u1", name="Mira")]).candidates,
}


def table(number: int, joined: str) -> str:
    """20 KB without a space, of words that all have; each number has another order of them."""
    return joined.join(f"word{(line * 17 + number * line) % 1009}" for line in range(2500))


@pytest.mark.parametrize("joined", ["\n", "-"])
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_long_texts_are_not_kept(reader: Callable[[str], object], joined: str) -> None:
    for number in range(3):
        reader(table(number, joined))
    tracemalloc.start()
    for number in range(3, 8):
        reader(table(number, joined))
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 20_000


def test_a_short_text_is_read_once_and_a_long_one_each_time() -> None:
    read: list[str] = []

    @known_if_short(2, longest=3)
    def known(text: str) -> int:
        read.append(text)
        return len(text)

    assert [known(text) for text in ("abc", "abc", "abcd", "abcd")] == [3, 3, 4, 4]
    assert read == ["abc", "abcd", "abcd"]


def test_a_directory_goes_when_nobody_holds_it_and_can_be_copied() -> None:
    directory = Directory([Person(id="u1", name="Mira Holt")])
    assert directory.candidates("mira") == directory.candidates("mira") == ("u1",)
    assert pickle.loads(pickle.dumps(directory)).candidates("holt") == ("u1",)  # noqa: S301
    gone = weakref.ref(directory)
    gc.disable()
    try:
        del directory
        assert gone() is None
    finally:
        gc.enable()
