"""Dates, times and durations in chat wording, resolved against the message's own time.

`find_dates` is the whole surface. Nothing here ever looks at the wall clock. Conventions for what is ambiguous are in
docs/notes.md.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Literal

from groupmem.memory.notes.dates import rules_days, rules_months, rules_periods, rules_spans  # noqa: F401  (fill TABLE)
from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.combine import combine
from groupmem.memory.notes.dates.durations import merge_durations
from groupmem.memory.notes.dates.items import TABLE, Granularity, Item, Kind
from groupmem.memory.notes.dates.lexicon import TRIGGERS
from groupmem.memory.notes.dates.tokens import Token, cut
from groupmem.memory.notes.reading import Sentence, has_digit
from groupmem.types import Record

Relation = Literal["by", "until", "before", "after", "since", "from", "due"]
_RELATIONS: dict[str, Relation] = {
    "by": "by", "until": "until", "before": "before", "after": "after", "since": "since", "from": "from", "due": "due",
}  # fmt: skip
_DIGITS = re.compile(
    r"\d(?:st|nd|rd|th)\b|\d:\d\d|\d[/-]\d|\d\s?[ap]\.?m\b|\d\.\d+\.\d{4}|\d\s?(?:s|h|d|w|mo|y|hrs?|mins?|secs?)\b|\bQ[1-4]\b|"
    r"\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_SECONDS = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86400, "business_day": 86400, "week": 604800, "fortnight": 1209600,
}  # fmt: skip


class DateNote(Record, frozen=True, kw_only=True, gc=False):
    """A date that a message names, as days: `start` to `end`, both included, on the author's calendar.

    `time` is a time of day where one is named, aware only where a zone is; `until` is the end of a time range.
    `relation` is the preposition that governs it ("by Friday"). `kind` says how it was resolved: "stated" in full,
    "partial" (year or month filled in from the message), "weekday", "relative", "clock" (a time of day on the message's
    own day). `text` is `span` of the message's text.
    """

    start: dt.date
    end: dt.date
    text: str
    span: tuple[int, int]
    granularity: Granularity
    kind: Kind
    time: dt.time | None = None
    until: dt.time | None = None
    part: str | None = None
    relation: Relation | None = None


def day_term(date: DateNote) -> str:
    """The days as a term of the index, which no text gives: "@2026-04-01", or "@2026-04-01/2026-04-07"."""
    return f"@{date.start}" if date.start == date.end else f"@{date.start}/{date.end}"


class DurationNote(Record, frozen=True, kw_only=True, gc=False):
    """A length of time: `low` to `high` units; `seconds` is that of `low`, None for months and longer."""

    low: float
    high: float
    unit: str
    text: str
    span: tuple[int, int]
    seconds: float | None = None


Found = tuple[tuple[DateNote, ...], tuple[DurationNote, ...]]


def find_dates(sentences: Sequence[Sentence], sent_at: dt.datetime | None) -> Found:
    """The dates and the durations of a message.

    Relative expressions are resolved on the clock of `sent_at` (its own zone). Without it only dates that are stated in
    full are noted: nothing is ever resolved against now.
    """
    dates: list[DateNote] = []
    durations: list[DurationNote] = []
    plan: dt.date | None = None
    for sentence in sentences:
        if TRIGGERS.isdisjoint(sentence.words) and not _has_dated_digits(sentence.text):
            continue
        tokens = merge_durations(cut(sentence.text))
        anchor = Anchor(sent_at, sentence.text, sentence.words, plan)
        items = combine(TABLE.read(tokens, anchor), tokens, anchor)
        _place_clocks(items, tokens, anchor)
        for item in items:
            if item.names_month():
                anchor.hear(item.start)
            span = tokens[item.first].start + sentence.start, tokens[item.last].end + sentence.start
            text = sentence.text[tokens[item.first].start : tokens[item.last].end]
            if item.sort == "duration" and item.amount is not None:
                durations.append(_duration(item.amount, text, span))
            elif item.sort in ("date", "edge", "clock") and item.start is not None:
                dates.append(_note(item, item.start, text, span, _relation(tokens, item.first)))
        plan = anchor.plan
    return tuple(dates), tuple(durations)


def _has_dated_digits(text: str) -> bool:
    return has_digit(text) and _DIGITS.search(text) is not None


def _place_clocks(items: list[Item], tokens: list[Token], anchor: Anchor) -> None:
    """Gives a time of day alone its day: that of the last date named before it in the sentence, else the message's own.

    On the message's own day it is the nearest such moment, the last one where the sentence tells of the past, the next
    one after "by". In a sentence about a habit ("Mondays at 09:00") or about "that day" it has no day.
    """
    if any(token.kind == "every" for token in tokens) or any(item.sort == "nothing" for item in items):
        return
    day: dt.date | None = None
    for item in items:
        if item.sort == "date" and item.start == item.end:
            day = item.start
        elif item.sort == "clock" and item.clock is not None:
            anchor.previous = _relation(tokens, item.first) or ""
            item.start = item.end = day or _nearest_day(item.clock, anchor)


def _nearest_day(clock: dt.time, anchor: Anchor) -> dt.date | None:
    try:
        return None if anchor.now is None else _day_near(clock, anchor.now, anchor)
    except OverflowError:
        return anchor.today  # the first or the last day of the calendar


def _day_near(clock: dt.time, now: dt.datetime, anchor: Anchor) -> dt.date:
    if clock.tzinfo is not None and now.tzinfo is not None:
        now = now.astimezone(clock.tzinfo)
    here = dt.datetime.combine(now.date(), clock, now.tzinfo)
    moments = [here + dt.timedelta(days=shift) for shift in (-1, 0, 1)]
    direction = anchor.direction()
    if direction < 0:
        moments = [moment for moment in moments if moment <= now]
    elif anchor.pointed() > 0:
        moments = [moment for moment in moments if moment >= now]
    return min(moments, key=lambda moment: abs(moment - now)).date()


def _note(item: Item, start: dt.date, text: str, span: tuple[int, int], relation: Relation | None) -> DateNote:
    return DateNote(
        start=start,
        end=item.end or start,
        text=text,
        span=span,
        granularity=item.granularity,
        kind=item.kind,
        time=item.clock,
        until=item.until,
        part=item.part,
        relation=relation,
    )


def _duration(amount: tuple[float, float, str], text: str, span: tuple[int, int]) -> DurationNote:
    low, high, unit = amount
    seconds = _SECONDS.get(unit)
    return DurationNote(
        low=low, high=high, unit=unit, text=text, span=span, seconds=None if seconds is None else low * seconds
    )


def _relation(tokens: list[Token], first: int) -> Relation | None:
    for token in reversed(tokens[max(0, first - 2) : first]):
        if token.kind in _RELATIONS:
            return _RELATIONS[token.kind]
        if token.kind not in ("the", "at"):
            return None
    return None
