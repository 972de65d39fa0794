"""Arguments: what was settled is taken up again, somebody proposes something else, and in the end that is taken.

The message that settles an argument is often short and leans on the others ("we take the other one after all"): it
shares no word with what it replaces. What it shares is with the proposal, an answer to the settled statement: words or
a value that the statement does not have. So a message replaces what an earlier one states if it repeats, as settled,
what an answer to that one proposed. Where the proposal is only turned down, or the old is kept, nothing is replaced.

How likely that is comes from signs that are counted together, as in a logistic regression. The weights are such a
regression's over the answers in synthesised conversations, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from groupmem.memory.languages import word_set
from groupmem.memory.notes.reading import Sentence, Span
from groupmem.memory.notes.statements import StatementKind
from groupmem.memory.phrases import Said, repeated, said, shown
from groupmem.memory.store.base import Noted

_MOST_ABOVE = 8  # how far up a thread it is looked for what is replaced
_VALUE = 2.0  # what a value counts that both give
_MOST_REPEATED, _MOST_SHARED = 4.0, 4.0
_LONG = 20  # words of a sentence that is long
_KEEPS = word_set("still unchanged stay stays stand stands remain remains keep keeps keeping")
_DENIES = word_set(
    "not no never nothing nobody neither hardly don't doesn't didn't isn't aren't won't can't cannot wasn't doubt"
)
_NEW = word_set("new now")
_SETTLING = frozenset({"decision", "change"})

WEIGHTS: dict[str, float] = {
    "prior": -5.7,
    # what it repeats of the proposal, and what it says of the old
    "repeated": 0.43, "shared": 0.5, "old_aside": 1.0, "names_old": 1.5, "other_value": 0.9,
    # how it says so
    "decision": 0.5, "change": 0.8, "settles": 0.8, "we": 0.6, "novel": 1.4,
    "personal": -0.5, "tentative": -0.35, "tentative_elsewhere": -0.6, "told": -0.6, "required": -0.6,
    "verdict": -0.6, "denied": -0.5, "kept": -1.0, "kept_elsewhere": -0.5, "long": -1.2,
    # whether what is repeated was a proposal, and whether what it answers opened the thread
    "proposed": 2.3, "wished": 1.4, "supposed": 1.2, "asked": 0.45, "would_change": 1.2, "decided_before": -0.5,
    "opening": 0.3, "old_denies": -0.5,
}  # fmt: skip
ENDING = WEIGHTS | {"kept": 0.8, "kept_elsewhere": 1.0, "denied": 0.6}
"""The weights where it does not matter whether an argument ends with a change: who keeps the old, says so."""


class Acceptance(NamedTuple):
    """That a message takes, at `span`, what `proposal` says instead of what `old` states; or something that nobody has
    proposed before.
    """

    old: Noted
    proposal: Noted | None
    span: Span
    signs: Mapping[str, float]

    @property
    def likelihood(self) -> float:
        """How likely that is, in (0, 1)."""
        return _likelihood(self.signs, WEIGHTS)

    @property
    def ending(self) -> float:
        """How likely the message ends an argument, be it that it takes something else or that it keeps the old."""
        return _likelihood(self.signs, ENDING)


def _likelihood(signs: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return 1.0 / (1.0 + math.exp(-sum(weights[name] * value for name, value in signs.items())))


class _Repeat(NamedTuple):
    """What a sentence repeats of a proposal, how much, and whether it puts that aside. Without a proposal: nothing."""

    line: Sentence
    weight: float = 0.0
    words: tuple[str, ...] = ()
    aside: bool = False
    proposal: Noted | None = None


def acceptances(new: Noted, thread: Sequence[Noted]) -> Iterator[Acceptance]:
    """For each message above `new`, where `new` repeats something of an earlier answer to it: that it takes that.

    `thread` are earlier messages of its thread, by time.
    """
    above = _answered(new)
    if above is None:
        return
    known = {each.message.id: each for each in thread}
    if above not in known:
        return
    answers: dict[str, list[Noted]] = {}
    for each in thread:
        answered = _answered(each)
        if answered is not None:
            answers.setdefault(answered, []).append(each)
    for _ in range(_MOST_ABOVE):
        old = known.get(above) if above is not None else None
        if old is None:
            return
        found = accepted(new, old, answers.get(old.message.id, ()))
        if found is not None:
            yield found
        above = _answered(old)


def _answered(noted: Noted) -> str | None:
    """The id of the message that this one answers."""
    message = noted.message
    named = message.reply_to if message.reply_to is not None else message.thread
    return None if named == message.id else named


def accepted(new: Noted, old: Noted, answers: Sequence[Noted]) -> Acceptance | None:
    """That `new` takes what it repeats most of among earlier `answers` to `old`; None where it repeats nothing."""
    if not answers:
        return None
    mine, its = said(new), said(old)
    terms, values = mine.terms - its.terms, mine.values - its.values
    found = [
        repeat
        for proposal in answers
        if _has_any(said(proposal), terms, values)
        for repeat in _repeats(mine, proposal, its)
        if not repeat.aside
    ]
    if not found:
        return None
    return _acceptance(new, old, max(found, key=lambda repeat: repeat.weight))


def settled(new: Noted, old: Noted, answers: Sequence[Noted]) -> Acceptance | None:
    """The same, also for what nobody has proposed; None where `new` neither repeats, decides nor changes anything."""
    taken = accepted(new, old, answers)
    if taken is not None:
        return taken
    decided = [each for each in new.notes.statements if each.kind in _SETTLING]
    if not decided:
        return None
    span = max(decided, key=lambda each: each.confidence).span
    line = next((line for line in said(new).lines if line.holds(span)), None)
    return _acceptance(new, old, _Repeat(line)) if line is not None else None


def _acceptance(new: Noted, old: Noted, repeat: _Repeat) -> Acceptance:
    return Acceptance(old, repeat.proposal, (repeat.line.start, repeat.line.end), _signs(new, old, repeat))


def _has_any(proposal: Said, terms: frozenset[str], values: frozenset[str]) -> bool:
    """Whether a message has any of these terms or values, by its notes."""
    return not (terms.isdisjoint(proposal.terms) and values.isdisjoint(proposal.values))


def _repeats(new: Said, proposal: Noted, old: Said) -> Iterator[_Repeat]:
    """What each sentence repeats of the proposal that the old statement does not say."""
    proposed = said(proposal)
    values = (new.values & proposed.values) - old.values
    for line in new.lines:
        phrase = repeated(line, proposed, old.places)
        weight = phrase.weight + (_VALUE * len(values & new.given(line)) if values else 0.0)
        if weight:
            yield _Repeat(line, weight, phrase.words, phrase.aside, proposal)


def _signs(new: Noted, old: Noted, best: _Repeat) -> dict[str, float]:
    mine, its = said(new), said(old)
    cues, words = shown(best.line), best.line.words
    elsewhere = [line for line in mine.lines if line is not best.line]
    others = frozenset[str]().union(*map(shown, elsewhere))
    shared = [repeated(line, its) for line in mine.lines]
    given = mine.values - mine.replaced
    return {
        "prior": 1.0,
        "repeated": min(best.weight, _MOST_REPEATED),
        "shared": min(max((each.weight for each in shared if not each.aside), default=0.0), _MOST_SHARED),
        "old_aside": min(max((each.weight for each in shared if each.aside), default=0.0), _MOST_SHARED),
        "names_old": not mine.replaced.isdisjoint(its.values),
        "other_value": given.isdisjoint(its.values) and not _sorts(given).isdisjoint(_sorts(its.values)),
        "decision": _sure(new, "decision"),
        "change": _sure(new, "change"),
        "settles": not cues.isdisjoint(("decide", "change")),
        "we": "we" in cues,
        "novel": "now" in cues or words[0] in _NEW,
        "personal": not cues.isdisjoint(("i", "prefer", "stance", "judge")),
        "tentative": not cues.isdisjoint(("hedge", "propose", "should")),
        "tentative_elsewhere": not others.isdisjoint(("hedge", "propose")),
        "told": "past" in cues or "past" in others,
        "required": "require" in cues,
        "verdict": "verdict" in others,
        "denied": not _DENIES.isdisjoint(words),
        "kept": not _KEEPS.isdisjoint(words),
        "kept_elsewhere": any(not _KEEPS.isdisjoint(line.words) for line in elsewhere),
        "long": min(len(words), _LONG) / _LONG,
        "opening": _answered(old) is None,
        "old_denies": not _DENIES.isdisjoint(its.words),
        **(_signs_of_proposal(best.proposal, best.words) if best.proposal is not None else {}),
    }


def _signs_of_proposal(proposal: Noted, words: Sequence[str]) -> dict[str, float]:
    cues = said(proposal).holding(words)
    return {
        "proposed": "propose" in cues,
        "wished": not cues.isdisjoint(("i_would", "prefer", "stance")),
        "supposed": "hedge" in cues,
        "asked": "question" in cues,
        "would_change": _sure(proposal, "change"),
        "decided_before": _sure(proposal, "decision"),
    }


def _sorts(values: frozenset[str]) -> frozenset[str]:
    return frozenset([value.partition(":")[0] for value in values])


def _sure(noted: Noted, kind: StatementKind) -> float:
    return max((each.confidence for each in noted.notes.statements if each.kind == kind), default=0.0)
