"""Rules for weeks, weekends, months, quarters and years that count from the message. Conventions: docs/notes.md."""

from __future__ import annotations

from datetime import date

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Granularity, Item, rule
from groupmem.memory.notes.dates.rules_days import STEPS, today_of
from groupmem.memory.notes.dates.rules_months import edged, month_span
from groupmem.memory.notes.dates.rules_stated import Named, number_of, on_day, spanned

_WEEK_PARTS = {"start": (0, 0), "early": (0, 1), "mid": (2, 2), "late": (3, 4), "end": (4, 4)}
_ENDING = frozenset({"month", "quarter", "year"})


def period(today: date, relation: str, unit: str) -> tuple[cal.Span, Granularity] | None:
    """The week, weekend, month, quarter or year that `relation` names, and its size."""
    step = STEPS[relation]
    if unit == "week":
        return cal.week_of(today + cal.days(7 * step)), "week"
    if unit == "weekend":
        return cal.weekend_of(today + cal.days(7 * step if relation != "coming" else 0)), "weekend"
    if unit == "month":
        first = cal.add_months(today.replace(day=1), step)
        return cal.month_of(first.year, first.month), "month"
    if unit == "quarter":
        first = cal.add_months(today.replace(day=1), 3 * step)
        return cal.part_of_year(first.year, (first.month - 1) // 3 + 1, 3), "quarter"
    return (cal.year_of(today.year + step), "year") if unit == "year" else None


@rule("the? REL UNIT", "UNIT RELPOST")
def relative_period(anchor: Anchor, *values: str) -> Item | None:
    relation, unit = values if values[0] in STEPS else values[::-1]
    found = period(today_of(anchor), relation, unit)
    if unit == "day" and relation == "next":
        return None
    return None if found is None else spanned(*found, "relative")


@rule("UNIT que viene")
def coming_period(anchor: Anchor, unit: str) -> Item | None:
    return relative_period(anchor, "next", unit)


@rule("the? UNIT after|before REL")
def period_beyond(anchor: Anchor, unit: str, relation: str) -> Item | None:
    """ "the week after next", "the month before last"."""
    today = today_of(anchor)
    step = period(today, relation, unit)
    if step is None or relation not in ("next", "last"):
        return None
    beyond = step[0][1] + cal.days(1) if relation == "next" else step[0][0] - cal.days(1)
    found = period(beyond, "this", unit)
    return None if found is None else spanned(*found, "relative")


@rule("the UNIT")
def the_weekend(anchor: Anchor, unit: str) -> Item | None:
    """ "the weekend" is this week's, the last one where the sentence tells of the past; "the week" is no date."""
    if unit != "weekend":
        return None
    today = today_of(anchor)
    past = anchor.direction() < 0 and today.weekday() < cal.SATURDAY
    return relative_period(anchor, "last" if past else "this", unit)


@rule("the? EDGE -? of? the? REL? UNIT", "EDGE -? UNIT", "UNIT -? EDGE")
def part_of_period(anchor: Anchor, *values: str) -> Item | None:
    """ "end of next week" is its Friday, "early next week" Monday and Tuesday, "end of the month" its last day."""
    if values[0] not in _WEEK_PARTS:
        values = (values[1], values[0])
        if values[0] != "end" or values[1] not in _ENDING:
            return None
    edge, unit = values[0], values[-1]
    today = today_of(anchor)
    if unit == "day":
        return Item("edge", today, today) if edge == "end" else None
    return _part(today, edge, values[1] if len(values) == 3 else "this", unit)


def _part(today: date, edge: str, relation: str, unit: str) -> Item | None:
    found = period(today, relation, unit)
    if found is None or unit == "weekend":
        return None
    if unit != "week":
        return edged(found[0], edge, "relative")
    low, high = _WEEK_PARTS[edge]
    monday = found[0][0]
    if relation == "this" and edge == "end" and today.weekday() > cal.FRIDAY:
        monday += cal.days(7)
    first, last = monday + cal.days(low), monday + cal.days(high)
    return Item("date", first, last, granularity="day" if low == high else "range")


@rule("EO")
def end_of(anchor: Anchor, unit: str) -> Item | None:
    today = today_of(anchor)
    return Item("edge", today, today) if unit == "day" else _part(today, "end", "this", unit)


@rule("EDGE of business|play")
def close_of_business(anchor: Anchor, edge: str) -> Item | None:
    today = today_of(anchor)
    return Item("edge", today, today) if edge == "end" else None


@rule("MIDWEEK")
def midweek(anchor: Anchor, _: int) -> Item | None:
    return _part(today_of(anchor), "mid", "this", "week")


@rule("later|rest of? the? REL? UNIT")
def remainder(anchor: Anchor, *values: str) -> Item | None:
    """ "later this week", "the rest of the month": from the message's day to the end."""
    today = today_of(anchor)
    found = period(today, "this", values[-1])
    if found is None or values[0] not in ("this", values[-1]):
        return None
    return Item("date", today, found[0][1], granularity="range")


@rule("the? UNIT of|commencing|from|EDGE")
def week_with(_: Anchor, unit: str, edge: str = "start") -> Item | None:
    """ "the week of" turns the date that follows into its week."""
    return Item("week_of") if unit == "week" and edge == "start" else None


@rule("the? ORD|ORDWORD|REL WEEKDAY|maybe_WEEKDAY|UNIT of|in MONTH|maybe_MONTH YEAR?", stated=True)
def nth_of_month(
    anchor: Anchor, number: int | str, what: str | Named, month: Named, year: int | None = None
) -> Item | None:
    span = month_span(anchor, number_of(month), year)
    return None if span is None else _nth(span, number, what)


@rule("the? ORD|ORDWORD|REL WEEKDAY|maybe_WEEKDAY|UNIT of|in the? REL? UNIT")
def nth_of_period(anchor: Anchor, number: int | str, what: str | Named, *values: str) -> Item | None:
    found = period(today_of(anchor), values[0] if len(values) == 2 else "this", values[-1])
    return None if found is None or found[1] == "week" else _nth(found[0], number, what)


def _nth(span: cal.Span, number: int | str, what: str | Named) -> Item | None:
    """The nth weekday, day, week (of seven days from the first) or weekend (by its Saturday); "last" counts back."""
    if isinstance(number, str):
        if number != "last":
            return None
        number = -1
    if not isinstance(what, str):
        return on_day(cal.nth_weekday(span, number, number_of(what)), "relative")
    first, last = span
    if what == "weekend":
        saturday = cal.nth_weekday((first, last - cal.days(1)), number, cal.SATURDAY)
        return spanned((saturday, saturday + cal.days(1)), "weekend", "relative") if saturday else None
    if what == "day":
        return on_day(first + cal.days(number - 1) if number > 0 else last, "relative")
    if what != "week":
        return None
    begin = first + cal.days(7 * (number - 1)) if number > 0 else last - cal.days(6)
    return spanned((begin, min(begin + cal.days(6), last)), "week", "relative") if begin <= last else None


@rule("the? ORD|ORDWORD of REL UNIT", "the? ORD of the UNIT")
def day_of_period(anchor: Anchor, day: int, *values: str) -> Item | None:
    """ "the 18th of next month"."""
    if values[-1] != "month":
        return None
    found = period(today_of(anchor), values[0] if len(values) == 2 else "this", "month")
    return None if found is None else on_day(found[0][0].replace(day=day), "relative")


@rule("MONTH|maybe_MONTH of? REL UNIT")
def month_of_period(anchor: Anchor, month: Named, relation: str, unit: str) -> Item | None:
    if unit != "year":
        return None
    year = today_of(anchor).year + STEPS[relation]
    return spanned(cal.month_of(year, number_of(month)), "month", "relative")


@rule("REL MONTH|maybe_MONTH")
def relative_month(anchor: Anchor, relation: str, month: Named) -> Item | None:
    """ "last March" is over, "next March" has not begun."""
    if relation not in ("next", "last") and isinstance(month, tuple) and not month[1]:
        return None  # "this may fail"
    first = today_of(anchor).replace(day=1)
    number = number_of(month)
    ahead = (number - first.month) % 12 or (12 if relation in ("next", "coming") else 0)
    if relation in ("last", "past"):
        ahead = ahead - 12
    begin = cal.add_months(first, ahead)
    return spanned(cal.month_of(begin.year, begin.month), "month", "relative")


@rule("ANYQUARTER of? REL UNIT")
def quarter_of_period(anchor: Anchor, quarter: tuple[int, int], relation: str, unit: str) -> Item | None:
    if unit != "year":
        return None
    span = cal.part_of_year(today_of(anchor).year + STEPS[relation], *quarter)
    return spanned(span, "quarter" if quarter[1] == 3 else "half", "relative")


@rule("the? ORDWORD UNIT of? YEAR?", "the? ORDWORD UNIT of REL UNIT")
def spoken_quarter(anchor: Anchor, number: int, unit: str, *rest: str | int) -> Item | None:
    """ "the first quarter": the one that is running or comes next."""
    if unit != "quarter" or number > 4:
        return None
    today = today_of(anchor)
    if rest:
        year = rest[0] if isinstance(rest[0], int) else today.year + STEPS[rest[0]]
    else:
        year = today.year + (cal.part_of_year(today.year, number, 3)[1] < today)
    return spanned(cal.part_of_year(year, number, 3), "quarter", "relative" if rest else "partial")
