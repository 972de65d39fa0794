"""Hearing oneself: how much of what is about to be said was said lately in the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from groupmem.lab.synthesis.base import Said, Situation
from groupmem.lab.synthesis.writers.grammar.marks import bare, frames

GRAM = 4
LISTENED = 25
"""How many of the phase's last messages are remembered by their wording."""
OPENING_WORDS = 2
_WORD = re.compile(r"@?[\w'’]+")


class Echo:
    """What was said lately, for comparison with a draft."""

    def __init__(self, situation: Situation) -> None:
        self._openings = {opening(said.text) for said in situation.author_recent}
        self._last = opening(situation.author_recent[-1].text) if situation.author_recent else None
        heard: Sequence[Said] = (*situation.recent[-LISTENED:], *situation.author_recent)
        self._heard = {said.id: _grams(said.text) for said in heard}.values()

    def faults(self, draft: str) -> int:
        """How badly a draft (with its marks) repeats: its opening first, then every few words of its own."""
        begins = opening(bare(draft))
        own = {gram for stretch in frames(draft) for gram in _cut(stretch)}
        repeated = sum(not own.isdisjoint(grams) for grams in self._heard)
        return 100 * (begins == self._last) + 10 * (begins in self._openings) + repeated


def opening(text: str) -> tuple[str, ...]:
    """The first words of a text, without whom it calls by "@"."""
    found = [word.casefold() for word in _WORD.findall(text[:120]) if not word.startswith("@")]
    return tuple(found[:OPENING_WORDS])


@lru_cache(maxsize=8192)
def _grams(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_cut(text))


def _cut(text: str) -> list[tuple[str, ...]]:
    found = [word.casefold() for word in _WORD.findall(text)]
    return [tuple(found[at : at + GRAM]) for at in range(len(found) - GRAM + 1)]
