"""Ultra-short messages: one to six words, which leave out everything but the value."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactMention
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing
from groupmem.lab.synthesis.writers.grammar.scene import Scene
from groupmem.lab.synthesis.writers.grammar.surface import words

MOST_WORDS = 6
VOICED = 0.5
"""How often an optional fact is stated, where it fits."""


class Terse:
    """Makes the few words of one scene."""

    def __init__(self, phrasing: Phrasing, scene: Scene) -> None:
        self._phrasing = phrasing
        self._scene = scene
        self._plan = scene.plan
        self._room = (self._plan.length.words or MOST_WORDS) - self._plan.mention_parent - (self._plan.url is not None)

    def compose(self) -> list[str]:
        """One or two fragments, without capitals and final stops."""
        parts = [self._say(index) for index, mention in enumerate(self._plan.mentions) if not mention.optional]
        parts += [point.text for point in self._plan.points if point.required]
        if not parts:
            parts = [self._maybe() or self._react()]
        return [*parts, self._plan.url] if self._plan.url is not None else parts

    def _maybe(self) -> str:
        """An optional fact, if it is to be said and fits."""
        if not self._plan.mentions or self._scene.rng.random() > VOICED:
            return ""
        text = self._say(0)
        return text if words(text) <= self._room else ""

    def _say(self, index: int) -> str:
        cue = self._scene.about(index)
        return self._phrasing.fitting(cue, self._room, *_rules(cue.kind, self._plan.mentions[index]))

    def _react(self) -> str:
        plan = self._plan
        if plan.noise is not None:
            return self._phrasing.fitting(self._scene.cue, self._room, f"short.{plan.noise}", "short")
        about = [f"short.{plan.act}.{kind}" for kind in self._scene.parent_kinds]
        return self._phrasing.fitting(self._scene.cue, self._room, *about, f"short.{plan.act}", "short")


def _rules(kind: str, mention: FactMention) -> tuple[str, ...]:
    if mention.how == "ask":
        return (f"short.ask.{mention.kind}",)
    return (f"short.say.{mention.how}", f"short.say.{kind}", "short.value")
