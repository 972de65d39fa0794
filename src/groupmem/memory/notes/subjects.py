"""What statements are about.

The subject of a sentence is its content words, stemmed, without values, dates, people and the words that only carry a
kind of statement. A sentence with next to no words of its own ("Six.") can borrow those of the message that it
answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from groupmem.memory.analysis import STOP_TERMS, content_terms, word_term
from groupmem.memory.known import known_if_short
from groupmem.memory.languages import word_set
from groupmem.memory.notes.cues import cues_of_word
from groupmem.memory.notes.dates.lexicon import LEXICON
from groupmem.memory.notes.mentions import Mention
from groupmem.memory.notes.reading import Reading, Sentence, Span
from groupmem.memory.notes.statements import Statement, StatementKind
from groupmem.memory.notes.values import Value
from groupmem.types import Record

if TYPE_CHECKING:
    from groupmem.memory.notes.records import Notes

_REPLACED = re.compile(
    r"\b(?:instead of|rather than|in place of|replac\w+|not|no longer|from|over|was|were|used to be|previously|"
    r"formerly|than)"
    r"(?:\s+(?:the|a|an|of|our|its|current|old|previous|just|from|at|on))*\s*$",
    re.IGNORECASE,
)
_BEFORE_REPLACED = tuple(
    word_set(
        "of than not longer from over was were be previously formerly the a an our its current old previous just at on"
    )
)
"""How everything ends that `_REPLACED` finds, but for "replacing"."""

_LONGEST = 24  # terms that one message may lend to an answer
_BARE = 0.5  # a value without a verb settles half as much as it is sure to be a value
_REACH = 40  # characters before a value in which it can be said to be replaced
FEW = 2  # own words below which a sentence borrows

_PERSONAL: frozenset[StatementKind] = frozenset({"preference", "opinion", "commitment", "status", "owner", "deadline"})
_ASKING = frozenset({"question", "request"})
_KIND_ONLY = frozenset(
    {"change", "decide", "hedge", "propose", "stance", "please", "link", "past", "approve", "prefer", "require"}
)
_DATE_KINDS = frozenset(
    {"WEEKDAY", "MONTH", "UNIT", "RELDAY", "WORDNUM", "ORDWORD", "PART", "EO", "REL", "EDGE", "maybe_WEEKDAY"}
)


class Subject(Record, frozen=True, kw_only=True, gc=False):
    """What one sentence (`span`) is about: its `terms` in order, the measures and names in it, those that it replaces.

    Values are written "kind:normal", as in `Value`. `decision` and `change` are the confidences of those kinds
    (a bare value is half a decision),
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


def find_subjects(
    reading: Reading, values: Sequence[Value], mentions: Sequence[Mention], statements: Sequence[Statement]
) -> tuple[tuple[Subject, ...], tuple[str, ...]]:
    """The subjects of the sentences that state something, and the content words of the whole message, each once."""
    kinds_of = _by_sentence(statements)
    named = {word for mention in mentions for word in mention.name.lower().replace("_", " ").split()}
    stating = [value for value in values if value.kind != "quoted"]
    everything: dict[str, None] = {}
    found: list[Subject] = []
    for sentence in reading.sentences:
        terms = terms_of(sentence, named)
        everything.update(terms)
        span = sentence.start, sentence.end
        kinds = kinds_of.get(span)
        if kinds is not None and not kinds.keys() <= _ASKING:
            found.append(_subject(reading, span, tuple(terms), stating, kinds))
    return tuple(found), tuple(everything)


def _by_sentence(statements: Sequence[Statement]) -> dict[Span, dict[StatementKind, float]]:
    """How surely each sentence makes statements of each kind; those that make none are left out."""
    found: dict[Span, dict[StatementKind, float]] = {}
    for statement in statements:
        found.setdefault(statement.span, {})[statement.kind] = statement.confidence
    return found


def _subject(
    reading: Reading, span: Span, terms: tuple[str, ...], values: Sequence[Value], kinds: Mapping[StatementKind, float]
) -> Subject:
    inside = [value for value in values if span[0] <= value.span[0] < span[1]] if values else []
    replaced = [value for value in inside if _is_replaced(reading.text, span[0], value.span[0])]
    return Subject(
        span=span,
        terms=terms,
        values=tuple(map(value_key, inside)),
        replaced=tuple(map(value_key, replaced)),
        decision=max(kinds.get("decision", 0.0), _BARE * kinds.get("value", 0.0)),
        change=kinds.get("change", 0.0),
        personal=max([kinds[kind] for kind in kinds if kind in _PERSONAL], default=0.0),
    )


def _is_replaced(text: str, start: int, place: int) -> bool:
    """Whether what stands at a place of a sentence is said to be replaced. Most is not, by the word before it."""
    begin = max(start, place - _REACH)
    before = text[begin:place].lower().rstrip()
    if before.isascii() and not before.endswith(_BEFORE_REPLACED) and "replac" not in before:
        return False
    return _REPLACED.search(text, begin, place) is not None


def lent_terms(parent: Notes) -> tuple[str, ...]:
    """The words that a message lends to its answers: its own, or where it has hardly any, those it borrowed itself."""
    return (parent.terms if len(parent.terms) >= FEW else (*parent.terms, *parent.parent_terms))[:_LONGEST]


def terms_of(sentence: Sentence, named: set[str]) -> dict[str, None]:
    """The content words of a sentence in order, as terms of the analyser, without the words of names."""
    if not sentence.text.isascii():
        return dict.fromkeys(term for term in content_terms(sentence.text) if not term[0].isdigit())
    words: Iterable[str] = sentence.words
    if not named.isdisjoint(words):
        words = [word for word in words if word not in named]
    terms = dict.fromkeys(map(subject_term, words))
    terms.pop("", None)
    return terms


@known_if_short(1 << 15)
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


def value_key(value: Value) -> str:
    """A value as it is compared; of a date only the day."""
    return f"{value.kind}:{value.normal.partition('T')[0] if value.kind == 'date' else value.normal}"
