"""Calendar arithmetic: weeks start on Monday, months are clamped to their last day, ranges include both ends."""

from __future__ import annotations

from datetime import date, timedelta

Span = tuple[date, date]

SATURDAY, SUNDAY, FRIDAY = 5, 6, 4


def days(count: int) -> timedelta:
    return timedelta(days=count)


def monday_of(day: date) -> date:
    return day - days(day.weekday())


def week_of(day: date) -> Span:
    """Monday to Sunday of the week with `day`."""
    return monday_of(day), monday_of(day) + days(SUNDAY)


def weekend_of(day: date) -> Span:
    """Saturday and Sunday of the week with `day`."""
    return monday_of(day) + days(SATURDAY), monday_of(day) + days(SUNDAY)


def month_of(year: int, month: int) -> Span:
    first = date(year, month, 1)
    return first, add_months(first, 1) - days(1)


def year_of(year: int) -> Span:
    return date(year, 1, 1), date(year, 12, 31)


def part_of_year(year: int, number: int, months: int) -> Span:
    """The `number`-th stretch of `months` months: quarters have 3, halves 6."""
    first = date(year, (number - 1) * months + 1, 1)
    return first, add_months(first, months) - days(1)


def add_months(day: date, count: int) -> date:
    """The same day `count` months on, or the last day of that month where it is shorter."""
    index = day.year * 12 + day.month - 1 + count
    year, month = index // 12, index % 12 + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, min(day.day, (following - days(1)).day))


def safe_date(year: int, month: int, day: int) -> date | None:
    """The date, or None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def nth_weekday(span: Span, number: int, weekday: int) -> date | None:
    """The `number`-th (from 1; -1 is the last) `weekday` within `span`, or None where there are fewer."""
    first, last = span
    if number > 0:
        found = first + days((weekday - first.weekday()) % 7 + 7 * (number - 1))
    else:
        found = last - days((last.weekday() - weekday) % 7)
    return found if first <= found <= last else None


def on_or_after(day: date, weekday: int) -> date:
    return day + days((weekday - day.weekday()) % 7)


def after(day: date, weekday: int) -> date:
    """The first `weekday` strictly after `day`."""
    return on_or_after(day + days(1), weekday)


def before(day: date, weekday: int) -> date:
    """The last `weekday` strictly before `day`."""
    return day - days((day.weekday() - weekday - 1) % 7 + 1)


def add_business_days(day: date, count: int) -> date:
    """`count` working days (Monday to Friday) on, or back where `count` is negative."""
    step = days(1 if count > 0 else -1)
    left = abs(count)
    while left:
        day += step
        left -= day.weekday() < SATURDAY
    return day


def nearest(candidates: list[date], anchor: date) -> date:
    """The candidate nearest to `anchor`; of two equally near ones the later."""
    return min(candidates, key=lambda found: (abs((found - anchor).days), found < anchor))
