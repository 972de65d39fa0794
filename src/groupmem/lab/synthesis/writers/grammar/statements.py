"""A fact in a sentence: which rules say it, by its kind, in which manner, and whose it is."""

from __future__ import annotations

from groupmem.lab.synthesis.base import MessagePlan
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing, shorter
from groupmem.lab.synthesis.writers.grammar.rules import Cue
from groupmem.lab.synthesis.writers.grammar.surface import longest

CONFIDENT = {"mistake": "state"}
"""Manners that sound like another one."""
HELD = frozenset({"preference", "belief"})
"""What somebody holds is held alike, whatever the message does with it."""
HELD_LIKE = {"state": "state", "confirm": "confirm", "report": "report", "dispute": "dispute"}
SHORTENING = ("brief", "split", "bare")
"""What is tried one after the other where a sentence gets too long: fewer words, two sentences, no subject."""
UNFRAMED = frozenset({"propose", "argue", "dispute", "report"})
"""Manners that a frame around a plain statement would contradict or double, where the kind has words of its own."""
UNFRAMED_ACTS = frozenset({"commit"})
"""Acts whose statement goes without the frames that fit any fact: nobody takes on a job "for the record"."""


class Statements:
    """Words the facts of one message."""

    def __init__(self, phrasing: Phrasing, plan: MessagePlan) -> None:
        self._phrasing = phrasing
        self._plan = plan

    def statement(self, cue: Cue, room: int) -> str:
        """The sentence for the fact that the cue is about, in at most `room` words if its phrases allow that."""
        kind, _, who = cue.kind.partition(".")
        how = self._manner(cue.index, kind)
        text = self._phrasing.fitting(cue, room, *self._rules(kind, who, how))
        for form in SHORTENING:
            for rule in (f"{form}.{cue.kind}", f"{form}.{kind}"):
                if text and longest(text) <= room:
                    return text
                text = shorter(text, self._phrasing.fitting(cue, room, rule))
        return text

    def _manner(self, index: int, kind: str) -> str:
        mention = self._plan.mentions[index]
        how = CONFIDENT.get(mention.how, mention.how)
        return HELD_LIKE.get(how, "confirm") if kind in HELD and how != "ask" else how

    def _rules(self, kind: str, who: str, how: str) -> tuple[str, ...]:
        if how == "ask":
            return (f"ask.{kind}",)
        own = f"say.{kind}.{how}.{who}" if who else f"say.{kind}.{how}"
        is_framed = self._plan.act not in UNFRAMED_ACTS and (how not in UNFRAMED or not self._phrasing.has(own))
        return (own, f"frame.{how}") if is_framed else (own,)
