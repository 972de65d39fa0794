"""How likely a later statement replaces an earlier one.

Two statements are alike by the rare words that they share. A later one replaces an earlier one when they are alike and
it names the value that it replaces ("instead of twelve", "from 24 to 72 hours"), or gives another value of the same
sort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from groupmem.memory.notes.reading import Span
from groupmem.memory.notes.records import Notes
from groupmem.memory.notes.subjects import FEW, Subject
from groupmem.types import Record

Rarity = Callable[[str], float]

_MEASURES = ("date:", "duration:", "number:", "percent:", "money:", "size:", "version:")
# Weights, in shares of a full likeness.
_REST, _BORROWED, _INITIALS = 0.5, 0.3, 0.7
_LEAST = 1.5  # rare words that two statements must share at least in order to be wholly alike
_NAMES_OLD, _OTHER_VALUE, _SAME_VALUE, _SAME_HOLDER = 0.4, 0.2, 0.15, 0.1
_ONLY_ANSWERS, _NO_CHANGE, _UNSURE, _SURE = 0.5, 0.6, 0.2, 0.6
_SETTLED = 0.5
_WORTH = 0.3  # confidence below which a statement is not compared
_SOME = 4  # a quarter of a full likeness is enough for values to count
_LONGEST_ACRONYM = 5
_MOST_READY = 4096  # messages whose statements stay ready for comparison


class Supersession(Record, frozen=True, kw_only=True):
    """How likely (`score` in [0, 1]) the statement `new` (a span) replaces the statement `old`.

    `names_old` says that the new statement names the old one's value.
    """

    score: float
    new: Span
    old: Span
    names_old: bool = False


def rarity_of(frequencies: Mapping[str, int], count: int) -> Rarity:
    """A weight in (0, 1] for terms, from the number of messages (of `count`) that hold each; unseen terms have 1."""
    count = max(count, 1)
    top = math.log(1 + count)
    return lambda term: math.log(1 + count / (1 + frequencies.get(term, 0))) / top


def common(_: str) -> float:
    """The rarity of terms where no frequencies are known: all alike."""
    return 1.0


def likeness(new: Notes, about: Subject, old: Notes, other: Subject, rarity: Rarity = common) -> float:
    """How much of what the shorter of two statements is about, the other is about as well; in [0, 1].

    The other words of each message count half, and those that a short answer borrows from its parent a third.
    """
    return _alike(_Side(new, about, rarity), _Side(old, other, rarity))


def supersession(
    new: Notes, old: Notes, *, rarity: Rarity = common, same_holder: bool = False, answers: bool = False
) -> Supersession | None:
    """The likeliest way in which a statement of `new` replaces one of the earlier `old`; None where they share nothing.

    `same_holder`: one person made both. `answers`: `new` stands in a thread below `old`.
    """
    best: Supersession | None = None
    olds = [side for side in _sides(old, rarity) if _strength(side.subject, same_holder) >= _WORTH]
    for left in _sides(new, rarity) if olds else ():
        about = left.subject
        sure = max(_strength(about, same_holder), about.change)
        if sure < _WORTH:
            continue
        for right in olds:
            score = 1 - math.exp(-_pair(left, right, same_holder, answers) * _sure(sure))
            if score > 0 and (best is None or score > best.score):
                names_old = not left.replaced.isdisjoint(right.values)
                best = Supersession(score=score, new=about.span, old=right.subject.span, names_old=names_old)
    return best


class Shared(NamedTuple):
    """What the statements of two messages have in common, each at its most.

    `words` are words of a subject, `other_value` and `same_value` are how alike two statements are that give different
    values of one sort, or the same one. `names_old` says that the newer names the value that it replaces.
    """

    words: int
    other_value: float
    same_value: float
    names_old: bool


def shared(new: Notes, old: Notes) -> Shared:
    """What the statements of `new` share with those of the earlier `old`."""
    words, other, same, names_old = 0, 0.0, 0.0, False
    olds = _sides(old, common)
    for left in _sides(new, common):
        own = frozenset(left.subject.terms)
        for right in olds:
            words = max(words, len(own.intersection(right.subject.terms)))
            names_old = names_old or not left.replaced.isdisjoint(right.values)
            if not left.given.isdisjoint(right.given):
                same = max(same, _alike(left, right))
            elif not left.sorts.isdisjoint(right.sorts):
                other = max(other, _alike(left, right))
    return Shared(words, other, same, names_old)


class _Side:
    """One statement made ready for comparison: weighted words, and its values by what they can show."""

    __slots__ = ("given", "initials", "rare", "replaced", "short", "size", "sorts", "subject", "values", "weights")

    def __init__(self, notes: Notes, subject: Subject, rarity: Rarity) -> None:
        weights = dict.fromkeys(notes.parent_terms, _BORROWED) if len(subject.terms) < FEW else {}
        weights.update(dict.fromkeys(notes.terms, _REST))
        weights.update(dict.fromkeys(subject.terms, 1.0))
        self.subject = subject
        self.weights = weights
        rare = weights if rarity is common else {term: weight * rarity(term) for term, weight in weights.items()}
        self.rare = tuple(rare.items())
        self.size = sum(rare.values())
        self.values = frozenset(subject.values)
        self.replaced = frozenset(subject.replaced)
        self.given = frozenset([value for value in subject.values if value.startswith(_MEASURES)]) - self.replaced
        self.sorts = frozenset([value.partition(":")[0] for value in self.given])
        self.initials = "".join([term[0] for term in subject.terms])
        self.short = [term for term in subject.terms if 1 < len(term) <= _LONGEST_ACRONYM]


_ready: dict[int, tuple[Notes, tuple[_Side, ...]]] = {}


def _sides(notes: Notes, rarity: Rarity) -> tuple[_Side, ...]:
    """The statements of a message made ready; the latest ones of a conversation are compared over and over."""
    if rarity is not common:
        return tuple(_Side(notes, subject, rarity) for subject in notes.subjects)
    known = _ready.get(id(notes))  # the entry keeps the notes alive, so that no others can have their id
    if known is None:
        if len(_ready) >= _MOST_READY:
            _ready.clear()
        known = _ready[id(notes)] = notes, tuple(_Side(notes, subject, common) for subject in notes.subjects)
    return known[1]


def _alike(left: _Side, right: _Side) -> float:
    shared = _INITIALS * (_initialled(left, right) + _initialled(right, left))
    others = right.weights
    for term, weight in left.rare:
        if term in others:
            shared += weight * others[term]
    return min(1.0, shared / max(_LEAST, min(left.size, right.size)))


def _pair(new: _Side, old: _Side, same_holder: bool, answers: bool) -> float:
    """Likeness, raised where values show a replacement, lowered where nothing shows a change or nothing was settled."""
    alike = _alike(new, old)
    named = new.replaced & old.values
    if not alike and not named:
        return 0.0
    some = min(1.0, _SOME * alike)
    names_old = bool(named) * (1.0 if any(map(_is_telling, named)) else some)
    same_value = not new.given.isdisjoint(old.given)
    other_value = not same_value and not new.sorts.isdisjoint(old.sorts)
    score = alike + _NAMES_OLD * names_old - _SAME_VALUE * same_value
    score += some * (_OTHER_VALUE * other_value + _SAME_HOLDER * same_holder)
    settled = _strength(old.subject, same_holder)
    if answers and settled < _SETTLED:
        score *= _ONLY_ANSWERS
    if not (names_old or other_value) and new.subject.change < _SETTLED:
        score *= _NO_CHANGE
    return max(0.0, score) * _sure(settled)


def _initialled(side: _Side, other: _Side) -> int:
    """How many short words of `other` are the initials of words that stand together in `side` ("UAT")."""
    initials, count = side.initials, 0
    for term in other.short:
        if term in initials and term not in side.subject.terms:
            count += 1
    return count


def _strength(subject: Subject, same_holder: bool) -> float:
    """How settled a statement is: as a decision, or for what only its own holder can take back as that."""
    return max(subject.decision, subject.personal if same_holder else 0.0)


def _is_telling(value: str) -> bool:
    """Whether a value is rare enough to show by itself what is meant: all but small numbers."""
    return not value.startswith("number:") or len(value) > len("number:99")


def _sure(confidence: float) -> float:
    return _UNSURE + (1 - _UNSURE) * min(1.0, confidence / _SURE)
