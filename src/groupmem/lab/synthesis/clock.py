"""When messages come: a Poisson process over the phases' windows, conditioned on the number of messages.

Every open phase contributes the same rate, so the whole is the superposition of one Poisson process per phase, and the
gaps within a phase are exponential in working time. Given that n points fall into what is left of the time, the gap to
the first of them is distributed as the minimum of n uniform draws; drawing gap after gap that way places exactly n
points without ever running out of time.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from groupmem.lab.synthesis.policy import Schedule
from groupmem.lab.synthesis.scaffold import Phase


class Clock:
    """Working time as a measure: seconds, weighted by the phases that are open and by the hour of the day.

    There are two measures. In the one of `main` time a phase counts until its last stretch, where its messages are
    capped; in the `whole` time it counts to its end. Points that the caps could not take must fall into main time.
    """

    def __init__(self, phases: Sequence[Phase], schedule: Schedule) -> None:
        self._schedule = schedule
        self._edges = _edges(phases, schedule)
        self._main = self._measure([(phase.start, phase.moment(schedule.capped_from)) for phase in phases])
        self._whole = self._measure([(phase.start, phase.end) for phase in phases])
        self.begin = self._edges[0]
        self.main_end = max(phase.moment(schedule.capped_from) for phase in phases)

    def next(self, now: float, points: int, tail_room: int, rng: random.Random) -> float:
        """The time of the next of `points` messages, of which `tail_room` at most may come after the main time."""
        bound = points - tail_room
        measure, count = (self._main, bound) if bound > 0 else (self._whole, points)
        spent = self._at(measure, now)
        left = measure[-1] - spent
        gap = left * (1.0 - rng.random() ** (1.0 / count))
        return max(now, self._when(measure, spent + gap))

    def is_quiet(self, moment: float) -> bool:
        """Whether it is outside working hours."""
        time = datetime.fromtimestamp(moment, tz=UTC)
        return time.weekday() > 4 or not self._schedule.day_from_hour <= time.hour < self._schedule.day_to_hour

    def _measure(self, windows: Sequence[tuple[float, float]]) -> list[float]:
        """Cumulated measure at each edge."""
        changes: dict[float, int] = {}
        for start, end in windows:
            changes[start] = changes.get(start, 0) + 1
            changes[end] = changes.get(end, 0) - 1
        cumulated, opened = [0.0], 0
        for left, right in zip(self._edges, self._edges[1:], strict=False):
            opened += changes.get(left, 0)
            cumulated.append(cumulated[-1] + opened * self._rate(left) * (right - left))
        return cumulated

    def _rate(self, left: float) -> float:
        return self._schedule.off_hours if self.is_quiet(left) else 1.0

    def _at(self, measure: list[float], moment: float) -> float:
        segment = min(bisect_right(self._edges, moment), len(self._edges) - 1) - 1
        share = (moment - self._edges[segment]) / (self._edges[segment + 1] - self._edges[segment])
        return measure[segment] + share * (measure[segment + 1] - measure[segment])

    def _when(self, measure: list[float], amount: float) -> float:
        segment = min(bisect_right(measure, amount), len(measure) - 1) - 1
        width = measure[segment + 1] - measure[segment]
        share = (amount - measure[segment]) / width if width > 0 else 0.0
        return self._edges[segment] + min(1.0, share) * (self._edges[segment + 1] - self._edges[segment])


def _edges(phases: Sequence[Phase], schedule: Schedule) -> list[float]:
    """All moments at which the rate may change, in order."""
    found = {phase.start for phase in phases} | {phase.end for phase in phases}
    found |= {phase.moment(schedule.capped_from) for phase in phases}
    first, last = min(found), max(found)
    day = datetime.fromtimestamp(first, tz=UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    while day.timestamp() < last:
        for hour in (0, schedule.day_from_hour, schedule.day_to_hour):
            moment = (day + timedelta(hours=hour)).timestamp()
            if first < moment < last:
                found.add(moment)
        day += timedelta(days=1)
    return sorted(found)
