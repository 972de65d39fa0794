"""Neighbouring expressions become one: a date and a time, a weekday and its day of the month, both ends of a range."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.items import Item
from groupmem.memory.notes.dates.rules_spans import afternoon, shift
from groupmem.memory.notes.dates.rules_stated import day_of_month
from groupmem.memory.notes.dates.tokens import Token

Gap = tuple[str, ...]
Join = Callable[[Item, Item, Gap, Anchor], Item | None]

_PAIR = 2
_CLOSE: frozenset[Gap] = frozenset({(), (",",), ("on",), ("at",), (",", "at"), ("in", "the"), ("the",), ("s",), (".",)})
_RANGE: frozenset[Gap] = frozenset(
    {("-",), ("to",), ("to", "the"), ("through",), ("through", "the"), ("until",), ("until", "the"), ("and",)}
)
_SHIFTING: frozenset[Gap] = frozenset({("from",), ("after",), ("before",), ("on",), ("from", "the"), ("after", "the")})
_CHANGE = re.compile(
    r"\b(?:mov|shift|push|chang|slip|switch|reschedul|postpon|bump|bring|brought|pull|delay|extend|went|go|gone|going)",
    re.IGNORECASE,
)


def combine(items: list[Item], tokens: list[Token], anchor: Anchor) -> list[Item]:
    """The items with neighbours joined; the parts of days and the edges that stand alone are dropped later."""
    if len(items) < _PAIR:
        return items
    for join in (_attach, _weekday_and_day, _beyond, _week_with, _range):
        items = _joined(items, tokens, anchor, join)
    return items


def _joined(items: list[Item], tokens: list[Token], anchor: Anchor, join: Join) -> list[Item]:
    done: list[Item] = []
    for item in items:
        while done:
            gap = tuple(token.kind for token in tokens[done[-1].last + 1 : item.first])
            anchor.previous = tokens[done[-1].first - 1].kind if done[-1].first else ""
            merged = _try(join, done[-1], item, gap, anchor)
            if merged is None:
                break
            merged.first, merged.last = done.pop().first, item.last
            item = merged
        done.append(item)
    return done


def _try(join: Join, left: Item, right: Item, gap: Gap, anchor: Anchor) -> Item | None:
    try:
        return join(left, right, gap, anchor)
    except (ValueError, OverflowError):
        return None  # beyond the calendar


def _attach(left: Item, right: Item, gap: Gap, _: Anchor) -> Item | None:
    """A time, a part of a day or an "EOD" goes to the date beside it."""
    if gap not in _CLOSE:
        return None
    date_first = left.sort == "date"
    day, extra = (left, right) if date_first else (right, left)
    if day.sort != "date" and not (day.sort == "edge" and extra.sort == "edge"):
        return _clock_with_part(left, right)
    if extra.sort == "edge":
        return day
    if extra.sort == "part" and day.part is None:
        day.part = extra.part
        return _afternoon(day)
    if (
        extra.sort in ("clock", "hour")
        and day.clock is None
        and day.start == day.end
        and (not date_first or gap != (".",))
    ):
        day.clock, day.until, day.granularity = extra.clock, extra.until, "minute"
        day.part = day.part or extra.part
        return _afternoon(day) if extra.sort == "hour" else day
    return None


def _clock_with_part(left: Item, right: Item) -> Item | None:
    """ "3 in the afternoon" before any date is known."""
    if left.sort == "clock" and right.sort == "part":
        left.part = right.part
        return _afternoon(left)
    return None


def _afternoon(item: Item) -> Item:
    if item.clock is not None and item.part is not None:
        item.clock = item.clock.replace(hour=afternoon(item.clock.hour, item.part))
    return item


def _weekday_and_day(left: Item, right: Item, gap: Gap, anchor: Anchor) -> Item | None:
    """ "Tuesday the 24th" is the nearest 24th that is a Tuesday; with a whole date beside it a weekday adds nothing."""
    if gap not in ((), (",",), ("the",)) or left.bare != "weekday" or right.sort != "date" or left.start is None:
        return None
    if right.bare == "day" and right.start is not None and anchor.today is not None:
        right.start = right.end = _matching(right, left.start.weekday(), anchor)
        right.bare = ""
    elif right.kind not in ("stated", "partial") or right.granularity == "month":
        return None
    right.part = right.part or left.part
    return right


def _matching(day: Item, weekday: int, anchor: Anchor) -> date | None:
    """The day of the month in the nearest month where it falls on `weekday`; as it was where none does in a year."""
    today = anchor.today
    if today is None or day.start is None:
        return day.start
    number = day.start.day
    found = []
    for months in range(-6, 7):
        month = cal.add_months(today.replace(day=1), months)
        when = cal.safe_date(month.year, month.month, number)
        if when is not None and when.weekday() == weekday:
            found.append(when)
    return cal.nearest(found, day.start) if found else day.start


def _beyond(left: Item, right: Item, gap: Gap, _: Anchor) -> Item | None:
    """ "a week from tomorrow", "two days before the 18th"."""
    if left.sort != "duration" or right.sort != "date" or gap not in _SHIFTING or left.amount is None:
        return None
    if right.start is None or right.start != right.end or (gap == ("on",) and left.amount[2] != "week"):
        return None
    sign = -1 if gap[0] == "before" else 1
    low, high, unit = left.amount
    if unit in ("second", "minute", "hour"):
        return None
    base = datetime.combine(right.start, time())
    ends = sorted((shift(base, sign * low, unit).date(), shift(base, sign * high, unit).date()))
    right.start, right.end = ends
    right.granularity = "day" if low == high else "range"
    right.kind = "relative"
    return right


def _week_with(left: Item, right: Item, gap: Gap, _: Anchor) -> Item | None:
    if left.sort != "week_of" or right.sort != "date" or right.start is None or gap not in ((), ("the",)):
        return None
    right.start, right.end = cal.week_of(right.start)
    right.granularity = "week"
    return right


def _range(left: Item, right: Item, gap: Gap, anchor: Anchor) -> Item | None:
    """Both ends of a range; "moved from Friday to Tuesday" names two dates and no range."""
    if left.sort != "date" or right.sort != "date" or gap not in _RANGE:
        return None
    if gap == ("and",) and anchor.previous != "between":
        return None
    if anchor.previous == "from" and gap[0] != "-" and _CHANGE.search(anchor.sentence):
        return None
    if left.start is None or right.end is None:
        return None
    last = right.end
    if left.bare == "weekday" and right.kind == "weekday" and not right.bare:
        left.start = cal.before(right.end, left.start.weekday())  # "Monday to Wednesday next week"
    if right.bare == "weekday":
        last = cal.on_or_after(left.start, last.weekday())
    elif right.bare == "day":
        last = day_of_month(left.start, last.day, 1) or last
    if right.kind == "stated" and left.kind == "partial":
        left.start = left.start.replace(year=last.year)  # "Nov 1 - Nov 15, 2025"
    if last < left.start:
        return None
    right.start, right.end = left.start, last
    right.granularity, right.bare = "range", ""
    right.until, right.clock = right.clock, left.clock
    return right
