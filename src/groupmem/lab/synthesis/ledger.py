"""The ledger of a phase, kept from the plan: what is decided, what is open (asked how often), what is promised.

This is the ledger that needs no model (GroupMemBench, App. C, phase-memory prompts); model writers keep one in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from groupmem.lab.synthesis.base import FactKind, How, Ledger
from groupmem.lab.synthesis.planned import PlannedFact
from groupmem.lab.synthesis.plans import Plans
from groupmem.lab.synthesis.policy import Memory
from groupmem.text import words

DECIDING: tuple[FactKind, ...] = ("decision", "number", "requirement", "approval")
PROMISED: tuple[FactKind, ...] = ("owner", "deadline")
Entry = TypeVar("Entry")
TELLING: tuple[How, ...] = ("state", "confirm", "reverse", "keep")


class PhaseLedger:
    """The ledger of one phase, renewed every few messages."""

    def __init__(self, plans: Plans, memory: Memory) -> None:
        self._plans = plans
        self._memory = memory
        self._decided: dict[str, str] = {}
        self._pending: dict[str, str] = {}
        self._open: dict[str, tuple[str, int]] = {}
        self._messages = 0
        self._shown = Ledger()

    def add(self, index: int) -> None:
        """The slot's message is written."""
        for seed in self._plans.story.contents[index].seeds:
            fact = seed.fact
            if seed.how == "ask":
                text, count = self._open.pop(fact.matter, (self._question(fact), 0))
                self._open[fact.matter] = (text, count + 1)
            elif seed.how in TELLING and fact.holder is None:
                self._open.pop(fact.matter, None)
                self._note(fact)
        self._messages += 1
        if self._messages % self._memory.ledger_every == 0:
            self._shown = self._renewed()

    def snapshot(self) -> Ledger:
        """The ledger as it was last renewed."""
        return self._shown

    def _note(self, fact: PlannedFact) -> None:
        section = self._decided if fact.kind in DECIDING else self._pending if fact.kind in PROMISED else None
        if section is not None:
            section.pop(fact.matter, None)
            wording = self._plans.wording
            section[fact.matter] = f"{wording.plain(fact.subject)}: {wording.plain_value(fact)}"

    def _question(self, fact: PlannedFact) -> str:
        return f"{fact.kind} of {self._plans.wording.plain(fact.subject)}"

    def _renewed(self) -> Ledger:
        """The newest lines of each section that fit the word limit; older ones are forgotten for good."""
        third = self._memory.ledger_words // 3
        for section in (self._decided, self._pending):
            _forget(section, list(section.values()), third)
        _forget(self._open, [text for text, _ in self._open.values()], third)
        return Ledger(
            decided=tuple(self._decided.values()),
            open=tuple(self._open.values()),
            pending=tuple(self._pending.values()),
        )


def _forget(section: dict[str, Entry], lines: Sequence[str], limit: int) -> None:
    """Drops the oldest entries until the section's lines have at most `limit` words."""
    left = sum(len(words(line)) for line in lines)
    for key, line in zip(list(section), lines, strict=True):
        if left <= limit:
            return
        left -= len(words(line))
        del section[key]
