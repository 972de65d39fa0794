"""The statements that a message makes, by kind, each with how sure the wording makes it.

A kind's confidence is a noisy-or of the cues that speak for it, times the product of what speaks against it; the
weights are in one table. Nothing here knows a topic: the cues are modal verbs, negation, comparison, the imperative,
the first person with a verb of stance, and whether a value stands in the sentence (see `cues` and `context`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

from groupmem.memory.notes.context import Context, add_dates, add_people, add_place
from groupmem.memory.notes.cues import cues_of
from groupmem.memory.notes.dates import DateNote
from groupmem.memory.notes.reading import Reading, Span
from groupmem.memory.notes.values import Value
from groupmem.types import Record

StatementKind = Literal[
    "decision", "change", "commitment", "request", "deadline", "owner", "status", "blocker", "preference", "opinion",
    "question", "approval", "proposal", "value",
]  # fmt: skip
KINDS: tuple[StatementKind, ...] = get_args(StatementKind)
FLOOR = 0.3
_ALMOST = FLOOR - 0.001  # what may be rounded up to it

# kind -> (what speaks for it, what speaks against it)
WEIGHTS: dict[StatementKind, tuple[dict[str, float], dict[str, float]]] = {
    "decision": (
        {"decide": 0.5, "change": 0.25, "from_to": 0.3, "we": 0.15, "require": 0.2, "valued": 0.2, "link": 0.1,
         "answers": 0.2, "approve": 0.15, "settles": 0.2, "brief_answer": 0.2, "rule": 0.1, "verdict": 0.3,
         "imperative": 0.1, "now": 0.05},
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


def _by_cue() -> Factors:
    """For each cue the kinds that it speaks for, as indexes into `KINDS`, with what is left of doubt; and those that it
    speaks against, as indexes beyond them, with what is left of the kind.
    """
    found: Factors = {}
    for kind, sides in WEIGHTS.items():
        for side, weights in enumerate(sides):
            for cue, weight in weights.items():
                found[cue] = (*found.get(cue, ()), (KINDS.index(kind) + side * len(KINDS), 1.0 - weight))
    return found


_FACTORS = _by_cue()
_CERTAIN = [1.0] * (2 * len(KINDS))
_NAMED = [(kind, _NEEDED.get(kind)) for kind in KINDS]


class Statement(Record, frozen=True, kw_only=True, gc=False):
    """One kind of statement that a sentence (`span`) makes; `confidence` in [0, 1]; `values` index the message's
    values.
    """

    kind: StatementKind
    confidence: float
    span: Span
    values: tuple[int, ...] = ()


def find_statements(
    reading: Reading, values: Sequence[Value], dates: Sequence[DateNote], context: Context
) -> tuple[Statement, ...]:
    """The statements of a message, sentence by sentence, surest first within one; none below `FLOOR`."""
    found: list[Statement] = []
    places = [value.span[0] for value in values]
    asking = any(sentence.question for sentence in reading.sentences)
    for sentence in reading.sentences:
        span = start, end = sentence.start, sentence.end
        inside = tuple([index for index, place in enumerate(places) if start <= place < end]) if places else ()
        cues = cues_of(sentence)
        if asking:
            cues["asking"] = 0
        add_place(cues, sentence, [values[index] for index in inside] if inside else [], context)
        add_people(cues, sentence, context)
        add_dates(cues, [date for date in dates if start <= date.span[0] < end] if dates else [])
        for confidence, kind in _confidences(frozenset(cues)):
            found.append(Statement(kind=kind, confidence=confidence, span=span, values=inside))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _confidences(cues: frozenset[str]) -> tuple[tuple[float, StatementKind], ...]:
    """The kinds that reach `FLOOR`, surest first. A bare value is a kind of its own only where nothing else is said."""
    left = _CERTAIN.copy()
    for cue in sorted(cues):  # the order of a set differs between processes, and products of floats with it
        for index, factor in _FACTORS.get(cue, ()):
            left[index] *= factor
    named: list[tuple[float, StatementKind]] = []
    for doubt, damping, (kind, needed) in zip(left, left[len(KINDS) :], _NAMED, strict=False):
        sure = (1.0 - doubt) * damping
        if sure > _ALMOST and (sure := round(sure, 3)) >= FLOOR and (needed is None or not cues.isdisjoint(needed)):
            named.append((sure, kind))
    found = sorted(named, key=lambda pair: -pair[0])
    return tuple([pair for pair in found if pair[1] != "value"] or found)
