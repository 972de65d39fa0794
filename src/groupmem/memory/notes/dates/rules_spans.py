"""Rules for spans of time, for lengths of time, and for times of day. Conventions: docs/notes.md."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Item, rule
from groupmem.memory.notes.dates.rules_days import today_of
from groupmem.memory.notes.dates.rules_stated import on_day
from groupmem.memory.notes.dates.zones import clock_at

Amount = tuple[float, float, str]

_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_DAYS_IN = {"day": 1, "week": 7, "fortnight": 14}
_SECONDS_IN = {"second": 1, "minute": 60, "hour": 3600}
_GENERAL = re.compile(r"\b(?:if|when|whenever|usually|always|takes?)\b", re.IGNORECASE)
_STRETCHES = frozenset({"week", "month", "quarter", "year"})
_NOON = 12
_FIRST_WORKING_HOUR = 8
_ANY_DAY = date(2000, 1, 1)  # for the offset of a zone where the message has no time


def shift(moment: datetime, amount: float, unit: str) -> datetime:
    """`amount` units later (earlier where negative); months keep the day where the calendar allows."""
    if unit == "business_day":
        return datetime.combine(cal.add_business_days(moment.date(), int(amount)), moment.time())
    if unit in _MONTHS_IN:
        months = amount * _MONTHS_IN[unit]
        day = cal.add_months(moment.date(), int(months)) + cal.days(round((months - int(months)) * 30))
        return datetime.combine(day, moment.time())
    if unit in _DAYS_IN:
        return moment + timedelta(days=amount * _DAYS_IN[unit])
    return moment + timedelta(seconds=amount * _SECONDS_IN[unit])


def _shifted(anchor: Anchor, amount: Amount, sign: int) -> Item | None:
    low, high, unit = amount
    if anchor.now is None:
        return None
    now = anchor.now.replace(tzinfo=None, second=0, microsecond=0)
    ends = sorted((shift(now, sign * low, unit), shift(now, sign * high, unit)))
    first, last = ends[0].date(), ends[1].date()
    if unit in _SECONDS_IN:
        return Item("date", first, last, granularity="minute", clock=ends[0].time())
    return Item("date", first, last, granularity="day" if first == last else "range")


@rule("DUR from now")
def from_now(anchor: Anchor, amount: Amount) -> Item | None:
    """ "two weeks from now"; in "24 hours from now on" it is the length that holds from now."""
    return None if anchor.following == "on" else _shifted(anchor, amount, 1)


@rule("in DUR time?")
def ahead(anchor: Anchor, amount: Amount) -> Item | None:
    """ "in two weeks"; where the sentence tells of the past it is how long something took."""
    if amount[2] == "second" or anchor.following == "of" or anchor.direction() < 0 or _GENERAL.search(anchor.sentence):
        return None
    return _shifted(anchor, amount, 1)


@rule("DUR ago", "hace DUR")
def behind(anchor: Anchor, amount: Amount) -> Item | None:
    return _shifted(anchor, amount, -1)


@rule("within|in|over|for the? REL DUR", "the REL DUR")
def window(anchor: Anchor, relation: str, amount: Amount) -> Item | None:
    """ "over the next two weeks", "the last three days": ranges that touch the message's day."""
    other = _shifted(anchor, amount, -1 if relation in ("last", "past") else 1)
    if other is None or other.start is None or other.end is None or relation == "this" or amount[2] in _SECONDS_IN:
        return None
    today = today_of(anchor)
    return Item("date", min(today, other.start), max(today, other.end), granularity="range")


@rule("REL DUR")
def bare_window(anchor: Anchor, relation: str, amount: Amount) -> Item | None:
    """ "last 2 weeks"; "they last two years" and "they are coming two weeks from now" have a verb."""
    if relation == "coming" or (relation == "last" and anchor.previous in ("w", "x", "to")):
        return None
    return window(anchor, relation, amount)


@rule("within|in|over|for the REL UNIT")
def unit_window(anchor: Anchor, relation: str, unit: str) -> Item | None:
    """ "in the last month", "over the next week": one unit back or on from the message's day, unlike "last month"."""
    return window(anchor, relation, (1.0, 1.0, unit)) if unit in _STRETCHES else None


@rule("the? REL UNIT")
def past_unit(anchor: Anchor, relation: str, unit: str) -> Item | None:
    """ "the past year" goes back from the message's day."""
    return unit_window(anchor, relation, unit) if relation == "past" else None


@rule("within DUR")
def within(anchor: Anchor, amount: Amount) -> Item | None:
    """ "within two weeks": from the message's day; shorter than a day it is only a length of time."""
    if amount[2] in _SECONDS_IN or anchor.following in ("of", "from"):
        return None
    return window(anchor, "next", amount)


@rule("DUR RELDAY")
def weeks_from_day(anchor: Anchor, amount: Amount, day: int) -> Item | None:
    """ "a week today", "two weeks tomorrow"."""
    if amount[2] not in ("week", "fortnight") or day < 0:
        return None
    return on_day(today_of(anchor) + cal.days(day + int(amount[0]) * _DAYS_IN[amount[2]]), "relative")


@rule("DUR", stated=True)
def duration(_: Anchor, amount: Amount) -> Item:
    return Item("duration", amount=amount)


@rule("PART", "EDGE PART", stated=True)
def part_of_day(_: Anchor, *values: str) -> Item:
    return Item("part", part=values[-1])


Clock = tuple[int, int]


@rule("CLOCK ZONE?", "CLOCKZ", stated=True)
def clock(anchor: Anchor, at: Clock, zone: str | float | None = None) -> Item | None:
    if anchor.previous in ("UNIT", "UNITS", "SHORT"):
        return None  # "at minute 10:01"
    return _clock(anchor, at, zone)


@rule(
    "CLOCK -|to|until|through CLOCK ZONE?",
    "between CLOCK and CLOCK ZONE?",
    "from CLOCK to|until CLOCK ZONE?",
    stated=True,
)
def clocks(anchor: Anchor, low: Clock, high: Clock, zone: str | float | None = None) -> Item:
    item = _clock(anchor, low, zone)
    item.until = _clock(anchor, high, zone).clock
    return item


@rule("CLOCK AMPM ZONE?", stated=True)
def halved_clock(anchor: Anchor, at: Clock, half: int, zone: str | float | None = None) -> Item | None:
    """ "7:30 PM"."""
    return _clock(anchor, (at[0] % _NOON + half, at[1]), zone) if at[0] <= _NOON else _clock(anchor, at, zone)


@rule("DAY AMPM ZONE?", stated=True)
def hour(anchor: Anchor, number: int, half: int, zone: str | float | None = None) -> Item | None:
    return _clock(anchor, (number % _NOON + half, 0), zone) if number <= _NOON else None


@rule("DAY -|to DAY AMPM ZONE?", "DAY - CLOCK ZONE?", stated=True)
def hours(anchor: Anchor, low: int, high: int | Clock, *rest: int | str | float) -> Item | None:
    """ "3-5pm": the first hour takes the half of the day of the second."""
    if isinstance(high, int):
        half, *rest_zone = rest
        high = (high % _NOON + int(half), 0) if high <= _NOON else (high, 0)
    else:
        rest_zone = list(rest)
    if low > _NOON:
        return None
    start = low % _NOON + (_NOON if high[0] >= _NOON and low % _NOON + _NOON <= high[0] else 0)
    return clocks(anchor, (start, 0), high, *rest_zone)


@rule("DAY|WORDNUM oclock ZONE?", "DAY|WORDNUM in the PART", stated=True)
def spoken_hour(anchor: Anchor, number: int, extra: str | float | None = None) -> Item | None:
    """ "nine o'clock", "9 in the morning"."""
    if number > 24:
        return None
    part = extra if extra in ("morning", "afternoon", "evening", "night") else None
    hour_of_day = afternoon(number % 24, str(part)) if part else _likely_hour(number % 24)
    item = _clock(anchor, (hour_of_day, 0), None if part else extra)
    item.part = str(part) if part else None
    return item


@rule("at DAY|WORDNUM", stated=True)
def bare_hour(anchor: Anchor, number: int) -> Item | None:
    """ "at 10": a time only beside a date; below eight it is the afternoon."""
    if number >= 24 or anchor.following in ("UNIT", "UNITS", "x", "DUR", "AMPM", "oclock", "in"):
        return None
    return Item("hour", clock=time(_likely_hour(number)))


def _likely_hour(number: int) -> int:
    """The hour that a bare number means: one to seven are in the afternoon."""
    return number + _NOON if 0 < number < _FIRST_WORKING_HOUR else number


def afternoon(number: int, part: str) -> int:
    """The hour on the 24-hour clock that "number in the part of day" means."""
    return number + _NOON if number < _NOON and part in ("afternoon", "evening", "night") else number


def _clock(anchor: Anchor, at: Clock, zone: str | float | None) -> Item:
    day = anchor.today or _ANY_DAY
    return Item("clock", granularity="minute", kind="clock", clock=clock_at(*at, zone, day))
