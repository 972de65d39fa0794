"""Rules for days that count from the message: today, parts of days, weekdays. Conventions: docs/notes.md."""

from __future__ import annotations

import re
from datetime import date

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Item, rule
from groupmem.memory.notes.dates.rules_stated import Named, number_of, on_day

STEPS = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
_WEEKS = {"week": 7, "fortnight": 14}
_FRENCH = re.compile(r"\b(?:j'?ai|je|tu|nous|vous|est|pas|une?|les?|la|des|et|c'est|on a)\b", re.IGNORECASE)
_BESIDE_DOUBTFUL = frozenset(
    {"on", "by", "until", "since", "before", "after", "from", "due", "through", "-", "to", "between"}
)
_AFTER_DOUBTFUL = frozenset({"PART", "CLOCK", "ORD", "DAY", "-", "EO", "at", "MONTH"})


def today_of(anchor: Anchor) -> date:
    """The message's own day; ValueError without one (the table asks no such rule for a message without a time)."""
    if anchor.now is None:
        raise ValueError("no time to resolve against")
    return anchor.now.date()


@rule("RELDAY", "EDGE of? RELDAY")
def relative_day(anchor: Anchor, *values: int) -> Item | None:
    return on_day(today_of(anchor) + cal.days(values[-1]), "relative")


@rule("the? UNIT after|before RELDAY")
def day_beyond(anchor: Anchor, unit: str, shift: int) -> Item | None:
    """ "the day after tomorrow", "the day before yesterday"."""
    if unit != "day":
        return None
    return on_day(today_of(anchor) + cal.days(2 * shift), "relative")


@rule("MANANA", "MORGEN")
def tomorrow_abroad(anchor: Anchor, _: int) -> Item | None:
    return on_day(today_of(anchor) + cal.days(1), "relative")


@rule("HIER")
def yesterday_in_french(anchor: Anchor, _: int) -> Item | None:
    """French for yesterday; the German word for here is left alone."""
    return on_day(today_of(anchor) - cal.days(1), "relative") if _FRENCH.search(anchor.sentence) else None


@rule("guten|on|the MANANA|MORGEN", "every|that|named WEEKDAY|maybe_WEEKDAY", "every|that UNIT", stated=True)
def no_date(*_: object) -> Item:
    """ "guten Morgen", "every Monday", "that Saturday": a greeting, a habit, a day that another sentence names."""
    return Item("nothing")


@rule("TONIGHT")
def tonight(anchor: Anchor, _: int) -> Item:
    today = today_of(anchor)
    return Item("date", today, today, part="evening")


@rule("REL PART|MANANA")
def part_of_relative_day(anchor: Anchor, relation: str, part: str | int) -> Item | None:
    """ "this morning" is today's; "last night" belongs to yesterday."""
    if relation == "last" and not isinstance(part, str):
        return on_day(today_of(anchor) + cal.days(2), "relative")  # "pasado mañana"
    if relation not in ("this", "last"):
        return None
    day = today_of(anchor) + cal.days(STEPS[relation])
    return Item("date", day, day, part=part if isinstance(part, str) else "morning")


@rule("WEEKDAY|maybe_WEEKDAY")
def weekday_alone(anchor: Anchor, weekday: Named) -> Item | None:
    """The next one, strictly after the message's day; the last one before it where the sentence tells of the past."""
    if isinstance(weekday, tuple):
        sure = anchor.previous in _BESIDE_DOUBTFUL or anchor.following in _AFTER_DOUBTFUL
        named = weekday[1] and not anchor.article and anchor.previous not in ("", ".") and anchor.following != "x"
        if not (sure or named):
            return None
    today, number = today_of(anchor), number_of(weekday)
    if anchor.article and anchor.plan is not None:
        day = cal.on_or_after(anchor.plan, number)
        return Item("date", day, day, kind="weekday")
    day = cal.before(today, number) if anchor.direction() < 0 else cal.after(today, number)
    return Item("date", day, day, kind="weekday", bare="weekday")


@rule("EDGE of? WEEKDAY")
def end_of_weekday(anchor: Anchor, _: str, weekday: int) -> Item | None:
    return weekday_alone(anchor, weekday)


@rule("the? REL WEEKDAY|maybe_WEEKDAY", "WEEKDAY RELPOST")
def relative_weekday(anchor: Anchor, *values: str | Named) -> Item | None:
    """ "next Friday" is the Friday of the following week, "this Friday" and "last Friday" the nearest on their side."""
    relation = next(value for value in values if isinstance(value, str))
    weekday = next(number_of(value) for value in values if not isinstance(value, str))
    today = today_of(anchor)
    if relation == "next":
        day = cal.monday_of(today) + cal.days(7 + weekday)
    elif relation in ("last", "past") or (relation == "this" and anchor.direction() < 0 and weekday != today.weekday()):
        day = cal.before(today, weekday)
    else:
        day = cal.on_or_after(today, weekday) if relation == "this" else cal.after(today, weekday)
    return Item("date", day, day, kind="weekday")


@rule("WEEKDAY que viene")
def coming_weekday(anchor: Anchor, weekday: int) -> Item:
    day = cal.after(today_of(anchor), weekday)
    return Item("date", day, day, kind="weekday")


@rule("WEEKDAY|maybe_WEEKDAY UNIT")
def weekday_week(anchor: Anchor, weekday: Named, unit: str) -> Item | None:
    """ "Friday week": a week after the next Friday."""
    if unit not in ("week", "fortnight") or anchor.following in ("DAY", "NUM", "x"):
        return None
    day = cal.after(today_of(anchor), number_of(weekday)) + cal.days(_WEEKS[unit])
    return Item("date", day, day, kind="weekday")


@rule("the? WEEKDAY|maybe_WEEKDAY after REL")
def weekday_after_next(anchor: Anchor, weekday: Named, relation: str) -> Item | None:
    """ "Monday after next": the second one to come."""
    if relation != "next":
        return None
    day = cal.after(today_of(anchor), number_of(weekday)) + cal.days(7)
    return Item("date", day, day, kind="weekday")


@rule("WEEKDAY|maybe_WEEKDAY ,? of? the? REL UNIT", "REL UNIT s? ,? on? WEEKDAY|maybe_WEEKDAY")
def weekday_of_week(anchor: Anchor, *values: str | Named) -> Item | None:
    """ "Tuesday of next week", "next week Tuesday"."""
    relation, unit = (value for value in values if isinstance(value, str))
    weekday = next(number_of(value) for value in values if not isinstance(value, str))
    if unit != "week":
        return None
    day = cal.monday_of(today_of(anchor)) + cal.days(7 * STEPS[relation] + weekday)
    return Item("date", day, day, kind="weekday")


@rule("WEEKDAY|maybe_WEEKDAY -|through WEEKDAY|maybe_WEEKDAY")
def weekday_range(anchor: Anchor, low: Named, high: Named) -> Item | None:
    """ "Mon-Wed": from the weekday that is meant alone to the first such day after it."""
    first = weekday_alone(anchor, number_of(low))
    if first is None or first.start is None:
        return None
    return Item("date", first.start, cal.after(first.start, number_of(high)), granularity="range", kind="weekday")
