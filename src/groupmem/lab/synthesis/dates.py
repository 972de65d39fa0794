"""How a date is said in a chat, as seen from the day of the message.

Every phrase reads after "by", "is due" and "moved to". Only phrases are used whose meaning does not depend on who reads
them: a bare weekday is the next such day within six days, "next Tuesday" is only said when this week's Tuesday is over,
and "the 13th" only within the coming four weeks.
"""

from __future__ import annotations

import calendar
import random
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

DateForm = Literal["absolute", "relative"]


def say_date(on: date, said: date, relative_rate: float, rng: random.Random) -> tuple[str, DateForm]:
    """A phrase for the date `on` in a message of the day `said`; relative with the given probability, if one exists."""
    relative = list(relative_phrases(on, said))
    if relative and rng.random() < relative_rate:
        return rng.choice(relative), "relative"
    return rng.choice(absolute_phrases(on, said)), "absolute"


def absolute_phrases(on: date, said: date) -> list[str]:
    """Phrases with day and month; with the year where it is another one."""
    month, day = calendar.month_name[on.month], on.day
    short = calendar.month_abbr[on.month]
    year = f" {on.year}" if on.year != said.year else ""
    comma_year = f", {on.year}" if on.year != said.year else ""
    weekday = calendar.day_abbr[on.weekday()]
    return [
        f"{month} {day}{comma_year}",
        f"{day} {month}{year}",
        f"{short} {day}{comma_year}",
        f"{weekday} {day} {short}{year}",
        f"EOD {short} {day}{comma_year}",
        on.isoformat(),
    ]


def relative_phrases(on: date, said: date) -> Iterator[str]:
    """Phrases that count from the day of the message."""
    days = (on - said).days
    weekday = calendar.day_name[on.weekday()]
    weeks = (on - timedelta(days=on.weekday()) - (said - timedelta(days=said.weekday()))).days // 7
    if days == 0:
        yield from ("EOD today", "the end of today", "tonight")
    if days == 1:
        yield from ("tomorrow", "EOD tomorrow", "noon tomorrow")
    if 2 <= days <= 6:
        yield from (weekday, f"EOD {weekday}", f"{weekday} noon", f"{weekday} morning")
    if weeks == 0 and days >= 2:
        yield f"{weekday} this week"
    if weeks == 1:
        yield f"{weekday} next week"
        if on.weekday() <= said.weekday():
            yield f"next {weekday}"
    if weeks == 2:
        yield f"{weekday} the week after next"
    if days == 7:
        yield "a week from today"
    if days == 14:
        yield "two weeks from today"
    if 8 <= days <= 13:
        yield f"a week from {weekday}"
    if on.weekday() == 4:
        if weeks == 0 and days >= 1:
            yield from ("the end of the week", "EOW")
        if weeks == 1:
            yield "the end of next week"
    if 2 <= days <= 27:
        yield f"the {on.day}{_ordinal(on.day)}"
        yield f"{weekday} the {on.day}{_ordinal(on.day)}"
    last = calendar.monthrange(on.year, on.month)[1]
    if on.day == last and (on.year, on.month) == (said.year, said.month) and days >= 1:
        yield from ("the end of the month", "month end")


def _ordinal(day: int) -> str:
    if 10 < day % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
