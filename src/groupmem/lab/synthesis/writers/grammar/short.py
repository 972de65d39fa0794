"""Ultra-short messages: one to six words, which leave out everything but the value."""

from __future__ import annotations

from groupmem.lab.synthesis.base import FactMention
from groupmem.lab.synthesis.writers.grammar.features import KNOWN, NAMING
from groupmem.lab.synthesis.writers.grammar.marks import matter
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing, Room
from groupmem.lab.synthesis.writers.grammar.rules import Cue
from groupmem.lab.synthesis.writers.grammar.scene import Scene
from groupmem.lab.synthesis.writers.grammar.statements import SIDED

MOST_WORDS = 6


class Terse:
    """Makes the few words of one scene."""

    def __init__(self, phrasing: Phrasing, scene: Scene) -> None:
        self._phrasing = phrasing
        self._scene = scene
        self._plan = scene.plan
        most = (self._plan.length.words or MOST_WORDS) - self._plan.mention_parent - (self._plan.url is not None)
        self._room = Room(words=most, in_all=most)

    def compose(self) -> list[str]:
        """One or two fragments, without capitals and final stops."""
        parts = [self._say(index) for index in self._scene.voiced if not self._plan.mentions[index].optional]
        parts += [matter(point.text) for point in self._plan.points if point.required]
        if not parts:
            parts = [self._maybe() or self._react()]
        return [*parts, matter(self._plan.url)] if self._plan.url is not None else parts

    def _fitting(self, cue: Cue, *rules: str) -> str:
        return self._phrasing.fitting(cue, self._room, *rules)

    def _maybe(self) -> str:
        """An optional fact, if it is to be said and fits, with what it is about."""
        text = self._say(self._scene.voiced[0]) if self._scene.voiced else ""
        return text if self._room.holds(text) else ""

    def _say(self, index: int) -> str:
        cue = self._scene.about(index)
        mention = self._plan.mentions[index]
        if mention.how in ("ask", *SIDED) or KNOWN in cue.features:
            text = self._fitting(cue, *_rules(cue.kind, mention)) or self._fitting(cue, f"short.say.{cue.kind}")
        else:
            text = self._fitting(cue, f"brief.{cue.kind}", f"brief.{mention.kind}")
        return text if self._room.holds(text) else self._room.better(self._fitting(cue, _least(cue, mention)), text)

    def _react(self) -> str:
        plan = self._plan
        if plan.noise is not None:
            return self._fitting(self._scene.cue, "short.drift")
        about = (f"short.act.{plan.act}.{kind}" for kind in self._scene.parent_kinds)
        return self._fitting(self._scene.cue, *about, f"short.act.{plan.act}")


def _least(cue: Cue, mention: FactMention) -> str:
    how = mention.how if mention.how in ("ask", "dispute") else "state"
    who = cue.kind.partition(".")[2] if mention.kind in NAMING and how != "ask" else ""
    return f"least.{how}.{who}" if who else f"least.{how}"


def _rules(kind: str, mention: FactMention) -> tuple[str, ...]:
    if mention.how == "ask":
        return (f"short.ask.{mention.kind}",)
    if mention.how in SIDED:
        return (f"short.{mention.how}.{kind}", f"short.{mention.how}")
    return (f"short.{mention.how}.{kind}", f"short.{mention.how}", f"short.say.{kind}")
