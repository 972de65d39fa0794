"""The whole of what is noted about one message."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes import NOTES_VERSION, Directory, Notes, note
from groupmem.types import Message, Person

DIRECTORY = Directory([Person(id="U1", name="Mira Holm", role="Release Manager"), Person(id="U2", name="Tomas Vale")])
NOW = datetime(2026, 11, 9, 10, tzinfo=UTC)
TEXT = (
    "Agreed, Mira: the pool limit goes from 24 to 72 hours, by EOD Friday. Tomas said he needs 250 MB.\n"
    "> old news\nThe release manager decides tomorrow at 3pm CET."
)


def noted(text: str, sent_at: datetime | None = NOW, parent: Notes | None = None) -> Notes:
    return note(
        Message(id="m1", channel="c", author="U2", text=text, sent_at=sent_at), directory=DIRECTORY, parent=parent
    )


def test_everything_is_noted_with_its_place_in_the_text() -> None:
    notes = noted(TEXT)
    assert (notes.message, notes.author, notes.version) == ("m1", "U2", NOTES_VERSION)
    assert [TEXT[slice(*date.span)] for date in notes.dates] == ["EOD Friday", "tomorrow at 3pm CET"]
    assert [TEXT[slice(*mention.span)] for mention in notes.mentions] == ["Mira", "Tomas"]
    assert [TEXT[slice(*role.span)] for role in notes.roles] == ["release manager"]
    assert [TEXT[slice(*span)] for span in notes.quotes] == ["> old news"]
    assert {statement.kind for statement in notes.statements} >= {"decision", "change", "deadline"}
    assert {claim.mode for claim in notes.claims} == {"reported", "quoted"}
    assert "pool" in notes.terms
    assert notes.subjects


def test_notes_are_json_and_come_back_as_they_were() -> None:
    notes = noted(TEXT, parent=noted("What is the pool limit?"))
    assert msgspec.json.decode(msgspec.json.encode(notes), type=Notes) == notes


def test_a_short_answer_lends_on_what_it_borrowed() -> None:
    question = noted("How long is the audit window of the blue bucket?")
    answer = noted("Ten.", parent=question)
    assert set(noted("Why?", parent=answer).parent_terms) >= {"audit", "bucket"}


def test_routing_names_are_no_people() -> None:
    notes = noted("acme::channel-77::user-12 I bought a road bike yesterday.")
    assert notes.mentions == ()


def test_another_process_notes_the_same_bytes() -> None:
    """Neither the order of sets nor anything else that differs between processes shows in the notes."""
    script = (
        "import msgspec\nfrom datetime import UTC, datetime\nfrom groupmem.memory.notes import Directory, note\n"
        "from groupmem.types import Message, Person\n"
        "people = [Person(id='U1', name='Mira Holm', role='Release Manager'), Person(id='U2', name='Tomas Vale')]\n"
        "sent_at = datetime(2026, 11, 9, 10, tzinfo=UTC)\n"
        f"message = Message(id='m1', channel='c', author='U2', text={TEXT!r}, sent_at=sent_at)\n"
        "print(msgspec.json.encode(note(message, directory=Directory(people))).decode())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout.decode().strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert printed == {msgspec.json.encode(noted(TEXT)).decode()}


@given(st.text(max_size=400), st.none() | st.datetimes(timezones=st.just(UTC)), st.text(max_size=60))
def test_any_text_is_noted_without_an_error_and_twice_alike(text: str, sent_at: datetime | None, above: str) -> None:
    parent = noted(above, sent_at)
    notes = noted(text, sent_at, parent)
    assert notes == noted(text, sent_at, parent)
    spans = [found.span for found in (*notes.dates, *notes.values, *notes.mentions, *notes.statements, *notes.claims)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert msgspec.json.decode(msgspec.json.encode(notes), type=Notes) == notes


LONG = {
    "no word ends": "a" * 20_000,
    "numbers": "1," * 10_000,
    "calls": "Mira, " * 4_000,
    "mentions": "@Mira " * 4_000,
    "ids": "User_1 " * 4_000,
    "marks": "." * 20_000,
    "spaces": " " * 40_000,
    "quotation marks": '" ' * 10_000,
    "dates": "EOD Friday " * 2_000,
    "sources": "Mira said " * 4_000,
    "unspaced": "会議は明日" * 4_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_a_long_message_takes_time_in_proportion(text: str) -> None:
    """Thrice the text takes nowhere near nine times the time, whatever it repeats; a second is far above either."""
    shorter, longer = (_seconds(lambda part=part: noted(part)) for part in (text[: len(text) // 3], text))
    assert longer < max(1.0, 6 * shorter)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("We decided on 30 GB instead of 20 GB.", ("size:20000000000 byte",)),
        ("We decided on 30 GB, no longer the old 20 GB.", ("size:20000000000 byte",)),
        ("We decided on 30 GB REPLACING\tour 20 GB.", ("size:20000000000 byte",)),
        ("We decided on 30 GB “café” instead of 20 GB.", ("size:20000000000 byte",)),
        ("We decided on 30 GB beside 20 GB.", ()),
        ("We decided on 30 GB, instead of guessing, with 20 GB.", ()),
    ],
)
def test_a_value_is_replaced_where_the_words_before_it_say_so(text: str, replaced: tuple[str, ...]) -> None:
    assert [subject.replaced for subject in noted(text).subjects] == [replaced]
