"""The statements that a message makes, by kind, each with how sure the wording makes it.

A kind's confidence is a noisy-or of the cues that speak for it, times the product of what speaks against it; the
weights are in one table. Nothing here knows a topic: the cues are modal verbs, negation, comparison, the imperative,
the first person with a verb of stance, and whether a value stands in the sentence (see `cues`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

from groupmem.memory.notes.cues import Cues, cues_of
from groupmem.memory.notes.dates import DateNote
from groupmem.memory.notes.reading import Reading, Sentence, Span
from groupmem.memory.notes.values import Value
from groupmem.types import Record

StatementKind = Literal[
    "decision", "change", "commitment", "request", "deadline", "owner", "status", "blocker", "preference", "opinion",
    "question", "approval", "proposal", "value",
]  # fmt: skip
KINDS: tuple[StatementKind, ...] = get_args(StatementKind)
FLOOR = 0.3
_ASKS = frozenset({"question", "proposal", "request", "preference", "opinion", "blocker"})
_SHORT = 6  # words of a reply that only answers
_NEAR = 3  # words between a person and the verb that goes with it
_VERBAL = frozenset({"link", "will", "past", "imperative", "i", "require", "change"})
_SUBJECTIVE = frozenset({"i", "you", "hedge", "question", "past", "stance", "opine"})
_LINKED_RELATIONS = frozenset({"by", "until", "before", "due"})

# kind -> (what speaks for it, what speaks against it)
WEIGHTS: dict[StatementKind, tuple[dict[str, float], dict[str, float]]] = {
    "decision": (
        {"decide": 0.5, "change": 0.25, "from_to": 0.3, "we": 0.15, "require": 0.2, "valued": 0.2, "link": 0.1,
         "answers": 0.2, "approve": 0.15, "settles": 0.2, "brief_answer": 0.2, "rule": 0.1, "imperative": 0.1,
         "now": 0.05},
        {"question": 0.8, "hedge": 0.45, "propose": 0.4, "stance": 0.4, "opine": 0.5, "i": 0.25, "i_would": 0.5,
         "undecided": 0.6, "past": 0.35, "prefer": 0.4, "empty": 0.5, "wh": 0.3, "bot": 0.6, "you": 0.15, "state": 0.3,
         "asking": 0.3},
    ),
    "change": (
        {"change": 0.4, "from_to": 0.4, "now": 0.15, "valued": 0.2, "undecided": 0.1},
        {"question": 0.6, "hedge": 0.3, "propose": 0.3, "wh": 0.2, "i_would": 0.4},
    ),
    "commitment": (
        {"i_will": 0.75, "commit": 0.6, "promised": 0.6, "will_first": 0.6, "i_and_will": 0.6, "took": 0.6,
         "dated": 0.05},
        {"question": 0.7, "hedge": 0.3, "not": 0.25, "stance": 0.2},
    ),
    "request": ({"please": 0.7, "request": 0.7, "imperative": 0.6, "called_to": 0.5}, {"past": 0.2, "stance": 0.2}),
    "deadline": ({"deadline": 0.7, "due": 0.5, "dated": 0.1, "committed": 0.2}, {"past": 0.4, "undated": 0.6}),
    "owner": ({"own": 0.5, "lead": 0.25, "person": 0.25, "me": 0.1}, {"question": 0.7, "hedge": 0.3, "nobody": 0.7}),
    "status": (
        {"state": 0.6, "now": 0.1, "plain": 0.1},
        {"question": 0.7, "hedge": 0.4, "will": 0.4, "imperative": 0.5, "stance": 0.2},
    ),
    "blocker": ({"block": 0.65, "require": 0.05, "not": 0.05}, {"question": 0.4, "hedge": 0.2}),
    "preference": ({"prefer": 0.6, "i": 0.15, "person": 0.1, "i_would": 0.2}, {"question": 0.6, "you": 0.2}),
    "opinion": (
        {"stance": 0.3, "my_stance": 0.4, "opine": 0.5, "judge": 0.35, "should": 0.3, "i": 0.05, "i_would": 0.1},
        {"question": 0.6, "imperative": 0.3},
    ),
    "question": ({"question": 0.95, "asks": 0.5}, {"imperative": 0.6}),
    "approval": (
        {"approve": 0.4, "short": 0.2, "answers": 0.15, "fragment": 0.05},
        {"question": 0.7, "hedge": 0.3, "not": 0.5, "late": 0.6},
    ),
    "proposal": ({"propose": 0.6, "i_would": 0.2, "should": 0.2}, {"past": 0.2, "decide": 0.2}),
    "value": ({"valued": 0.6, "link": 0.2, "fragment": 0.15}, {"question": 0.5, "hedge": 0.2}),
}  # fmt: skip


# Without any of these a kind is not named, whatever else speaks for it.
_NEEDED: dict[StatementKind, frozenset[str]] = {
    "change": frozenset({"change", "from_to", "undecided"}),
    "deadline": frozenset({"deadline", "due"}),
    "owner": frozenset({"own", "lead"}),
    "status": frozenset({"state"}),
    "opinion": frozenset({"stance", "opine", "judge", "should"}),
    "approval": frozenset({"approve"}),
    "proposal": frozenset({"propose", "should"}),
}

Factors = dict[str, tuple[tuple[int, float], ...]]


def _by_cue(side: int) -> Factors:
    """For each cue the kinds that it speaks for (or against), as indexes into `KINDS`, with what is left of doubt."""
    found: Factors = {}
    for kind, sides in WEIGHTS.items():
        for cue, weight in sides[side].items():
            found[cue] = (*found.get(cue, ()), (KINDS.index(kind), 1.0 - weight))
    return found


_FOR, _AGAINST = _by_cue(0), _by_cue(1)
_CERTAIN = [1.0] * len(KINDS)


class Statement(Record, frozen=True, kw_only=True):
    """One kind of statement that a sentence (`span`) makes; `confidence` in [0, 1]; `values` index the message's
    values.
    """

    kind: StatementKind
    confidence: float
    span: Span
    values: tuple[int, ...] = ()


class Context(Record, frozen=True, kw_only=True):
    """What surrounds a message's sentences: the kinds of its parent, whether a bot wrote it, spans of people and
    calls.
    """

    parent_kinds: frozenset[str] = frozenset()
    is_bot: bool = False
    people: tuple[Span, ...] = ()
    calls: tuple[Span, ...] = ()


def find_statements(
    reading: Reading, values: Sequence[Value], dates: Sequence[DateNote], context: Context
) -> tuple[Statement, ...]:
    """The statements of a message, sentence by sentence, surest first within one; none below `FLOOR`."""
    found: list[Statement] = []
    asking = any(sentence.question for sentence in reading.sentences)
    for sentence in reading.sentences:
        inside = [index for index, value in enumerate(values) if _in(value.span, sentence)]
        cues = cues_of(sentence)
        _add_place(cues, sentence, [values[index] for index in inside], context)
        if asking:
            cues["asking"] = 0
        _add_dates(cues, [date for date in dates if _in(date.span, sentence)])
        span = sentence.start, sentence.end
        about = tuple(inside)
        for confidence, kind in _confidences(frozenset(cues)):
            found.append(Statement(kind=kind, confidence=confidence, span=span, values=about))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _confidences(cues: frozenset[str]) -> tuple[tuple[float, StatementKind], ...]:
    """The kinds that reach `FLOOR`, surest first. A bare value is a kind of its own only where nothing else is said."""
    doubt, damping = _CERTAIN.copy(), _CERTAIN.copy()
    for cue in cues:
        for index, left in _FOR.get(cue, ()):
            doubt[index] *= left
        for index, left in _AGAINST.get(cue, ()):
            damping[index] *= left
    sure = [(round((1.0 - left) * damp, 3), kind) for left, damp, kind in zip(doubt, damping, KINDS, strict=True)]
    named = [pair for pair in sure if pair[0] >= FLOOR and not cues.isdisjoint(_NEEDED.get(pair[1], cues))]
    found = sorted(named, key=lambda pair: -pair[0])
    return tuple([pair for pair in found if pair[1] != "value"] or found)


def _in(span: Span, sentence: Sentence) -> bool:
    return sentence.start <= span[0] < sentence.end


def _add_place(cues: Cues, sentence: Sentence, values: list[Value], context: Context) -> None:
    """Cues of the sentence as a whole and of what it answers."""
    words = sentence.words
    if sentence.question or (
        words and words[0] in ("does", "do", "is", "are", "can", "could") and "you" not in words[2:3]
    ):
        cues["question"] = 0
    if "wh" in cues and cues["wh"] == 0:
        cues["asks"] = 0
    if any(value.kind != "name" for value in values):
        cues["valued"] = 0
    elif not values:
        cues["empty"] = 0
    if context.parent_kinds & _ASKS:
        cues["answers"] = 0
    if context.is_bot:
        cues["bot"] = 0
    if len(words) <= _SHORT:
        cues["short"] = 0
    if not cues.keys() & _VERBAL and len(words) <= 2 * _SHORT:
        cues["fragment"] = 0
        if "answers" in cues and "valued" in cues:
            cues["brief_answer"] = 0
    if not cues.keys() & _SUBJECTIVE:
        cues["plain"] = 0
        if "valued" in cues and ("link" in cues or cues.keys() >= {"fragment", "rule"}):
            cues["settles"] = 0
    if "i" in cues and "stance" in cues and abs(cues["i"] - cues["stance"]) <= _NEAR:
        cues["my_stance"] = 0
    _add_people(cues, sentence, context)


def _add_people(cues: Cues, sentence: Sentence, context: Context) -> None:
    words = sentence.words
    named = any(_in(span, sentence) for span in context.people)
    called = any(_in(span, sentence) for span in context.calls)
    if named and not called:
        cues["person"] = 0
    if "i" in cues:
        cues["me"] = 0
    if not named and "i" not in cues:
        cues["nobody"] = 0
    if called and ("to" in words or "imperative" in cues or cues.keys() & {"please", "you"}):
        cues["called_to"] = 0
    if "i" in cues and "will" in cues and 0 <= cues["will"] - cues["i"] < _NEAR:
        cues["i_and_will"] = cues["i"]
    if words and words[0] in ("will", "gonna") and not sentence.question:
        cues["will_first"] = 0
    if "promise" in cues and "i" in cues:
        cues["promised"] = 0
    if "take" in cues and "short" in cues:
        cues["took"] = 0
    if "approve" in cues and cues["approve"] >= _NEAR:
        cues["late"] = 0


def _add_dates(cues: Cues, dates: list[DateNote]) -> None:
    if not dates:
        cues["undated"] = 0
        return
    cues["dated"] = 0
    if any(date.relation in _LINKED_RELATIONS or date.text[:2].lower() == "eo" for date in dates):
        cues["deadline"] = 0
    if cues.keys() & {"i_will", "will_first", "i_and_will", "commit", "please", "request", "called_to"}:
        cues["committed"] = 0
