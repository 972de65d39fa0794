"""The clock: exactly so many messages, in order, inside windows, with exponential gaps."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from groupmem.lab.synthesis.clock import Clock
from groupmem.lab.synthesis.packs import Matter
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffold import Phase

MONDAY = datetime(2026, 3, 2, 8, tzinfo=UTC).timestamp()
DAY = 86_400.0


def phase(start: float, days: float = 10.0) -> Phase:
    return Phase(
        id=str(start),
        name="P",
        project=0,
        topic=0,
        channel="C",
        private=False,
        category="Risks",
        statuses=("a", "b"),
        status_goal="b",
        owner=0,
        members=(0, 1),
        start=start,
        end=start + days * DAY,
        url="u",
        matter=Matter(),
        sub_issues=(),
    )


def times(clock: Clock, count: int, seed: int, tail_room: int = 0) -> list[float]:
    rng = random.Random(seed)
    now, found = clock.begin, []
    for left in range(count, 0, -1):
        now = clock.next(now, left, tail_room, rng)
        found.append(now)
    return found


@settings(max_examples=40)
@given(
    starts=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    count=st.integers(1, 60),
    off_hours=st.sampled_from([0.0, 0.03, 1.0]),
    seed=st.integers(0, 99),
)
def test_all_moments_come_in_order_while_a_phase_is_before_its_last_stretch(
    starts: list[int], count: int, off_hours: float, seed: int
) -> None:
    policy = load_policy(settings=[f"schedule.off_hours={off_hours}"])
    phases = [phase(MONDAY + day * DAY) for day in starts]
    found = times(Clock(phases, policy.schedule), count, seed)

    assert found == sorted(found)
    for moment in found:
        assert any(each.start <= moment <= each.moment(policy.schedule.capped_from) + 1e-3 for each in phases)


def test_gaps_are_exponential_where_the_rate_is_one() -> None:
    schedule = load_policy(settings=["schedule.off_hours=1.0"]).schedule
    found = times(Clock([phase(MONDAY)], schedule), 4000, 3)
    gaps = [later - earlier for earlier, later in pairwise(found)]
    mean = sum(gaps) / len(gaps)
    assert mean == pytest.approx(0.95 * 10 * DAY / 4000, rel=0.02)
    assert kstest([gap / mean for gap in gaps], "expon").pvalue > 0.01


def test_the_rate_follows_the_number_of_open_phases() -> None:
    schedule = load_policy(settings=["schedule.off_hours=1.0"]).schedule
    found = times(Clock([phase(MONDAY), phase(MONDAY), phase(MONDAY + 20 * DAY)], schedule), 9000, 5)
    early = sum(moment < MONDAY + 10 * DAY for moment in found)
    assert early == pytest.approx(6000, rel=0.04)
    assert not any(MONDAY + 9.51 * DAY < moment < MONDAY + 20 * DAY for moment in found)


def test_nights_and_weekends_are_quiet() -> None:
    schedule = load_policy().schedule
    found = [datetime.fromtimestamp(moment, tz=UTC) for moment in times(Clock([phase(MONDAY)], schedule), 5000, 2)]
    working = sum(moment.weekday() < 5 and 8 <= moment.hour < 18 for moment in found)
    assert 0.9 < working / len(found) < 0.99


def test_the_last_stretch_takes_no_more_than_its_room() -> None:
    schedule = load_policy(settings=["schedule.off_hours=1.0"]).schedule
    clock = Clock([phase(MONDAY)], schedule)
    late = []
    for seed in range(60):
        rng, now, room = random.Random(seed), clock.begin, schedule.cap
        count = 0
        for left in range(200, 0, -1):
            now = clock.next(now, left, room, rng)
            if now > clock.main_end:
                count, room = count + 1, room - 1
        late.append(count)
    assert max(late) <= schedule.cap
    assert any(late)
