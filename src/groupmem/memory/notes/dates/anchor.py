"""What expressions are resolved against: the message's own time, and the grammar around the expression."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime

_FUTURE = re.compile(
    r"\b(?:will|won't|shall|should|must|let's|going to|plan\w*|due|needs?|please|deadline|targets?|proposing|"
    r"expect\w*|hop(?:e|ing)|moves?|moving|starts|ends|closes|(?:is|are|be) \w+ed)\b|(?:'|’)ll\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|did|didn't|went|came|began|broke|saw|sent|found|fell|said|told|met|got|gave|took|"
    r"spent|ran|wrote|made|left|lost|felt|ago|bought|heard|caught|paid|flew|drove|spoke|built|kept|held|chose|won|knew|"
    r"grew|brought|taught|slept|stood|rode|sold|threw|woke|"
    r"(?!(?:hundred|[a-z]*eed|embed|shared|unused|mov|push|shift|chang|postpon|delay|reschedul|"
    r"switch|bump|extend|agre|decid|plann|schedul|book|confirm|approv|target|propos|pencill|expect|need|promis|want|hop|"
    r"settl)(?:ed)?\b)[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_AHEAD = frozenset({"by", "until", "due"})
_TOWARDS = _AHEAD | {"before", "to", "for", "through"}


@dataclass(slots=True)
class Anchor:
    """The moment of a message on its author's clock (None where it has no time), and the sentence that is read.

    `previous` and `following` are the classes of the tokens beside the expression at hand, articles left out; `article`
    says that one stands right before it.
    """

    now: datetime | None
    sentence: str
    previous: str = ""
    following: str = ""
    article: bool = False
    _tense: int | None = field(default=None, repr=False)

    @property
    def today(self) -> date | None:
        return None if self.now is None else self.now.date()

    def pointed(self) -> int:
        """Direction that the preposition alone demands: 1 ahead, -1 behind, 0 none."""
        return 1 if self.previous in _AHEAD else -1 if self.previous == "since" else 0

    def direction(self) -> int:
        """1: the expression lies ahead, -1: behind, 0: neither its preposition nor the sentence's verbs say so."""
        if self.previous in _TOWARDS:
            return 1
        if self.previous == "since":
            return -1
        if self._tense is None:
            self._tense = 1 if _FUTURE.search(self.sentence) else -1 if _PAST.search(self.sentence) else 0
        return self._tense
