"""A fact in a sentence: which rules say it, by its kind, in which manner, and whose it is."""

from __future__ import annotations

from groupmem.lab.synthesis.base import MessagePlan
from groupmem.lab.synthesis.writers.grammar.features import KNOWN
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing, Room
from groupmem.lab.synthesis.writers.grammar.rules import Cue

CONFIDENT = {"mistake": "state"}
"""Manners that sound like another one."""
HELD = frozenset({"preference", "belief"})
HELD_LIKE = {"state": "state", "mistake": "state", "confirm": "confirm", "report": "report", "dispute": "dispute"}
"""In which manner what somebody prefers or believes is said; in every other, it is still what they hold."""
SHORTENING = ("brief", "split")
"""What is tried one after the other where a sentence gets too long: fewer words, two sentences; and where everybody
knows what it is about, "bare": no subject."""
SIDED = frozenset({"propose", "argue", "dispute", "reverse", "keep"})
"""Manners that must be heard however short the sentence is."""
UNFRAMED = frozenset({"propose", "argue", "dispute", "report"})
"""Manners that a frame around a plain statement would contradict or double, where the kind has words of its own."""
UNFRAMED_ACTS = frozenset({"commit"})
"""Acts whose statement goes without the frames that fit any fact: nobody takes on a job "for the record"."""


class Statements:
    """Words the facts of one message."""

    def __init__(self, phrasing: Phrasing, plan: MessagePlan) -> None:
        self._phrasing = phrasing
        self._plan = plan

    def statement(self, cue: Cue, room: Room) -> str:
        """The sentence for the fact that the cue is about; one that fits, if its phrases allow that."""
        kind, _, who = cue.kind.partition(".")
        how = self._plan.mentions[cue.index].how
        if how == "ask":
            names: tuple[str, ...] = (f"ask.{kind}",)
            shortening = [f"short.ask.{kind}"]
        else:
            manner = HELD_LIKE.get(how, "confirm") if kind in HELD else CONFIDENT.get(how, how)
            names = self._stating(kind, who, manner)
            shortening = self._shortening(cue, kind, manner)
        text = self._phrasing.fitting(cue, room, *names)
        for name in shortening:
            if text and room.holds(text):
                break
            text = room.better(text, self._phrasing.fitting(cue, room, name))
        return text or self._phrasing.fitting(cue, room, f"brief.{cue.kind}", f"brief.{kind}")

    def _shortening(self, cue: Cue, kind: str, manner: str) -> list[str]:
        if manner in SIDED:
            return [f"short.{manner}.{cue.kind}", f"short.{manner}"]
        forms = (*SHORTENING, "bare") if KNOWN in cue.features else SHORTENING
        return [f"{form}.{own}" for form in forms for own in dict.fromkeys((cue.kind, kind))]

    def _stating(self, kind: str, who: str, how: str) -> tuple[str, ...]:
        own = f"say.{kind}.{how}.{who}" if who else f"say.{kind}.{how}"
        is_framed = self._plan.act not in UNFRAMED_ACTS and (how not in UNFRAMED or not self._phrasing.has(own))
        return (own, f"frame.{how}") if is_framed else (own,)
