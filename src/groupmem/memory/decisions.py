"""How decisions follow each other: which earlier statement a later one replaces.

There are two ways to it. Within a thread, what was settled is argued about, and somebody takes what another proposed
(`groupmem.memory.arguments`). And statements of a channel that have a topic, a phase or a thread in common are
compared, where the later one says that it changes something and gives a value that the earlier one gives otherwise.
What they say is compared by `groupmem.memory.notes.supersession`; here it is added who says it and where. Whoever
settled a matter mostly settles it again, and people who do so in the same place need not say what it is: "we go to
0.88" after "start at 0.92".

Of those only a link stays that is likely on the whole (`groupmem.memory.signs`): a wrong "superseded" is worse than
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupmem.memory.arguments import acceptances
from groupmem.memory.notes.supersession import supersession
from groupmem.memory.signs import likelihood
from groupmem.memory.store.base import Link, Noted

_DECISIVE = 0.4  # confidence of a decision or a change, below which a message replaces nothing
_SETTLED = 0.7  # confidence from which on a statement counts in full
_SAME_TOPIC = 0.4
_OTHER_HOLDER = 0.5
_SAME_HOLDER, _OTHER_VALUE, _CHANGES, _NAMES_OLD = 0.25, 0.1, 0.1, 0.15
_LEAST = 0.25
_CHANGED = 0.5
_ACCEPTED = 0.08
_LIKELY = 0.08
_NEAR_BEST = 0.6
_MAGNITUDE = 8.0
_MEASURES = frozenset({"number", "percent", "money", "size", "version", "duration", "date"})
_DECIDES = frozenset({"decision", "change"})
_CHANGING = frozenset({"change"})


def link(new: Noted, earlier: Sequence[Noted], among: int) -> list[Link]:
    """The links from `new` to the statements that it most likely replaces, at most one of either way.

    `earlier` are those that it is compared with, of `among` statements in all.

    Of several whose values it changes that are nearly as likely it is the latest: of a chain only the last link stands
    to be replaced.
    """
    decisive = _confidence(new, _DECIDES)
    if decisive < _DECISIVE:
        return []
    found = [
        _changed(new, earlier, decisive, among),
        _taken(new, [each for each in earlier if each.thread == new.thread]),
    ]
    links = [each for each in found if each is not None]
    if len(links) > 1 and links[0].old == links[1].old:
        return [max(links, key=lambda each: each.score)]
    return links


def _changed(new: Noted, earlier: Sequence[Noted], decisive: float, among: int) -> Link | None:
    """The link to the statement of which `new` gives a value anew."""
    newer = _Newer(new, decisive, _confidence(new, _CHANGING), _measures(new), _replaced(new), among)
    if newer.changing < _CHANGED or not newer.measures:
        return None
    found = [each for old in earlier if (each := _compare(newer, old)) is not None]
    best = max((each.score for each in found), default=0.0)
    return next((each for each in reversed(found) if each.score >= _NEAR_BEST * best), None)


def _taken(new: Noted, thread: Sequence[Noted]) -> Link | None:
    """The link to what `new` replaces by taking what was proposed instead of it."""
    best = max(acceptances(new, thread), key=lambda each: each.likelihood, default=None)
    if best is None or best.likelihood < _ACCEPTED:
        return None
    return Link(new=new.row, old=best.old.row, new_span=best.span, old_span=_stated(best.old), score=best.likelihood)


class _Newer(NamedTuple):
    """A message that may replace others, made ready for comparison: how surely it decides and changes something, the
    values of it that can be compared in size, those that it names as replaced.
    """

    noted: Noted
    decisive: float
    changing: float
    measures: list[str]
    replaced: frozenset[str]
    among: int


def _compare(newer: _Newer, old: Noted) -> Link | None:
    settled = _confidence(old, _DECIDES)
    if not settled or not (_comparable(newer.measures, old) or _names(newer.replaced, old)):
        return None
    new, decisive = newer.noted, newer.decisive
    same_holder = new.message.author == old.message.author
    same_topic = new.message.topic is not None and new.message.topic == old.message.topic
    said = supersession(new.notes, old.notes, same_holder=same_holder, answers=new.thread == old.thread)
    names_old = said is not None and said.names_old
    score = said.score * (1 + _SAME_TOPIC * same_topic) if said else 0.0
    if not (same_holder or names_old):
        score *= _OTHER_HOLDER
    if same_topic or new.thread == old.thread:
        both = min(decisive, settled)
        score += (_SAME_HOLDER * same_holder + _OTHER_VALUE) * both
        score += _CHANGES * newer.changing * settled
    score = (score + _NAMES_OLD * names_old) * min(1.0, settled / _SETTLED) * min(1.0, decisive / _SETTLED)
    if score < _LEAST or likelihood(new, old, changing=newer.changing, among=newer.among) < _LIKELY:
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


def _stated(noted: Noted) -> tuple[int, int]:
    """What a message states most surely; all of it where it states nothing."""
    surest = max(noted.notes.subjects, key=lambda each: each.decision, default=None)
    return surest.span if surest is not None else (0, len(noted.message.text))


def _measures(noted: Noted) -> list[str]:
    values = [value for subject in noted.notes.subjects for value in subject.values]
    return [value for value in values if value.partition(":")[0] in _MEASURES]


def _replaced(noted: Noted) -> frozenset[str]:
    return frozenset([value for subject in noted.notes.subjects for value in subject.replaced])


def _names(replaced: frozenset[str], old: Noted) -> bool:
    """Whether an earlier message gives a value that is named as replaced."""
    return bool(replaced) and any(not replaced.isdisjoint(subject.values) for subject in old.notes.subjects)


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
