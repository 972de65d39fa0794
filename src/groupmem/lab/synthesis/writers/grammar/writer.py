"""The grammar writer: a seeded writer without any model."""

from __future__ import annotations

import random

from groupmem.lab.synthesis.base import MessagePlan, Situation, Stated, Written
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.writers.grammar.compose import Composer
from groupmem.lab.synthesis.writers.grammar.echo import Echo
from groupmem.lab.synthesis.writers.grammar.finish import Finisher
from groupmem.lab.synthesis.writers.grammar.habits import habits_of
from groupmem.lab.synthesis.writers.grammar.language import Language, shipped_language
from groupmem.lab.synthesis.writers.grammar.marks import bare, surfaces
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing
from groupmem.lab.synthesis.writers.grammar.scene import Scene
from groupmem.lab.synthesis.writers.grammar.short import Terse
from groupmem.lab.synthesis.writers.grammar.slots import Surroundings

DRAFTS = 4
"""Drafts that are made at most; the first that repeats nothing is taken, else the one that repeats least."""


class GrammarWriter:
    """Writes each message from the rules of the language, in the words that its plan gives.

    `seed` decides what people's habits are; everything else comes from the dice of each call. The same plan, situation
    and dice give the same text.
    """

    def __init__(self, pack: Pack, seed: int, language: Language | None = None) -> None:
        self._seed = seed
        self._phrasing = Phrasing(language or shipped_language())
        self._surroundings = Surroundings(pack)

    @property
    def name(self) -> str:
        return "grammar"

    def write(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> Written:
        """The message of this plan."""
        echo = Echo(situation)
        best, faults = "", float("inf")
        for _ in range(DRAFTS):
            draft = self._draft(plan, situation, rng)
            found = echo.faults(draft)
            if found < faults:
                best, faults = draft, found
            if not found:
                break
        said = surfaces(best)
        stated = (Stated(fact=plan.mentions[index].fact, surface=said[index]) for index in sorted(said))
        return Written(text=bare(best), stated=tuple(stated))

    def _draft(self, plan: MessagePlan, situation: Situation, rng: random.Random) -> str:
        scene = Scene(plan, situation, self._surroundings, rng)
        sentences = (Terse if plan.ultra_short else Composer)(self._phrasing, scene).compose()
        slip = self._phrasing.plain(scene.cue, "slip") if plan.imperfection == "self_correction" else ""
        habits = habits_of(plan.author.id, plan.author.style, self._seed)
        return Finisher(scene, habits, slip).finish(sentences)
