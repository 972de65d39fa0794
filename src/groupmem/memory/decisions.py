"""How decisions follow each other: which earlier statement a later one replaces.

Two statements of a channel are compared that have a topic, a phase or a thread in common. What they say is compared by
`groupmem.memory.notes.supersession`; here it is added who says it and where. Whoever settled a matter mostly settles it
again, and people who do so in the same place need not say what it is: "we go to 0.88" after "start at 0.92".

Of those only a link stays that is likely on the whole (`groupmem.memory.signs`): a wrong "superseded" is worse than
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupmem.memory.notes.supersession import supersession
from groupmem.memory.signs import likelihood
from groupmem.memory.store.base import Link, Noted

_DECISIVE = 0.4  # confidence of a decision or a change, below which a message replaces nothing
_SETTLED = 0.7  # confidence from which on a statement counts in full
_SAME_TOPIC = 0.4
_OTHER_HOLDER = 0.5
_SAME_HOLDER, _OTHER_VALUE, _CHANGES, _NAMES_OLD = 0.25, 0.1, 0.1, 0.15
_LEAST = 0.25
_LIKELY = 0.15
_NEAR_BEST = 0.6
_MAGNITUDE = 8.0
_MEASURES = frozenset({"number", "percent", "money", "size", "version", "duration", "date"})
_DECIDES = frozenset({"decision", "change"})
_CHANGING = frozenset({"change"})


def link(new: Noted, earlier: Sequence[Noted]) -> list[Link]:
    """The link from `new` to the statement that it most likely replaces; empty where there is none.

    Of several that are nearly as likely it is the latest: of a chain only the last link stands to be replaced.
    """
    decisive = _confidence(new, _DECIDES)
    if decisive < _DECISIVE:
        return []
    newer = _Newer(new, decisive, _confidence(new, _CHANGING), _measures(new))
    found = [each for old in earlier if (each := _compare(newer, old)) is not None]
    best = max((each.score for each in found), default=0.0)
    return next(([each] for each in reversed(found) if each.score >= _NEAR_BEST * best), [])


class _Newer(NamedTuple):
    """A message that may replace others, made ready for comparison: how surely it decides and changes something, and
    the values of it that can be compared in size.
    """

    noted: Noted
    decisive: float
    changing: float
    measures: list[str]


def _compare(newer: _Newer, old: Noted) -> Link | None:
    settled = _confidence(old, _DECIDES)
    if not settled:
        return None
    new, decisive = newer.noted, newer.decisive
    same_holder = new.message.author == old.message.author
    same_topic = new.message.topic is not None and new.message.topic == old.message.topic
    said = supersession(new.notes, old.notes, same_holder=same_holder, answers=new.thread == old.thread)
    names_old = said is not None and said.names_old
    comparable = _comparable(newer.measures, old)
    score = said.score * (1 + _SAME_TOPIC * same_topic) if said else 0.0
    if not (same_holder or names_old):
        score *= _OTHER_HOLDER
    if same_topic or new.thread == old.thread:
        both = min(decisive, settled)
        score += (_SAME_HOLDER * same_holder + _OTHER_VALUE * comparable) * both
        score += _CHANGES * newer.changing * settled
    score = (score + _NAMES_OLD * names_old) * min(1.0, settled / _SETTLED) * min(1.0, decisive / _SETTLED)
    if score < _LEAST or likelihood(new, old, changing=newer.changing, comparable=comparable) < _LIKELY:
        return None
    new_span, old_span = (said.new, said.old) if said else (_span(new), _span(old))
    return Link(
        new=new.row, old=old.row, new_span=new_span, old_span=old_span, score=min(1.0, score), names_old=names_old
    )


def _confidence(noted: Noted, kinds: frozenset[str]) -> float:
    surest = 0.0
    for each in noted.notes.statements:
        if each.kind in kinds and each.confidence > surest:
            surest = each.confidence
    return surest


def _span(noted: Noted) -> tuple[int, int]:
    """Where a message decides something, by its surest statement."""
    decided = [each for each in noted.notes.statements if each.kind in _DECIDES]
    return max(decided, key=lambda each: each.confidence).span


def _measures(noted: Noted) -> list[str]:
    values = [value for subject in noted.notes.subjects for value in subject.values]
    return [value for value in values if value.partition(":")[0] in _MEASURES]


def _comparable(measures: Sequence[str], old: Noted) -> bool:
    """Whether an earlier message gives values of the sort and magnitude of one of these, and differs in it."""
    if not measures:
        return False
    for other in old.notes.subjects:
        for value in measures:
            if value not in other.values and any(_alike(value, each) for each in other.values):
                return True
    return False


def _alike(value: str, other: str) -> bool:
    """Whether two values are of one sort and within one magnitude; dates and versions always are."""
    sort, _, amount = value.partition(":")
    other_sort, _, other_amount = other.partition(":")
    if sort != other_sort:
        return False
    try:
        first, second = float(amount.split()[0]), float(other_amount.split()[0])
    except ValueError:
        return True
    return second != 0 and 1 / _MAGNITUDE <= first / second <= _MAGNITUDE
