"""The sentences of one message: which moves it makes, in which order, and how they fit the length rule.

A move is something that a message does: react to the parent, say a fact, bring a point, follow up, turn to the
sub-issue, close. Which moves an act is made of is itself written in the grammar (`order.<act>`); what the plan demands
and the order forgot is added, and what exceeds the length rule is taken out again, the optional first.
"""

from __future__ import annotations

from collections.abc import Callable

from groupmem.lab.synthesis.writers.grammar.marks import matter
from groupmem.lab.synthesis.writers.grammar.phrasing import Phrasing, Room
from groupmem.lab.synthesis.writers.grammar.rules import Cue
from groupmem.lab.synthesis.writers.grammar.scene import Scene
from groupmem.lab.synthesis.writers.grammar.statements import Statements
from groupmem.lab.synthesis.writers.grammar.surface import (
    appended,
    is_closed,
    last_words,
    leads,
    longest,
    sentence_count,
    tidy,
    words,
)

POST_WORDS = 24
"""What a sentence of a post keeps to, where the length rule sets no bound."""
LEAD_WORDS = 6
JOINED = 0.4
"""How often a reason is joined to the statement before it, where both fit one sentence."""
GLOSSED = 0.3
"""How often a word of one's own role is explained to somebody of another role, where there is room."""
LEAST_LINKED = 4
"""Words of a sentence that a link may be hung onto."""
NOISE_TRIES = 4
AGAINST = frozenset({"push_back", "argue_against"})
FILLERS = ("after", "turn", "colour", "end")


class Sentence:
    """A sentence in the making; `needed` when the plan asks for it."""

    __slots__ = ("needed", "text")

    def __init__(self, text: str, needed: bool) -> None:
        self.text = text
        self.needed = needed


class Composer:
    """Makes the sentences of one scene; use once."""

    def __init__(self, phrasing: Phrasing, scene: Scene) -> None:
        self._phrasing = phrasing
        self._scene = scene
        self._plan = scene.plan
        self._statements = Statements(phrasing, scene.plan)
        self._sentences: list[Sentence] = []
        self._lead = ""
        self._to_say = list(scene.voiced)
        self._to_bring = list(self._plan.points)
        self._owes_reference = self._plan.cross_reference is not None
        self._said: Cue | None = None
        self._most_words = (self._plan.length.sentence_words or POST_WORDS) - self._plan.mention_parent
        self._moves: dict[str, Callable[[], None]] = {
            "open": self._open,
            "react": self._react,
            "say": self._say,
            "point": self._point,
            "after": self._after,
            "turn": self._turn,
            "colour": lambda: self._optional(scene.cue, "colour"),
            "end": lambda: self._optional(scene.cue, f"end.{scene.plan.act}", "end"),
            "drift": lambda: self._optional(scene.cue, "drift"),
        }

    def compose(self) -> list[str]:
        """The sentences, without capitals and final stops."""
        order = self._order()
        for place, move in enumerate(order):
            self._moves[move]()
            while move == "say" and self._to_say and "say" not in order[place + 1 :]:
                self._say()
        while self._to_say:
            self._say()
        while self._to_bring:
            self._point()
        self._cross_reference()
        self._gloss()
        self._fit_count()
        self._link()
        return [sentence.text for sentence in self._sentences]

    def _order(self) -> list[str]:
        plan = self._plan
        names = [f"order.{plan.act}"] if plan.noise is None else [f"order.{plan.noise}"]
        return self._phrasing.plain_of(self._scene.cue, *names).split()

    # -- moves ---------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        lead = self._phrasing.plain_of(self._scene.cue, f"open.{self._plan.act}", "open").strip()
        self._lead = lead if words(lead) <= LEAD_WORDS else ""

    def _react(self) -> None:
        act = self._plan.act
        names = (f"react.{act}.{about}" for about in self._scene.parent_kinds)
        self._optional(self._scene.cue, *names, f"react.{act}")

    def _say(self) -> None:
        if not self._to_say:
            return
        cue = self._scene.about(self._to_say.pop(0))
        if self._plan.noise is not None and not self._lead:
            self._lead = self._phrasing.plain(cue, f"noise.{self._plan.noise}").strip()
        self._said = cue
        self._add(self._statement(cue), needed=True)
        if self._to_bring and self._scene.rng.random() < JOINED:
            self._join()

    def _statement(self, cue: Cue) -> str:
        """The sentence for a fact; a mistake is worded until its lead-in can stand before it. One without room goes."""
        text = self._statements.statement(cue, self._room())
        if self._lead and not self._room().holds(text):
            self._lead = ""
            text = self._statements.statement(cue, self._room())
        for _ in range(NOISE_TRIES if self._lead and self._plan.noise is not None else 0):
            if leads(self._lead, text):
                break
            other = self._statements.statement(cue, self._room())
            text = other if self._room().holds(other) else text
        return text

    def _join(self) -> None:
        """Hang the next point onto the last sentence, if its kind can be and both fit."""
        last = self._sentences[-1]
        joint = self._phrasing.plain(self._scene.point(self._to_bring[0]), f"join.{self._to_bring[0].material}")
        if joint and not is_closed(last.text) and words(last.text) + words(joint) <= self._most_words:
            last.text = tidy(f"{last.text}{joint}")
            self._to_bring.pop(0)

    def _point(self) -> None:
        if not self._to_bring:
            return
        point = self._to_bring.pop(0)
        cue = self._scene.point(point)
        side = "against" if self._plan.act in AGAINST else "for"
        stem = f"point.{point.material}"
        self._needed(cue, f"{stem}.{self._plan.act}", f"{stem}.{side}", stem, f"brief.{point.material}")

    def _after(self) -> None:
        """Follow up on the fact that was said last."""
        if self._said is None:
            return
        kind, _, who = self._said.kind.partition(".")
        how = self._plan.mentions[self._said.index].how
        names = [f"after.{kind}.{who}"] if who else [f"after.{kind}.{how}", f"after.{kind}"]
        self._optional(self._said.without(self._scene.spent), *names)

    def _turn(self) -> None:
        if self._plan.sub_issue is None and self._plan.act in AGAINST:
            return
        place = "post" if self._plan.path == "post" else "reply"
        rules = (f"turn.{self._plan.act}", f"turn.{place}") if self._plan.sub_issue else (f"turn.place.{place}",)
        self._optional(self._scene.cue, *rules)

    def _optional(self, cue: Cue, *names: str) -> None:
        """Add what one of these rules says, if that fits."""
        room = self._room()
        text = self._phrasing.fitting(cue, room, *names)
        if text and room.holds(text):
            self._add(text, needed=False)

    def _needed(self, cue: Cue, *names: str) -> None:
        """Add what one of these rules says, the last of them being the one for where there is no room."""
        text = self._phrasing.fitting(cue, self._room(), *names[:-1])
        if not text or not self._room().holds(text):
            text = self._room().better(text, self._phrasing.fitting(cue, self._room(), names[-1]))
        self._add(text, needed=True)

    # -- what the plan asks for besides ----------------------------------------------------------------------------

    def _cross_reference(self) -> None:
        if not self._owes_reference:
            return
        self._owes_reference = False
        if self._count(needed=True) < self._plan.length.max_sentences:
            self._needed(self._scene.cue, "xref", "xref.brief")
            return
        needed = (each for each in self._sentences if each.needed)
        shortest = min(needed, key=lambda each: (is_closed(each.text), last_words(each.text)))
        shortest.text = appended(shortest.text, self._phrasing.plain(self._scene.cue, "xref.tail"))

    def _gloss(self) -> None:
        cue = self._scene.unfamiliar_word()
        if cue is not None and self._scene.rng.random() < GLOSSED:
            self._optional(cue, "gloss")

    def _link(self) -> None:
        if self._plan.url is None:
            return
        if self._count() < self._plan.length.max_sentences:
            self._needed(self._scene.with_slots(url=self._plan.url), "link", "link.brief")
        else:
            roomy = [each for each in self._sentences if LEAST_LINKED <= last_words(each.text) < self._most_words]
            roomy = roomy or self._sentences
            roomy[-1].text = appended(roomy[-1].text, f" ({matter(self._plan.url)})")

    def _fit_count(self) -> None:
        rule = self._plan.length
        for move in (*self._scene.rng.sample(FILLERS, len(FILLERS)), "colour", "end"):
            if self._count() >= max(1, rule.min_sentences):
                break
            self._moves[move]()
        for sentence in reversed(self._sentences.copy()):
            if self._count() > rule.max_sentences and not sentence.needed:
                self._sentences.remove(sentence)

    # -- sentences -------------------------------------------------------------------------------------------------

    def _count(self, needed: bool = False) -> int:
        return sum(sentence_count(each.text) for each in self._sentences if each.needed or not needed)

    def _room(self) -> Room:
        """What the next sentence may take, so that all that must still come has its place too."""
        to_come = len(self._to_say) + len(self._to_bring) + self._owes_reference
        left = self._plan.length.max_sentences - self._count(needed=True) - to_come
        return Room(words=self._most_words - words(self._lead), sentences=max(1, left))

    def _add(self, text: str, *, needed: bool) -> None:
        if not text:
            return
        lead, self._lead = self._lead, ""
        if lead and leads(lead, text) and words(lead) + longest(text) <= self._most_words:
            text = tidy(f"{lead} {text}")
        self._scene.spend(text)
        self._sentences.append(Sentence(text, needed))
