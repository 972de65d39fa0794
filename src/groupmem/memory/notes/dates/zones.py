"""Time zones as people write them: fixed abbreviations, offsets, and the American ones that follow daylight time."""

from __future__ import annotations

from datetime import date, time, timedelta, timezone

from groupmem.memory.notes.dates import arithmetic as cal
from groupmem.memory.notes.dates.lexicon import DAYLIGHT_ZONES, ZONE_HOURS


def offset_of(zone: str | float, day: date) -> timezone:
    """The offset of a zone name, an ISO suffix ("+05:30", "z") or hours from UTC, on `day`."""
    if isinstance(zone, int | float):
        return timezone(timedelta(hours=zone))
    if zone in DAYLIGHT_ZONES:
        return timezone(timedelta(hours=DAYLIGHT_ZONES[zone] + _is_summer_time(day)))
    if zone in ZONE_HOURS:
        return timezone(timedelta(hours=ZONE_HOURS[zone]))
    sign = -1 if zone[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])))


def _is_summer_time(day: date) -> bool:
    """Daylight time in the United States: from the second Sunday of March to the first Sunday of November."""
    starts = cal.nth_weekday(cal.month_of(day.year, 3), 2, cal.SUNDAY)
    ends = cal.nth_weekday(cal.month_of(day.year, 11), 1, cal.SUNDAY)
    return starts is not None and ends is not None and starts <= day < ends


def clock_at(hour: int, minute: int, zone: str | float | None, day: date) -> time:
    """The time of day; aware only where a zone was written."""
    return time(hour, minute, tzinfo=None if zone is None else offset_of(zone, day))
