"""Rules for dates that name a day of a month. Conventions: docs/notes.md."""

from __future__ import annotations

from datetime import date

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Granularity, Item, Kind, rule
from groupmem.memory.notes.dates.zones import clock_at

_LEFT_OF_NUMERIC = frozenset(
    {
        "on",
        "by",
        "until",
        "before",
        "after",
        "since",
        "from",
        "due",
        "to",
        "through",
        "WEEKDAY",
        "maybe_WEEKDAY",
        "between",
    }
)
LEFT_OF_MONTH = frozenset({"in", "by", "until", "since", "before", "after", "from", "through", "over"})
_LEFT_OF_ORDINAL = _LEFT_OF_NUMERIC | {",", "and", "or", "-", "/", "PART", "CLOCK"}
_RIGHT_OF_ORDINAL = frozenset(
    {"", ".", ",", "w", "at", "and", "or", "to", "-", "through", "until", "after", "before", "for", "in", "on", "CLOCK",
     "PART", "of", "by", "EO", "the", "from", "s", "/", "this", "that"}
)  # fmt: skip
_SPOKEN_FROM = 6  # "the first" to "the fifth" count things more often than days
_LATER_MONTH = 13
_RATING_SCALES = (5, 10)
_RECENT_DAYS = 21
_BEFORE_PLAN_DAYS = 10
NEAR_DAYS = 75  # within them the nearest month or day is meant, whatever the tense

Named = int | tuple[int, bool]  # a month or weekday; of a doubtful word also whether it is capitalised


def number_of(value: Named) -> int:
    return value if isinstance(value, int) else value[0]


def on_day(when: date | None, kind: Kind) -> Item | None:
    return None if when is None else Item("date", when, when, kind=kind)


def spanned(span: cal.Span | None, granularity: Granularity, kind: Kind) -> Item | None:
    return None if span is None else Item("date", *span, granularity=granularity, kind=kind)


def yearless(anchor: Anchor, month: int, day: int, direction: int) -> date | None:
    """The month and day in the year that fits: the nearest one, or the next or last one where a direction is given."""
    today = anchor.today
    if today is None:
        return None
    years = (-1, 0, 1, 2) if (month, day) != (2, 29) else range(-8, 9)
    found = [when for shift in years if (when := cal.safe_date(today.year + shift, month, day))]
    if direction:
        found = [when for when in found if when == today or (when > today) == (direction > 0)]
    return cal.nearest(found, today) if found else None


@rule("ISO", stated=True)
def iso(_: Anchor, parts: tuple[str | None, ...]) -> Item | None:
    year, month, day, hour, minute, zone = parts
    when = date(int(year or 0), int(month or 0), int(day or 0))
    if hour is None:
        return on_day(when, "stated")
    clock = clock_at(int(hour), int(minute or 0), zone, when)
    return Item("date", when, when, granularity="minute", kind="stated", clock=clock)


@rule("NUMERIC", stated=True)
def numeric(anchor: Anchor, parts: tuple[int, int, int | None]) -> Item | None:
    """Day first ("12/11" is 12 November); month first only where that alone is a date ("11/23")."""
    left, right, year = parts
    day, month = (right, left) if right >= _LATER_MONTH else (left, right)
    if year is not None:
        return on_day(date(year, month, day), "stated")
    if anchor.previous not in _LEFT_OF_NUMERIC or anchor.following == "of":
        return None
    if right in _RATING_SCALES and anchor.previous in ("to", "from"):
        return None  # "from 3/10 to 4/10"
    return on_day(yearless(anchor, month, day, anchor.pointed()), "partial")


@rule(
    "the? DAY|ORD of? MONTH|maybe_MONTH of? YEAR?",
    "the? DAY|ORD of? MONTH|maybe_MONTH , YEAR",
    "DAY . MONTH YEAR?",
    "the? ORDWORD of MONTH|maybe_MONTH YEAR?",
    stated=True,
)
def day_month(anchor: Anchor, day: int, month: Named, year: int | None = None) -> Item | None:
    number = number_of(month)
    if year is not None:
        return on_day(date(year, number, day), "stated")
    if _is_verb(month, anchor):
        return None
    return on_day(_in_fitting_year(anchor, number, day), "partial")


def _in_fitting_year(anchor: Anchor, month: int, day: int) -> date | None:
    """The nearest such day; where it is far and the sentence tells of the past or of what is to come, on that side."""
    found = yearless(anchor, month, day, anchor.pointed())
    today = anchor.today
    if found is None or today is None or abs((found - today).days) <= NEAR_DAYS:
        return found
    return yearless(anchor, month, day, anchor.direction()) or found


@rule(
    "MONTH|maybe_MONTH the? DAY|ORD YEAR?",
    "MONTH|maybe_MONTH DAY|ORD , YEAR",
    "MONTH|maybe_MONTH ORDWORD YEAR?",
    stated=True,
)
def month_day(anchor: Anchor, month: Named, day: int, year: int | None = None) -> Item | None:
    return day_month(anchor, day, month, year)


def _is_verb(month: Named, anchor: Anchor) -> bool:
    """ "12 may fail", "may 12 of them", "the 3rd march on": no months."""
    small = isinstance(month, tuple) and not month[1] and month[0] in (3, 5)
    return small and anchor.following in ("x", "A", "of", "on") and anchor.previous not in LEFT_OF_MONTH | {"on"}


@rule(
    "the? DAY|ORD -|to|through|until|and the? DAY|ORD of? MONTH|maybe_MONTH YEAR?",
    "DAY . - DAY . MONTH YEAR?",
    stated=True,
)
def days_of_month(anchor: Anchor, low: int, high: int, month: Named, year: int | None = None) -> Item | None:
    last = day_month(anchor, high, month, year)
    if last is None or last.end is None or low > high:
        return None
    return Item("date", last.end.replace(day=low), last.end, granularity="range", kind=last.kind)


@rule(
    "WEEKDAY|maybe_WEEKDAY the? DAY|ORD -|to|through|until WEEKDAY|maybe_WEEKDAY the? DAY|ORD of? "
    "MONTH|maybe_MONTH YEAR?",
    stated=True,
)
def named_days_of_month(
    anchor: Anchor, _: Named, low: int, __: Named, high: int, month: Named, year: int | None = None
) -> Item | None:
    """ "fri 28 to sun 30 may"."""
    return days_of_month(anchor, low, high, month, year)


@rule("MONTH|maybe_MONTH DAY|ORD -|to|through|until DAY|ORD YEAR?", stated=True)
def month_and_days(anchor: Anchor, month: Named, low: int, high: int, year: int | None = None) -> Item | None:
    return days_of_month(anchor, low, high, month, year)


@rule("the? ORD -|through the? ORD", "the DAY - DAY")
def ordinal_days(anchor: Anchor, low: int, high: int) -> Item | None:
    """ "the 16th to the 22nd"; across a month end the second day lies in the next month."""
    first = _fitting_day(anchor, low)
    last = day_of_month(first, high, 1)
    if first is None or last is None:
        return None
    return Item("date", first, last, granularity="range", kind="partial")


@rule("ORD")
def bare_ordinal(anchor: Anchor, day: int) -> Item | None:
    """ "by 18th", "Monday, 9th": a day only where something beside it says so."""
    return ordinal(anchor, day) if anchor.previous in _LEFT_OF_ORDINAL else None


@rule("the ORD")
def ordinal(anchor: Anchor, day: int) -> Item | None:
    """ "the 18th": the next one, on or after the message's day; the last one where the sentence tells of the past."""
    if anchor.following not in _RIGHT_OF_ORDINAL and anchor.previous not in ("WEEKDAY", "maybe_WEEKDAY"):
        return None
    return _day_alone(anchor, day)


@rule("the ORDWORD")
def spoken_ordinal(anchor: Anchor, day: int) -> Item | None:
    if day < _SPOKEN_FROM or anchor.following not in _RIGHT_OF_ORDINAL or anchor.previous not in _LEFT_OF_NUMERIC:
        return None
    return _day_alone(anchor, day)


def _day_alone(anchor: Anchor, day: int) -> Item | None:
    when = _fitting_day(anchor, day)
    return None if when is None else Item("date", when, when, kind="partial", bare="day")


def _fitting_day(anchor: Anchor, day: int) -> date | None:
    """The next such day, or the one near a plan; in a sentence of the past the last one of the past three weeks."""
    today = anchor.today
    if today is None:
        return None
    if anchor.plan is not None:
        return day_of_month(anchor.plan - cal.days(_BEFORE_PLAN_DAYS), day, 1)
    if anchor.direction() < 0:
        last = day_of_month(today, day, -1)
        if last is not None and (today - last).days <= _RECENT_DAYS:
            return last
    return day_of_month(today, day, 1)


def day_of_month(anchor: date | None, day: int, direction: int) -> date | None:
    """The first such day of a month on or after `anchor`, or the last one on or before it where `direction` is -1."""
    if anchor is None:
        return None
    for shift in (0, -1, -2) if direction < 0 else (0, 1, 2):
        month = cal.add_months(anchor.replace(day=1), shift)
        when = cal.safe_date(month.year, month.month, day)
        if when is not None and (when <= anchor if direction < 0 else when >= anchor):
            return when
    return None
