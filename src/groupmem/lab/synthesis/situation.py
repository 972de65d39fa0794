"""The situational context of a message: what was said before it (GroupMemBench, App. B).

Everything here follows from what the same phase (and a cited message) said before, never from what else happens to be
written already: the same message gets the same context in whatever order phases are written.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from difflib import SequenceMatcher

from groupmem.lab.synthesis.base import MessagePlan, Said, Situation
from groupmem.lab.synthesis.ledger import PhaseLedger
from groupmem.lab.synthesis.plans import Plans

LAST_OF_AUTHOR = 5


class Situations:
    """Keeps what is written and shows each message what it needs of it. Within a phase, messages come in order."""

    def __init__(self, plans: Plans, seed: int) -> None:
        self._plans = plans
        self._context = plans.policy.context
        self._seed = seed
        self._said: list[Said | None] = [None] * len(plans)
        phases = plans.scaffold.phases
        self._recent: list[deque[Said]] = [deque(maxlen=self._context.window) for _ in phases]
        self._by_author: list[dict[str, deque[Said]]] = [{} for _ in phases]
        self._ledgers = [PhaseLedger(plans, plans.policy.memory) for _ in phases]

    def of(self, index: int, plan: MessagePlan) -> Situation:
        """The situation in which this slot's message is written."""
        slot = self._plans.slots[index]
        mine = self._by_author[slot.phase].get(plan.author.id, ())
        return Situation(
            recent=tuple(self._recent[slot.phase]),
            older=self._older(index),
            parent=self._said[slot.parent] if slot.parent is not None else None,
            original_post=self._said[self._plans.first_in_phase(slot.phase)] if plan.original_post else None,
            author_recent=tuple(mine),
            cross_reference=self._said[_index(plan.cross_reference.message)] if plan.cross_reference else None,
            ledger=self._ledgers[slot.phase].snapshot(),
        )

    def is_ready(self, plan: MessagePlan) -> bool:
        """Whether the message of another phase that the plan refers to is written."""
        return plan.cross_reference is None or self._said[_index(plan.cross_reference.message)] is not None

    def add(self, index: int, plan: MessagePlan, text: str) -> None:
        """The slot's message is written."""
        slot = self._plans.slots[index]
        parent = self._said[slot.parent] if slot.parent is not None else None
        said = Said(
            id=plan.id,
            author=plan.author.id,
            author_name=plan.author.first_name,
            role=plan.author.role,
            text=text,
            sent_at=plan.sent_at,
            act=plan.act,
            reply_to=plan.parent,
            reply_to_name=parent.author_name if parent is not None else None,
        )
        phase = slot.phase
        self._said[index] = said
        self._recent[phase].append(said)
        self._by_author[phase].setdefault(plan.author.id, deque(maxlen=LAST_OF_AUTHOR)).append(said)
        self._ledgers[phase].add(index)

    def _older(self, index: int) -> tuple[Said, ...]:
        """A few messages from before the window, oldest first."""
        slot = self._plans.slots[index]
        hidden = slot.in_phase - self._context.window
        if hidden <= 0 or not self._context.older_snippets:
            return ()
        rng = random.Random(f"{self._seed}/older/{index}")
        chosen = sorted(rng.sample(range(hidden), min(hidden, self._context.older_snippets)))
        numbers = self._plans.in_phase(slot.phase)
        return tuple(said for said in (self._said[numbers[position]] for position in chosen) if said is not None)


class Deduplicator:
    """Drops from a context what nearly repeats something later in it: of two similar messages the newer one stays.

    Similarity is difflib's sequence matcher ratio. A phase's window slides by one message at a time, so ratios of pairs
    are kept for as long as both are in it: each message costs at most one comparison with every other of the window.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._similar: dict[tuple[str, str], bool] = {}

    def keep(self, said: Sequence[Said]) -> list[Said]:
        """The messages without the echoes, oldest first."""
        kept: list[Said] = []
        for message in reversed(said):
            if not any(self._are_similar(message, other) for other in kept):
                kept.append(message)
        present = {message.id for message in said}
        self._similar = {pair: value for pair, value in self._similar.items() if present.issuperset(pair)}
        return kept[::-1]

    def _are_similar(self, one: Said, other: Said) -> bool:
        pair = (one.id, other.id)
        if pair not in self._similar:
            matcher = SequenceMatcher(None, one.text, other.text, autojunk=False)
            self._similar[pair] = (
                matcher.real_quick_ratio() >= self._threshold
                and matcher.quick_ratio() >= self._threshold
                and matcher.ratio() >= self._threshold
            )
        return self._similar[pair]


def _index(message: str) -> int:
    return int(message.removeprefix("Msg_")) - 1
