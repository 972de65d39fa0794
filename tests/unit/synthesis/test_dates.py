"""How dates are said: readable in one way only."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.lab.synthesis.dates import absolute_phrases, relative_phrases, say_date

TUESDAY = date(2026, 3, 3)
days_said = st.dates(date(2024, 1, 1), date(2030, 12, 31))


@given(said=days_said)
def test_seen_from_one_day_no_phrase_means_two_dates(said: date) -> None:
    meant: dict[str, date] = {}
    for ahead in range(60):
        on = said + timedelta(days=ahead)
        for phrase in (*relative_phrases(on, said), *absolute_phrases(on, said)):
            assert meant.setdefault(phrase, on) == on, phrase


@pytest.mark.parametrize(
    ("said", "phrase", "on"),
    [
        (TUESDAY, "EOD today", date(2026, 3, 3)),
        (TUESDAY, "tomorrow", date(2026, 3, 4)),
        (TUESDAY, "Friday", date(2026, 3, 6)),
        (TUESDAY, "EOD Friday", date(2026, 3, 6)),
        (TUESDAY, "the end of the week", date(2026, 3, 6)),
        (TUESDAY, "Monday", date(2026, 3, 9)),
        (TUESDAY, "next Monday", date(2026, 3, 9)),
        (TUESDAY, "Friday next week", date(2026, 3, 13)),
        (TUESDAY, "the end of next week", date(2026, 3, 13)),
        (TUESDAY, "a week from Friday", date(2026, 3, 13)),
        (TUESDAY, "a week from today", date(2026, 3, 10)),
        (TUESDAY, "next Tuesday", date(2026, 3, 10)),
        (TUESDAY, "two weeks from today", date(2026, 3, 17)),
        (TUESDAY, "Wednesday the week after next", date(2026, 3, 18)),
        (TUESDAY, "the 23rd", date(2026, 3, 23)),
        (TUESDAY, "the 11th", date(2026, 3, 11)),
        (TUESDAY, "the end of the month", date(2026, 3, 31)),
        (date(2026, 2, 25), "the 2nd", date(2026, 3, 2)),
        (date(2028, 2, 25), "the end of the month", date(2028, 2, 29)),
        (date(2026, 12, 30), "next Monday", date(2027, 1, 4)),
    ],
)
def test_what_a_phrase_means(said: date, phrase: str, on: date) -> None:
    means = [
        said + timedelta(days=ahead)
        for ahead in range(60)
        if phrase in relative_phrases(said + timedelta(days=ahead), said)
    ]
    assert means == [on]


def test_next_weekday_is_not_said_while_this_weeks_is_ahead() -> None:
    assert "next Friday" not in relative_phrases(date(2026, 3, 13), TUESDAY)


@given(said=days_said, ahead=st.integers(-30, 60))
def test_a_date_that_is_over_or_far_is_said_in_full(said: date, ahead: int) -> None:
    on = said + timedelta(days=ahead)
    phrase, form = say_date(on, said, 1.0, random.Random(ahead))
    if ahead < 0 or ahead > 31:
        assert form == "absolute"
    if form == "absolute":
        assert str(on.day) in phrase
        assert on.year == said.year or str(on.year) in phrase


@given(said=days_said, ahead=st.integers(0, 13))
def test_how_often_a_date_is_relative_is_up_to_the_caller(said: date, ahead: int) -> None:
    on = said + timedelta(days=ahead)
    assert say_date(on, said, 0.0, random.Random(1))[1] == "absolute"
    if on.weekday() < 5:
        assert say_date(on, said, 1.0, random.Random(1))[1] == "relative"
