"""Rules for dates that name a month, a quarter, a half, a year or a holiday. Conventions: docs/notes.md."""

from __future__ import annotations

from datetime import date

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Granularity, Item, Kind, rule
from groupmem.memory.notes.dates.rules_stated import (
    LEFT_OF_MONTH,
    NEAR_DAYS,
    Named,
    number_of,
    on_day,
    spanned,
    yearless,
)

_NAMES_TOO = frozenset({1, 4, 5, 6})  # Jan, April, May and June are people as well


def month_span(anchor: Anchor, month: int, year: int | None = None, *, tensed: bool = True) -> cal.Span | None:
    """The month of the given year, or the one that fits: the message's own, the nearest, or where that is far and the
    sentence is `tensed`, the one on the side that its preposition and its verbs show."""
    if year is not None:
        return cal.month_of(year, month)
    today = anchor.today
    if today is None:
        return None
    middle = today if today.month == month else yearless(anchor, month, 15, anchor.pointed())
    if middle is not None and tensed and abs((middle - today).days) > NEAR_DAYS:
        middle = yearless(anchor, month, 15, anchor.direction()) or middle
    return None if middle is None else cal.month_of(middle.year, month)


@rule("MONTH|maybe_MONTH of? YEAR", "MONTH|maybe_MONTH , YEAR", stated=True)
def month_of_year(_: Anchor, month: Named, year: int) -> Item | None:
    return spanned(cal.month_of(year, number_of(month)), "month", "stated")


@rule("MONTH", "maybe_MONTH")
def month_alone(anchor: Anchor, month: Named) -> Item | None:
    """A month alone: nearest; with a preposition the tense of the sentence decides which side."""
    prepositional = anchor.previous in LEFT_OF_MONTH
    if isinstance(month, tuple) and not prepositional:
        number, capital = month
        if not capital or number in _NAMES_TOO or anchor.previous in ("", ".") or anchor.following == "x":
            return None
    return spanned(month_span(anchor, number_of(month), tensed=prepositional), "month", "partial")


@rule("the? EDGE -? of? MONTH|maybe_MONTH YEAR?", stated=True)
def part_of_month(anchor: Anchor, edge: str, month: Named, year: int | None = None) -> Item | None:
    """ "early", "mid" and "late March" are its thirds; "start" and "end of March" its first and its last day."""
    span = month_span(anchor, number_of(month), year)
    return edged(span, edge, "stated" if year else "partial")


def edged(span: cal.Span | None, edge: str, kind: Kind) -> Item | None:
    """A part of a month, a quarter, a half or a year."""
    if span is None:
        return None
    first, last = span
    if edge in ("start", "end"):
        return on_day(first if edge == "start" else last, kind)
    length = (last - first).days + 1
    third = length // 3
    begin = first + cal.days({"early": 0, "mid": third, "late": 2 * third}[edge])
    finish = last if edge == "late" else begin + cal.days(third - 1)
    return Item("date", begin, finish, granularity="range", kind=kind)


@rule("ANYQUARTER of? YEAR", "YEARED_QUARTER", "ANYQUARTER , YEAR", stated=True)
def quarter_of_year(_: Anchor, quarter: tuple[int, ...], year: int | None = None) -> Item | None:
    return spanned(cal.part_of_year(year or quarter[2], quarter[0], quarter[1]), _size(quarter[1]), "stated")


def _size(months: int) -> Granularity:
    return "quarter" if months == 3 else "half"


def quarter_span(anchor: Anchor, quarter: tuple[int, ...]) -> cal.Span:
    """The quarter or half that is running or comes next; the last one where the sentence tells of the past."""
    today = anchor.today
    if today is None:
        raise ValueError("no time to resolve against")
    number, months = quarter[:2]
    direction = anchor.direction()
    span = cal.part_of_year(today.year, number, months)
    if direction < 0 and span[0] > today:
        return cal.part_of_year(today.year - 1, number, months)
    if direction >= 0 and span[1] < today:
        return cal.part_of_year(today.year + 1, number, months)
    return span


@rule("QUARTER")
def quarter_alone(anchor: Anchor, quarter: tuple[int, int]) -> Item | None:
    return spanned(quarter_span(anchor, quarter), _size(quarter[1]), "partial")


@rule("maybe_QUARTER")
def doubtful_quarter(anchor: Anchor, quarter: tuple[int, int]) -> Item | None:
    return quarter_alone(anchor, quarter) if anchor.previous in LEFT_OF_MONTH else None


@rule("the? EDGE -? of? the? ANYQUARTER YEAR?", "the? EDGE -? of? YEARED_QUARTER", stated=True)
def part_of_quarter(anchor: Anchor, edge: str, quarter: tuple[int, ...], year: int | None = None) -> Item | None:
    stated = year or (quarter[2] if len(quarter) > 2 else None)
    span = cal.part_of_year(stated, *quarter[:2]) if stated else quarter_span(anchor, quarter)
    return edged(span, edge, "stated" if stated else "partial")


@rule("YEAR", stated=True)
def year_alone(anchor: Anchor, year: int) -> Item | None:
    if anchor.previous not in LEFT_OF_MONTH or anchor.following in ("x", "UNIT"):
        return None
    return spanned(cal.year_of(year), "year", "stated")


@rule("the? EDGE -? of? YEAR", stated=True)
def part_of_year(_: Anchor, edge: str, year: int) -> Item | None:
    return edged(cal.year_of(year), edge, "stated")


@rule("HOLIDAY YEAR", stated=True)
def holiday_of_year(_: Anchor, when: tuple[int, ...], year: int) -> Item | None:
    return on_day(_holiday(year, when), "stated")


@rule("HOLIDAY")
def holiday(anchor: Anchor, when: tuple[int, ...]) -> Item | None:
    today = anchor.today
    if today is None:
        return None
    return on_day(cal.nearest([_holiday(today.year + shift, when) for shift in (-1, 0, 1)], today), "partial")


def _holiday(year: int, when: tuple[int, ...]) -> date:
    if len(when) == 2:
        return date(year, *when)
    month, weekday, number, later = when
    day = cal.nth_weekday(cal.month_of(year, month), number, weekday)
    if day is None:
        raise ValueError(f"{year} has no such holiday")
    return day + cal.days(later)
