"""What one message repeats of another."""

from __future__ import annotations

import pytest

from groupmem.memory.notes import Directory, note
from groupmem.memory.phrases import Phrase, Said, repeated
from groupmem.memory.phrases import said as made_ready
from groupmem.memory.store.base import Noted
from support.memory_store import said


def ready(text: str) -> Said:
    message = said("1", text)
    return made_ready(Noted(row=1, thread=1, message=message, notes=note(message, directory=Directory(()))))


def repeat(text: str, other: str, known: str = "") -> Phrase:
    return repeated(ready(text).lines[0], ready(other), ready(known).places)


def test_the_run_of_words_that_says_most() -> None:
    found = repeat("We take the two green boats and a rope.", "What about the two green boats? A rope costs more.")
    assert found.words == ("the", "two", "green", "boats")
    assert not found.aside


def test_a_run_of_function_words_says_nothing() -> None:
    assert repeat("It is on the pier.", "Put it on the roof, it is dry.").words == ()


def test_words_that_are_known_anyway_do_not_count() -> None:
    line, other = "The ferry tickets are brass.", "Brass for the ferry tickets?"
    assert repeat(line, other).words == ("the", "ferry", "tickets")
    assert repeat(line, other, "The ferry tickets are paper.").words == ("brass",)


@pytest.mark.parametrize(
    "line", ["Not brass tokens any more.", "Paper instead of brass tokens.", "Brass tokens are out, paper is in."]
)
def test_what_a_line_puts_aside(line: str) -> None:
    assert repeat(line, "Brass tokens!").aside


def test_values_of_a_sentence() -> None:
    message = ready("It moves from 12 to 14 days. Nice.")
    assert message.given(message.lines[0]) == message.values
    assert not message.given(message.lines[1])
    assert message.replaced < message.values
