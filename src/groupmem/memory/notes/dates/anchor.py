"""What expressions are resolved against: the message's own time, and the grammar around the expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import pairwise

from groupmem.memory.languages import word_set

_FUTURE = word_set("""
will won't shall should must let going plan plans planned planning due need needs please deadline target
targets proposing expect expects expected expecting hope hoping move moves moving start starts end ends close
closes
""")
_PAST = word_set("""
was were wasn't weren't had did didn't went came began broke saw sent found fell said told met got gave took
spent ran wrote made left lost felt ago bought heard caught paid flew drove spoke built kept held chose won
knew grew brought taught slept stood rode sold threw woke
""")
# Words in "-ed" that are no past, or whose past tells of a plan.
_NO_PAST = word_set("""
need indeed exceed speed feed seed hundred proceed succeed embed shared unused moved pushed shifted changed
postponed delayed rescheduled switched bumped extended agreed decided planned scheduled booked confirmed
approved targeted proposed pencilled expected needed promised wanted hoped settled
""")
_BE = frozenset({"is", "are", "be", "been", "being", "am"})
_AHEAD = frozenset({"by", "until", "due"})
_TOWARDS = _AHEAD | {"before", "to", "for", "through"}


@dataclass(slots=True)
class Anchor:
    """The moment of a message on its author's clock (None where it has no time), and the sentence that is read.

    `words` are the sentence's, in lower case. `plan` is the last day ahead that the message has named with its
    month: "the 14th" and "the Saturday" that follow are near it. `previous` and `following` are the classes of the
    tokens beside the expression at hand, articles left out; `article` says that one stands right before it.
    """

    now: datetime | None
    sentence: str
    words: tuple[str, ...]
    plan: date | None = None
    previous: str = ""
    following: str = ""
    article: bool = False
    _tense: int | None = field(default=None, repr=False)

    @property
    def today(self) -> date | None:
        return None if self.now is None else self.now.date()

    def hear(self, day: date | None) -> None:
        """Takes a day that was named with its month; only one ahead becomes the plan."""
        if day is not None and self.today is not None and day >= self.today:
            self.plan = day

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
            self._tense = tense_of(self.words)
        return self._tense


def tense_of(words: tuple[str, ...]) -> int:
    """1 where a sentence tells of what is to come, or of what is arranged ("is booked"); -1 of the past; else 0."""
    if not _FUTURE.isdisjoint(words):
        return 1
    past = not _PAST.isdisjoint(words) or (len(words) > 0 and _is_past(words[0]))
    for before, word in pairwise(words):
        if word.endswith("'ll") or (before in _BE and word.endswith("ed")):
            return 1
        past = past or _is_past(word)
    return 1 if words[:1] and words[0].endswith("'ll") else -1 if past else 0


def _is_past(word: str) -> bool:
    return word.endswith("ed") and len(word) > len("red") and word not in _NO_PAST
