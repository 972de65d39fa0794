"""Values: two spellings of one value share their normal form."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.dates import find_dates
from groupmem.memory.notes.reading import read
from groupmem.memory.notes.values import _NUMBER, Value, _numbers, find_values

NOW = datetime(2026, 11, 9, 10, tzinfo=UTC)


def values(text: str) -> tuple[Value, ...]:
    reading = read(text)
    return find_values(reading, *find_dates(reading.sentences, NOW))


def keys(text: str) -> list[tuple[str, str]]:
    return [(value.kind, value.normal) for value in values(text)]


@pytest.mark.parametrize(
    ("text", "kind", "normal"),
    [
        ("ten minutes", "duration", "600 second"),
        ("10 min", "duration", "600 second"),
        ("a day", "duration", "86400 second"),
        ("24 hours", "duration", "86400 second"),
        ("two months", "duration", "2 month"),
        ("cutoff 0.92", "number", "0.92"),
        ("100,000 rows", "number", "100000"),
        ("100k rows", "number", "100000"),
        ("twenty-one seats", "number", "21"),
        ("Twenty seats", "number", "20"),
        ("12%", "percent", "12 percent"),
        ("twelve percent", "percent", "12 percent"),
        ("$1,200", "money", "1200 money"),
        ("1200 dollars", "money", "1200 money"),
        ("€3k", "money", "3000 money"),
        ("250 MB", "size", "250000000 byte"),
        ("250MB", "size", "250000000 byte"),
        ("one gigabyte", "size", "1000000000 byte"),
        ("v1.9.3", "version", "1.9.3"),
        ("ships in 1.9.3", "version", "1.9.3"),
        ("see KLX-88", "identifier", "klx-88"),
        ("the P2 default", "identifier", "p2"),
        ('called "Data Box"', "quoted", "data box"),
        ("set `step_delay`", "quoted", "step_delay"),
        ("with Orrin Freight", "name", "orrin freight"),
        ("we took Ringo's offer", "name", "ringo"),
        ("next Friday", "date", "2026-11-20"),
        ("Thursday 14:00", "date", "2026-11-12T14:00:00"),
        ("16-18 Nov", "date", "2026-11-16..2026-11-18"),
    ],
)
def test_a_value_is_found_and_normalised(text: str, kind: str, normal: str) -> None:
    assert keys(text) == [(kind, normal)]


@pytest.mark.parametrize(
    "text",
    ["one of them", "Nothing here", "I think so", "https://a.example/v2/12?x=3", "the 9th floor", "OK then", "NO WAY"],
)
def test_what_is_no_value(text: str) -> None:
    assert keys(text) == []


def test_a_change_from_one_to_another_names_two_values() -> None:
    assert keys("from 24 to 72 hours") == [("duration", "86400 second"), ("duration", "259200 second")]


@given(st.text(max_size=200))
def test_values_of_any_text_lie_in_it_and_do_not_overlap(text: str) -> None:
    found = values(text)
    for value in found:
        assert text[slice(*value.span)] == value.text
    assert all(left.span[1] <= right.span[0] for left, right in pairwise(found))


@given(st.integers(0, 10**9), st.sampled_from(["%", " percent", " MB", " GB", " dollars", ""]))
def test_digits_with_and_without_separators_are_one_value(amount: int, unit: str) -> None:
    plain, grouped = (f"about {written}{unit}" for written in (amount, f"{amount:,}"))
    assert [normal for kind, normal in keys(plain) if kind != "date"] == [
        normal for kind, normal in keys(grouped) if kind != "date"
    ] or 1990 <= amount <= 2099


@given(
    st.lists(
        st.sampled_from(
            [
                "one",
                "ONE",
                "Two",
                "twenty-one",
                "ten",
                "often",
                "tend",
                "GB",
                "mb",
                "-three",
                "v2.3.1",
                "a-b_7",
                "a-b_",
                "7",
                "1,200",
                "%",
                "Mira",
            ]
        )
    )
)
def test_values_are_the_same_beside_letters_of_other_scripts(written: list[str]) -> None:
    text = " ".join(["so", *written])
    assert keys(f"{text} ü") == keys(text)


@given(st.text(st.sampled_from("12a $€B.-_,:%v \t５st"), max_size=16))
def test_numbers_are_those_that_a_search_of_the_whole_text_finds(text: str) -> None:
    assert [match.span() for match in _numbers(text)] == [match.span() for match in _NUMBER.finditer(text)]
