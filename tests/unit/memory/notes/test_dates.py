"""Dates in chat wording: three tables (right values, lengths of time, no dates), and what must hold for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.memory.notes.dates import DateNote, DurationNote, find_dates
from groupmem.memory.notes.reading import read

HERE = Path(__file__).parent
MONDAY = datetime(2026, 11, 9, 10, tzinfo=UTC)
TABLE_FLOOR = 0.95


def rows(name: str) -> Iterator[tuple[datetime, str, str]]:
    anchor = MONDAY
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            anchor = datetime.fromisoformat(line[2:])
        elif line and not line.startswith("# "):
            text, _, expected = line.partition("\t")
            yield anchor, text, expected


def dates_in(text: str, anchor: datetime | None) -> tuple[DateNote, ...]:
    return find_dates(read(text).sentences, anchor)[0]


def durations_in(text: str) -> tuple[DurationNote, ...]:
    return find_dates(read(text).sentences, MONDAY)[1]


def shown(notes: tuple[DateNote, ...]) -> str:
    return "; ".join(map(_shown, notes)) or "-"


def _shown(note: DateNote) -> str:
    written = note.start.isoformat() if note.start == note.end else f"{note.start}..{note.end}"
    if note.time is not None:
        until = f"-{note.until:%H:%M}" if note.until else ""
        offset = note.time.isoformat()[8:]
        written += f"@{note.time:%H:%M}{until}{offset}"
    return written + (f"/{note.part}" if note.part else "")


def wrong_rows() -> list[str]:
    found = []
    for anchor, text, expected in rows("dates.tsv"):
        got = shown(dates_in(text, anchor))
        if got != expected:
            found.append(f"{anchor:%a %Y-%m-%d} {text!r}: {got}, not {expected}")
    return found


def test_the_table_is_long_enough_and_right() -> None:
    wrong, total = wrong_rows(), len(list(rows("dates.tsv")))
    assert total >= 200
    assert len(wrong) <= (1 - TABLE_FLOOR) * total, "\n".join(wrong)


@pytest.mark.parametrize(("anchor", "text", "expected"), list(rows("durations.tsv")))
def test_lengths_of_time_are_durations_and_no_dates(anchor: datetime, text: str, expected: str) -> None:
    dates, durations = find_dates(read(text).sentences, anchor)
    assert [f"{n.low:g}{'' if n.low == n.high else f'-{n.high:g}'} {n.unit}" for n in durations] == expected.split("; ")
    assert dates == ()


def test_sentences_without_dates_stay_without() -> None:
    texts = [text for _, text, _ in rows("not_dates.tsv")]
    assert len(texts) >= 60
    assert [text for text in texts if dates_in(text, MONDAY) or durations_in(text)] == []


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("done by Friday", "by"),
        ("not until the 18th", "until"),
        ("down since Monday", "since"),
        ("before 12 Nov", "before"),
        ("after the 20th", "after"),
        ("due tomorrow", "due"),
        ("on Friday", None),
    ],
)
def test_the_preposition_is_kept(text: str, relation: str | None) -> None:
    assert [note.relation for note in dates_in(text, MONDAY)] == [relation]


def test_months_have_no_seconds_and_days_have() -> None:
    assert [note.seconds for note in durations_in("90 s, 2 weeks, 3 months")] == [90, 14 * 86400, None]


# Phrases that name a day by its place in the week: said a week later, they mean a week later.
WEEKLY = (
    "today", "tomorrow", "yesterday", "tonight", "day after tomorrow", "Friday", "this Friday", "next Friday",
    "last Friday",
    "Friday week", "Tuesday of next week", "Monday after next", "EOD", "EOW", "end of next week", "early next week",
    "in two weeks", "ten days ago", "a week from tomorrow", "in three business days", "this weekend", "next weekend",
    "last weekend", "next week", "last week", "week after next", "Mon-Wed", "tomorrow at 3pm", "within two weeks",
    "in a couple of days", "two days before next Friday", "am Freitag", "la próxima semana", "demain",
)  # fmt: skip


@given(
    text=st.sampled_from(WEEKLY),
    anchor=st.datetimes(datetime(1971, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    weeks=st.integers(1, 60),
)
def test_a_week_later_the_same_words_mean_a_week_later(text: str, anchor: datetime, weeks: int) -> None:
    shift = timedelta(weeks=weeks)
    before, after = dates_in(text, anchor), dates_in(text, anchor + shift)
    assert [(n.start + shift, n.end + shift) for n in before] == [(n.start, n.end) for n in after]
    assert len(before) == 1


@given(
    text=st.sampled_from([text for _, text, _ in rows("dates.tsv")]),
    anchor=st.datetimes(datetime(1971, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_every_expression_resolves_in_order_at_any_time(text: str, anchor: datetime) -> None:
    for note in dates_in(text, anchor):
        assert note.start <= note.end
        assert text[slice(*note.span)] == note.text


ENDS = [datetime.min, datetime.max, datetime(1, 1, 31), datetime(9999, 12, 1)]  # noqa: DTZ001, DTZ901


@pytest.mark.parametrize("anchor", ENDS)
def test_at_either_end_of_the_calendar_what_lies_beyond_it_is_left_out(anchor: datetime) -> None:
    for _, text, _ in rows("dates.tsv"):
        for note in dates_in(text, anchor.replace(tzinfo=UTC)):
            assert note.start <= note.end


@pytest.mark.parametrize(
    "text", ["tomorrow", "Friday", "the 18th", "12 Nov", "next month", "in two weeks", "at 3pm", "Q3"]
)
def test_without_the_messages_time_nothing_relative_is_resolved(text: str) -> None:
    assert dates_in(text, None) == ()


def test_without_the_messages_time_what_is_stated_in_full_is_noted() -> None:
    text = "from 2026-11-12 on, contract ends 3 March 2027, plan for Q1 2027"
    assert shown(dates_in(text, None)) == "2026-11-12; 2027-03-03; 2027-01-01..2027-03-31"


def test_the_day_is_the_one_on_the_authors_clock() -> None:
    at_home = datetime.fromisoformat("2026-11-11T22:41:58-06:00")
    assert shown(dates_in("I'll post it tomorrow", at_home)) == "2026-11-12"
    assert shown(dates_in("I'll post it tomorrow", at_home.astimezone(UTC))) == "2026-11-13"


def test_the_same_words_in_question_and_message_have_their_own_anchor() -> None:
    said, asked = datetime(2023, 5, 23, tzinfo=UTC), datetime(2023, 5, 30, tzinfo=UTC)
    assert shown(dates_in("I spent 75 at the market last Thursday", said)) == "2023-05-18"
    assert shown(dates_in("what did I spend at the market last Thursday?", asked)) == "2023-05-25"


def test_dates_in_a_quote_are_not_the_authors() -> None:
    assert shown(dates_in("> due Friday\nno, Monday", MONDAY)) == "2026-11-16"


@given(st.text(max_size=200), st.none() | st.datetimes(timezones=st.just(UTC)))
def test_any_text_at_any_time_is_read_without_an_error_and_twice_alike(text: str, anchor: datetime | None) -> None:
    sentences = read(text).sentences
    dates, durations = find_dates(sentences, anchor)
    for note in (*dates, *durations):
        assert text[slice(*note.span)] == note.text
    assert (dates, durations) == find_dates(sentences, anchor)


VOCABULARY = """the a next last this of in by on at to - , . Monday Fri sat May march Nov 3 12 31 2026 18th 3pm 10:30
UTC week day weekend month quarter end early mid first second two few couple ago from after before since Q3 EOD tomorrow
half business days hours between and every Christmas"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(
    st.from_regex(r"[0-9]{1,4}([.:/-][0-9]{1,4}){0,2}[a-z]{0,5}\.?", fullmatch=True),
    st.sampled_from(["by ", "at ", ""]),
)
def test_any_number_with_any_ending_is_read_without_an_error(number: str, preposition: str) -> None:
    for note in dates_in(preposition + number, MONDAY):
        assert note.start <= note.end


@given(st.lists(WORDS, max_size=12).map(" ".join), st.datetimes(timezones=st.just(UTC)))
def test_any_row_of_date_words_is_read_without_an_error(text: str, anchor: datetime) -> None:
    for note in dates_in(text, anchor):
        assert note.start <= note.end
        assert text[slice(*note.span)] == note.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is on November | 5th", "2026-11-05"),
        ("call at 10:30am | est", "2026-11-09@10:30-05:00"),
        ("we need it by | Q3", "2027-07-01..2027-09-30"),
        ("see you next | Monday", "2026-11-16"),
    ],
)
@pytest.mark.parametrize("mark", [",", ":", ";", ")", ",,"])
def test_a_mark_that_stands_alone_separates_nothing(text: str, expected: str, mark: str) -> None:
    assert shown(dates_in(text.replace("|", mark), MONDAY)) == expected


def test_nor_does_it_in_a_length_of_time_and_behind_a_preposition() -> None:
    assert [note.seconds for note in durations_in("it takes 5 , hours")] == [5 * 3600]
    assert [note.relation for note in dates_in("we need it by , Q3", MONDAY)] == ["by"]
