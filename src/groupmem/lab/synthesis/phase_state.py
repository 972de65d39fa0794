"""What the structure pass remembers of a phase and of which phases are open, kept up to date message by message."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

from groupmem.lab.synthesis.parents import ParentPool
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Phase, Scaffold
from groupmem.lab.synthesis.slots import Slot


class PhaseState:
    """Counts and candidates of one phase."""

    def __init__(self, phase: Phase, policy: Policy) -> None:
        self.phase = phase
        self.slots: list[int] = []
        self.posts = 0
        self.unanswered = 0
        self.late = 0
        self.speakers: deque[int] = deque(maxlen=policy.paths.excluded_speakers)
        self.pool = ParentPool(policy.weights)
        self._open_questions: list[int] = []

    @property
    def messages(self) -> int:
        return len(self.slots)

    @property
    def question_streak(self) -> tuple[int, ...]:
        """Positions of the last posts, without a break, that are questions which nobody has touched."""
        return tuple(self._open_questions)

    def add(self, slot: Slot, parent_position: int | None, parent_is_post: bool) -> None:
        """A new message; `parent_position` is the place of its parent within the phase."""
        if parent_position is not None:
            if parent_is_post and self.pool.replies(parent_position) == 0:
                self.unanswered -= 1
            self.pool.answered(parent_position)
            if parent_position in self._open_questions:
                self._open_questions.clear()
        if slot.is_post:
            self.posts += 1
            self.unanswered += 1
            if slot.post_type == "question":
                self._open_questions.append(len(self.slots))
            else:
                self._open_questions.clear()
        self.pool.append(slot.is_post)
        self.slots.append(slot.index)
        self.speakers.append(slot.author)


class OpenPhases:
    """Which phases can take a message now, by project and topic; each phase enters and leaves once."""

    def __init__(self, scaffold: Scaffold) -> None:
        self._phases = scaffold.phases
        self._starts = sorted(range(len(scaffold.phases)), key=lambda index: (scaffold.phases[index].start, index))
        self._next = 0
        self._ends: list[tuple[float, int]] = []
        self.by_project: dict[int, dict[int, list[int]]] = {}

    def advance(self, now: float) -> None:
        """Opens what has started and closes what has ended."""
        while self._next < len(self._starts) and self._phases[self._starts[self._next]].start <= now:
            index = self._starts[self._next]
            phase = self._phases[index]
            self.by_project.setdefault(phase.project, {}).setdefault(phase.topic, []).append(index)
            heapq.heappush(self._ends, (phase.end, index))
            self._next += 1
        while self._ends and self._ends[0][0] < now:
            self.close(heapq.heappop(self._ends)[1])

    def close(self, index: int) -> None:
        """Takes a phase out, if it is still in."""
        phase = self._phases[index]
        topics = self.by_project.get(phase.project, {})
        if index in topics.get(phase.topic, ()):
            topics[phase.topic].remove(index)
            if not topics[phase.topic]:
                del topics[phase.topic]
            if not topics:
                del self.by_project[phase.project]

    def in_project(self, project: int) -> list[int]:
        """Open phases of the project."""
        return [index for phases in self.by_project.get(project, {}).values() for index in phases]


def tail_room(phases: Sequence[Phase], states: Sequence[PhaseState], main_end: float, cap: int) -> int:
    """How many messages the last stretches of the phases that outlive the main time can still take."""
    return sum(cap - state.late for phase, state in zip(phases, states, strict=True) if phase.end > main_end)
