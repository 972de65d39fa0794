"""The structure pass: all slots of a corpus in the order of time, drawn before a word is written."""

from __future__ import annotations

import random

from groupmem.errors import InputError
from groupmem.lab.synthesis.clock import Clock
from groupmem.lab.synthesis.paths import PathSampler
from groupmem.lab.synthesis.phase_state import tail_room
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.realism import roughen
from groupmem.lab.synthesis.scaffold import Phase, Scaffold
from groupmem.lab.synthesis.slots import Slot

OPENING_DRAWS = 12


def draw_structure(scaffold: Scaffold, policy: Policy, messages: int, seed: int) -> list[Slot]:
    """`messages` slots, at least one in every phase. Raises InputError where that or the schedule cannot be kept."""
    _check_size(scaffold, policy, messages)
    rng = random.Random(f"{seed}/structure")
    sampler = PathSampler(scaffold, policy, rng)
    clock = Clock(scaffold.phases, policy.schedule)
    openings = _Openings(scaffold, policy.schedule.open_by, sampler, clock)
    now = clock.begin
    while len(sampler.slots) < messages:
        free = messages - len(sampler.slots) - openings.left
        room = tail_room(scaffold.phases, sampler.states, clock.main_end, policy.schedule.cap)
        moment = clock.next(now, free, room, rng) if free > 0 else float("inf")
        due, phase = openings.next()
        now = min(moment, due)
        sampler.open.advance(now)
        if due <= moment:
            slot = sampler.open_phase(now, phase)
        elif sampler.open.by_project:
            slot = sampler.walk(now)
        else:
            continue  # Every open phase has had its last messages: the moment passes.
        roughen(slot, scaffold.members[slot.author], policy, rng)
        sampler.take(slot)
        if slot.in_phase == 0:
            openings.left -= 1
    return sampler.slots


def _check_size(scaffold: Scaffold, policy: Policy, messages: int) -> None:
    phases = len(scaffold.phases)
    if messages < phases:
        raise InputError(
            f"{messages} messages are fewer than the {phases} phases of pack {scaffold.pack.name}: ask for at least "
            f"{phases}, better for {10 * phases}, or take fewer projects with --set pack.projects=1"
        )
    per_day = messages / (phases * policy.schedule.phase_days)
    if per_day > policy.schedule.most_per_phase_day:
        raise InputError(
            f"{messages} messages in {phases} phases of {policy.schedule.phase_days:g} days are {per_day:.0f} a day in "
            f"each phase, more than schedule.most_per_phase_day ({policy.schedule.most_per_phase_day:g}): the phases "
            "are shorter than the schedule; raise schedule.phase_days or ask for fewer messages"
        )


class _Openings:
    """The moments at which phases are opened by force, should nobody have written there until then."""

    def __init__(self, scaffold: Scaffold, open_by: float, sampler: PathSampler, clock: Clock) -> None:
        self._states = sampler.states
        rng = sampler.rng
        moments = [(_opening_moment(phase, open_by, clock, rng), index) for index, phase in enumerate(scaffold.phases)]
        self._waiting = sorted(moments, reverse=True)
        self.left = len(moments)
        """Phases without a message."""

    def next(self) -> tuple[float, int]:
        """The next such moment and its phase; infinity once all phases are open."""
        while self._waiting and self._states[self._waiting[-1][1]].messages:
            self._waiting.pop()
        return self._waiting[-1] if self._waiting else (float("inf"), -1)


def _opening_moment(phase: Phase, open_by: float, clock: Clock, rng: random.Random) -> float:
    """A moment of the phase's first stretch, in working hours if one of a few draws falls there."""
    drawn = [phase.moment(open_by * rng.random()) for _ in range(OPENING_DRAWS)]
    return next((moment for moment in drawn if not clock.is_quiet(moment)), drawn[-1])
