"""What statements are about, and how likely a later one replaces an earlier one.

The subject of a sentence is its content words, stemmed, without values, dates, people and the words that only carry a
kind of statement. Two statements are alike by the rare words that they share; a later one replaces an earlier one when
they are alike and it names the value that it replaces ("instead of twelve", "from 24 to 72 hours"), or gives another
value of the same sort. A sentence with next to no words of its own ("Six.") borrows those of the message that it
answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from groupmem.memory.analysis import STOP_TERMS, content_terms, word_term
from groupmem.memory.notes.cues import cues_of_word
from groupmem.memory.notes.dates.lexicon import LEXICON
from groupmem.memory.notes.mentions import Mention
from groupmem.memory.notes.reading import Reading, Sentence, Span
from groupmem.memory.notes.statements import Statement, StatementKind
from groupmem.memory.notes.values import Value
from groupmem.types import Record

if TYPE_CHECKING:
    from groupmem.memory.notes.records import Notes

Rarity = Callable[[str], float]

_REPLACED = re.compile(
    r"\b(?:instead of|rather than|in place of|replac\w+|not|no longer|from|over|was|were|used to be|previously|"
    r"formerly|than)"
    r"(?:\s+(?:the|a|an|of|our|its|current|old|previous|just|from|at|on))*\s*$",
    re.IGNORECASE,
)
_MEASURES = ("date:", "duration:", "number:", "percent:", "money:", "size:", "version:")
_LONGEST = 24  # terms that one message may lend to an answer
_REACH = 40  # characters before a value in which it can be said to be replaced
_FEW = 2  # own words below which a sentence borrows
_LONGEST_ACRONYM = 5

# Weights, in shares of a full likeness.
_REST, _BORROWED, _INITIALS = 0.5, 0.3, 0.7
_LEAST = 1.5  # rare words that two statements must share at least in order to be wholly alike
_NAMES_OLD, _OTHER_VALUE, _SAME_VALUE, _SAME_HOLDER = 0.4, 0.2, 0.15, 0.1
_ONLY_ANSWERS, _NO_CHANGE, _UNSURE, _SURE = 0.5, 0.6, 0.2, 0.6
_SETTLED = 0.5
_WORTH = 0.3  # confidence below which a statement is not compared
_SOME = 4  # a quarter of a full likeness is enough for values to count
_PERSONAL: frozenset[StatementKind] = frozenset({"preference", "opinion", "commitment", "status", "owner", "deadline"})
_ASKING = frozenset({"question", "request"})
_KIND_ONLY = frozenset(
    {"change", "decide", "hedge", "propose", "stance", "please", "link", "past", "approve", "prefer", "require"}
)
_DATE_KINDS = frozenset(
    {"WEEKDAY", "MONTH", "UNIT", "RELDAY", "WORDNUM", "ORDWORD", "PART", "EO", "REL", "EDGE", "maybe_WEEKDAY"}
)


class Subject(Record, frozen=True, kw_only=True):
    """What one sentence (`span`) is about: its `terms` in order, the measures and names in it, those that it replaces.

    Values are written "kind:normal", as in `Value`. `decision` and `change` are the confidences of those kinds,
    `personal` is that of the surest kind that only its own holder can take back (a preference, a commitment, a status,
    ...).
    """

    span: Span
    terms: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    decision: float = 0.0
    change: float = 0.0
    personal: float = 0.0


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
    top = math.log(1 + count) or 1.0
    return lambda term: math.log(1 + count / (1 + frequencies.get(term, 0))) / top


def common(_: str) -> float:
    """The rarity of terms where no frequencies are known: all alike."""
    return 1.0


def find_subjects(
    reading: Reading, values: Sequence[Value], mentions: Sequence[Mention], statements: Sequence[Statement]
) -> tuple[tuple[Subject, ...], tuple[str, ...]]:
    """The subjects of the sentences that state something, and the content words of the whole message, each once."""
    named = {word for mention in mentions for word in mention.name.lower().replace("_", " ").split()}
    everything: dict[str, None] = {}
    found: list[Subject] = []
    for sentence in reading.sentences:
        terms = terms_of(sentence, named)
        everything.update(terms)
        span = sentence.start, sentence.end
        kinds = {statement.kind: statement.confidence for statement in statements if statement.span == span}
        if kinds.keys() - _ASKING:
            found.append(_subject(reading, span, tuple(terms), values, kinds))
    return tuple(found), tuple(everything)


def _subject(
    reading: Reading, span: Span, terms: tuple[str, ...], values: Sequence[Value], kinds: Mapping[StatementKind, float]
) -> Subject:
    inside = [value for value in values if span[0] <= value.span[0] < span[1] and value.kind != "quoted"]
    replaced = [
        value for value in inside if _REPLACED.search(reading.text, max(span[0], value.span[0] - _REACH), value.span[0])
    ]
    return Subject(
        span=span,
        terms=terms,
        values=tuple(map(_key, inside)),
        replaced=tuple(map(_key, replaced)),
        decision=kinds.get("decision", 0.0),
        change=kinds.get("change", 0.0),
        personal=max((kinds[kind] for kind in _PERSONAL & kinds.keys()), default=0.0),
    )


def lent_terms(parent: Notes) -> tuple[str, ...]:
    """The words that a message lends to its answers: its own, or where it has hardly any, those it borrowed itself."""
    return (parent.terms if len(parent.terms) >= _FEW else (*parent.terms, *parent.parent_terms))[:_LONGEST]


def terms_of(sentence: Sentence, named: set[str]) -> dict[str, None]:
    """The content words of a sentence in order, as terms of the analyser, without the words of names."""
    if not sentence.text.isascii():
        return dict.fromkeys(term for term in content_terms(sentence.text) if not term[0].isdigit())
    words = [word for word in sentence.words if word not in named] if named else sentence.words
    return dict.fromkeys(filter(None, map(subject_term, words)))


@lru_cache(maxsize=1 << 15)
def subject_term(word: str) -> str:
    """The term of a word (lower case) that can say what a statement is about, else "".

    Function words, numbers, words of dates and mere cues of a kind of statement cannot.
    """
    if word.isdigit() or len(word) == 1 or not _KIND_ONLY.isdisjoint(cues_of_word(word)):
        return ""
    entry = LEXICON.get(word)
    if entry is not None and entry.kind in _DATE_KINDS:
        return ""
    term = word_term(word)
    return "" if term in STOP_TERMS else term


def _key(value: Value) -> str:
    """A value as it is compared; of a date only the day."""
    return f"{value.kind}:{value.normal.partition('T')[0] if value.kind == 'date' else value.normal}"


# -- comparison --------------------------------------------------------------------------------------------------------


def likeness(new: Notes, about: Subject, old: Notes, other: Subject, rarity: Rarity = common) -> float:
    """How much of what the shorter of two statements is about, the other is about as well; in [0, 1].

    The other words of each message count half, and those that a short answer borrows from its parent a third.
    """
    return _alike(_Side(new, about, rarity, True), _Side(old, other, rarity, False))


def supersession(
    new: Notes, old: Notes, *, rarity: Rarity = common, same_holder: bool = False, answers: bool = False
) -> Supersession | None:
    """The likeliest way in which a statement of `new` replaces one of the earlier `old`; None where they share nothing.

    `same_holder`: one person made both. `answers`: `new` stands in a thread below `old`.
    """
    best: Supersession | None = None
    olds = [_Side(old, other, rarity, False) for other in old.subjects if _strength(other, same_holder) >= _WORTH]
    for about in new.subjects if olds else ():
        sure = max(_strength(about, same_holder), about.change)
        if sure < _WORTH:
            continue
        left = _Side(new, about, rarity, True)
        for right in olds:
            score = _pair(left, right, same_holder, answers) * _sure(sure)
            if score > 0 and (best is None or score > best.score):
                names_old = not left.replaced.isdisjoint(right.values)
                best = Supersession(score=min(1.0, score), new=about.span, old=right.subject.span, names_old=names_old)
    return best


class _Side:
    """One statement made ready for comparison: weighted words, and its values by what they can show."""

    __slots__ = ("given", "replaced", "size", "sorts", "subject", "values", "weights")

    def __init__(self, notes: Notes, subject: Subject, rarity: Rarity, borrows: bool) -> None:
        weights = dict.fromkeys(notes.parent_terms, _BORROWED) if borrows and len(subject.terms) < _FEW else {}
        weights.update(dict.fromkeys(notes.terms, _REST))
        weights.update(dict.fromkeys(subject.terms, 1.0))
        self.subject = subject
        self.weights = {term: (weight, rarity(term)) for term, weight in weights.items()}
        self.size = sum(weight * rare for weight, rare in self.weights.values())
        self.values = frozenset(subject.values)
        self.replaced = frozenset(subject.replaced)
        self.given = frozenset(value for value in subject.values if value.startswith(_MEASURES)) - self.replaced
        self.sorts = frozenset(value.partition(":")[0] for value in self.given)


def _alike(left: _Side, right: _Side) -> float:
    shared = _INITIALS * (_initialled(left.subject, right) + _initialled(right.subject, left))
    for term in left.weights.keys() & right.weights.keys():
        weight, rare = left.weights[term]
        shared += weight * right.weights[term][0] * rare
    return min(1.0, shared / max(_LEAST, min(left.size, right.size)))


def _pair(new: _Side, old: _Side, same_holder: bool, answers: bool) -> float:
    """Likeness, raised where values show a replacement, lowered where nothing shows a change or nothing was settled."""
    alike = _alike(new, old)
    some = min(1.0, _SOME * alike)
    named = new.replaced & old.values
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


def _initialled(subject: Subject, other: _Side) -> int:
    """How many short words of `other` are the initials of words that stand together in `subject` ("UAT")."""
    initials = "".join([term[0] for term in subject.terms])
    return sum(
        1
        for term in other.subject.terms
        if len(term) <= _LONGEST_ACRONYM and len(term) > 1 and term in initials and term not in subject.terms
    )


def _strength(subject: Subject, same_holder: bool) -> float:
    """How settled a statement is: as a decision, or for what only its own holder can take back as that."""
    return max(subject.decision, subject.personal if same_holder else 0.0)


def _is_telling(value: str) -> bool:
    """Whether a value is rare enough to show by itself what is meant: all but small numbers."""
    return not value.startswith("number:") or len(value) > len("number:99")


def _sure(confidence: float) -> float:
    return _UNSURE + (1 - _UNSURE) * min(1.0, confidence / _SURE)
