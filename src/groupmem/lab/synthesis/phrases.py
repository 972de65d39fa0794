"""Which phrase of the matter is taken next: risks, evidence, reasons, triggers, blockers and experiences."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Sequence
from typing import Literal

from groupmem.lab.synthesis.packs import Matter
from groupmem.lab.synthesis.scaffold import Phase

Phrased = Literal["risks", "evidence", "reasons", "triggers", "blockers", "experiences"]
PHRASED: tuple[Phrased, ...] = ("risks", "evidence", "reasons", "triggers", "blockers", "experiences")
NEARNESS = 0.75
"""How much oftener a phase takes what is its own than what it shares with n phases: n to this power."""


class Phrases:
    """Draws phrases for phases: those near to them and those said least oftener, and none that they have just used."""

    def __init__(self, phases: Sequence[Phase]) -> None:
        self._phases = phases
        self._seen_by: dict[Phrased, Counter[str]] = {
            kind: Counter(phrase for phase in phases for phrase in _distinct(phase.matter, kind)) for kind in PHRASED
        }
        self._said: dict[Phrased, Counter[str]] = {kind: Counter() for kind in PHRASED}
        self._used: dict[tuple[int, Phrased], deque[str]] = {}

    def draw(self, phase: int, kind: Phrased, rng: random.Random) -> str:
        """A phrase that the phase sees, slots as they are; half of them must pass before it comes again there."""
        phrases = _distinct(self._phases[phase].matter, kind)
        used = self._used.setdefault((phase, kind), deque(maxlen=len(phrases) // 2))
        fresh = [phrase for phrase in phrases if phrase not in used]
        seen_by, said = self._seen_by[kind], self._said[kind]
        chosen = rng.choices(fresh, [seen_by[phrase] ** -NEARNESS / (1 + said[phrase]) for phrase in fresh])[0]
        used.append(chosen)
        said[chosen] += 1
        return chosen


def _distinct(matter: Matter, kind: Phrased) -> tuple[str, ...]:
    phrases: tuple[str, ...] = getattr(matter, kind)
    return tuple(dict.fromkeys(phrases))
