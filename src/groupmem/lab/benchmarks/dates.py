"""Dates as data sets write them: with English month names, whatever the locale of the machine, and without a zone."""

from __future__ import annotations

from datetime import UTC, datetime

from groupmem.readers.base import BadRow

_FIRST_HALF = ("january", "february", "march", "april", "may", "june")
_SECOND_HALF = ("july", "august", "september", "october", "november", "december")
_MONTHS = (*_FIRST_HALF, *_SECOND_HALF)


def utc_time(year: str, month: str, day: str, hour: int = 0, minute: int = 0) -> datetime:
    """The time, read as UTC. Raises BadRow for a month that has no such name, and for a day that it does not have."""
    try:
        return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), hour, minute, tzinfo=UTC)
    except ValueError as error:
        raise BadRow(f"no date: {day} {month} {year} ({error})") from error
