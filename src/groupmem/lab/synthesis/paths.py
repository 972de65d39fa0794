"""The three path templates and their overrides (GroupMemBench, App. B): where the next message comes from."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from groupmem.lab.synthesis.base import PathType, PostType
from groupmem.lab.synthesis.phase_state import OpenPhases, PhaseState
from groupmem.lab.synthesis.policy import Policy
from groupmem.lab.synthesis.scaffold import Scaffold
from groupmem.lab.synthesis.slots import Slot
from groupmem.lab.synthesis.weights import active_thread, phase_heat, post_need

PATH_TYPES: tuple[PathType, ...] = get_args(PathType)
OPENING: tuple[PostType, ...] = ("kickoff", "milestone")
LOW_VOLUME: tuple[PostType, ...] = ("question", "update", "coordination")
ALL_POSTS: tuple[PostType, ...] = (
    "update",
    "question",
    "blocker",
    "decision",
    "milestone",
    "escalation",
    "coordination",
)


class PathSampler:
    """Walks the graph for one message after another. The walk itself draws; `take` books what it found."""

    def __init__(self, scaffold: Scaffold, policy: Policy, rng: random.Random) -> None:
        self.scaffold = scaffold
        self.policy = policy
        self.rng = rng
        self.states = [PhaseState(phase, policy) for phase in scaffold.phases]
        self.open = OpenPhases(scaffold)
        self.slots: list[Slot] = []
        self.volume: Counter[int] = Counter()
        """Messages by project."""
        self._by_author: Counter[int] = Counter()
        self._phases_of = [
            [number for number, phase in enumerate(scaffold.phases) if index in phase.members]
            for index in range(len(scaffold.members))
        ]

    def draw_path(self) -> PathType:
        """A path type from the mixture."""
        shares = self.policy.paths
        return self.rng.choices(PATH_TYPES, (shares.post, shares.reply, shares.cross))[0]

    def walk(self, now: float) -> Slot:
        """The next message at this time; at least one phase must be open."""
        drawn = self.draw_path()
        if drawn == "cross_project_reply":
            found = self._bridge(now)
            if isinstance(found, Slot):
                return found
            shares = self.policy.paths
            rest = max(shares.post + shares.reply, 1e-12)
            again: PathType = "post" if self.rng.random() * rest < shares.post else "reply"
            return self._simple(now, again, drawn, found)
        return self._simple(now, drawn, drawn, None)

    def open_phase(self, now: float, phase: int) -> Slot:
        """The first post of a phase that nobody has opened."""
        return self._post(now, phase, self.draw_path(), "unopened")

    def take(self, slot: Slot) -> None:
        """Books a message that was walked to."""
        state = self.states[slot.phase]
        parent = self.slots[slot.parent] if slot.parent is not None else None
        state.add(slot, parent.in_phase if parent else None, parent is not None and parent.is_post)
        self.slots.append(slot)
        self.volume[state.phase.project] += 1
        self._by_author[slot.author] += 1
        if slot.progress >= self.policy.schedule.capped_from:
            state.late += 1
            if state.late >= self.policy.schedule.cap:
                self.open.close(slot.phase)

    # -- the templates -------------------------------------------------------------------------------------------

    def _simple(self, now: float, path: PathType, drawn: PathType, override: str | None) -> Slot:
        """A channel post or a threaded reply, with the overrides that turn one into the other."""
        if path == "post":
            phase = self._phase_for_post(now)
            questions = self.states[phase].question_streak
            if len(questions) >= self.policy.paths.question_streak:
                return self._reply(now, phase, drawn, "question_streak", among=questions)
            return self._post(now, phase, drawn, override)
        phase = self._phase_for_reply(now)
        if self.states[phase].messages == 0:
            return self._post(now, phase, drawn, "empty_phase")
        return self._reply(now, phase, drawn, override)

    def _phase_for_post(self, now: float) -> int:
        projects = list(self.open.by_project)
        untouched = [project for project in projects if self.volume[project] == 0]
        if untouched and self.rng.random() < self.policy.paths.empty_domain:
            projects = untouched
        topics = self.open.by_project[self.rng.choice(projects)]
        phases = topics[self.rng.choice(list(topics))]
        weights = [
            post_need(
                self.policy.weights,
                self.states[index].messages,
                self.states[index].posts,
                self.scaffold.phases[index].progress(now),
            )
            for index in phases
        ]
        return self.rng.choices(phases, weights)[0]

    def _phase_for_reply(self, now: float) -> int:
        projects = list(self.open.by_project)
        inverse = [1.0 / max(1, self.volume[project]) for project in projects]
        phases = self.open.in_project(self.rng.choices(projects, inverse)[0])
        chosen = self._hottest(now, phases)
        begun = [index for index in phases if self.states[index].messages]
        if self.states[chosen].messages == 0 and begun and self.rng.random() >= self.policy.paths.empty_phase:
            return self._hottest(now, begun)
        return chosen

    def _hottest(self, now: float, phases: list[int]) -> int:
        weights = [
            phase_heat(
                self.policy.weights,
                self.states[index].messages,
                self.states[index].unanswered,
                self.scaffold.phases[index].progress(now),
            )
            for index in phases
        ]
        return self.rng.choices(phases, weights)[0]

    def _post(self, now: float, phase: int, drawn: PathType, override: str | None) -> Slot:
        state = self.states[phase]
        kinds = ALL_POSTS
        if state.messages == 0:
            kinds = OPENING
        elif state.messages < self.policy.paths.low_volume:
            kinds = LOW_VOLUME
        author = self.rng.choice(state.phase.members)
        slot = self._slot(now, phase, "post", drawn, author)
        slot.override = override
        slot.post_type = self.rng.choice(kinds)
        slot.root = slot.index
        return slot

    def _reply(self, now: float, phase: int, drawn: PathType, override: str | None, among: Sequence[int] = ()) -> Slot:
        """A reply to a message of the phase under w(m): to one at these positions, if any are given."""
        state = self.states[phase]
        position = state.pool.draw_among(among, self.rng) if among else state.pool.draw(self.rng)
        parent = self.slots[state.slots[position]]
        slot = self._slot(now, phase, "reply", drawn, self._responder(state, parent.author))
        slot.override = override
        slot.parent, slot.root = parent.index, parent.root
        return slot

    def _responder(self, state: PhaseState, parent_author: int) -> int:
        """Uniform among the phase's people without the parent's author and the last speakers; the oldest of those may
        speak again where nobody else is left."""
        silent = list(state.speakers)
        while True:
            free = [index for index in state.phase.members if index != parent_author and index not in silent]
            if free:
                return self.rng.choice(free)
            silent.pop(0)

    def _bridge(self, now: float) -> Slot | str:
        """A cross-project reply, or the reason why the walk is rejected."""
        author = self.rng.randrange(len(self.scaffold.members))
        if not self._phases_of[author]:
            return "bridge:no_phase"
        source = self.rng.choice(self._phases_of[author])
        origin = self.scaffold.phases[source]
        related = self.scaffold.projects[origin.project].related
        if not related:
            return "bridge:no_related_project"
        landing = self._landing(self.rng.choice(related))
        if landing is None:
            return "bridge:no_thread"
        phase = self.scaffold.phases[landing]
        if phase.start < origin.start:
            return "bridge:earlier_phase"
        if origin.private or (phase.private and author not in phase.members):
            return "bridge:private"
        target = self._counterpart(author, landing)
        if target is None:
            return "bridge:no_target"
        parent = self._bridge_parent(landing, target, author)
        if parent is None:
            return "bridge:no_target"
        slot = self._slot(now, landing, "cross_project_reply", "cross_project_reply", author)
        slot.parent, slot.root = parent.index, parent.root
        slot.target, slot.source_phase = target, source
        return slot

    def _landing(self, project: int) -> int | None:
        phases = [index for index in self.open.in_project(project) if self.states[index].messages]
        if not phases:
            return None
        weights = [active_thread(self.policy.weights, self.states[index].messages) for index in phases]
        return self.rng.choices(phases, weights)[0]

    def _counterpart(self, author: int, phase: int) -> int | None:
        """Somebody else of the phase, of the author's role where there is one."""
        others = [index for index in self.scaffold.phases[phase].members if index != author]
        role = self.scaffold.members[author].role
        peers = [index for index in others if self.scaffold.members[index].role == role]
        return self.rng.choice(peers or others) if others else None

    def _bridge_parent(self, phase: int, target: int, author: int) -> Slot | None:
        """The target's last message in the phase, else its first post; never a message of the author."""
        state = self.states[phase]
        first = self.slots[state.slots[0]]
        if self.policy.paths.bridge_parent == "target_user":
            recent = state.slots[-self.policy.context.window :]
            own = next((index for index in reversed(recent) if self.slots[index].author == target), None)
            if own is not None:
                return self.slots[own]
        return first if first.author != author else None

    def _slot(self, now: float, phase: int, path: PathType, drawn: PathType, author: int) -> Slot:
        state = self.states[phase]
        return Slot(
            index=len(self.slots),
            phase=phase,
            path=path,
            drawn=drawn,
            author=author,
            at=int(now),
            progress=state.phase.progress(now),
            in_phase=state.messages,
            of_author=self._by_author[author],
        )
