"""Cues that the place of a sentence gives: what it answers, whom it names, which values and dates stand in it."""

from __future__ import annotations

from groupmem.memory.languages import word_set
from groupmem.memory.notes.cues import Cues
from groupmem.memory.notes.dates import DateNote
from groupmem.memory.notes.reading import Sentence, Span
from groupmem.memory.notes.values import Value
from groupmem.types import Record

_ASKS = frozenset({"question", "proposal", "request", "preference", "opinion", "blocker"})
_PAIR = 2
_SHORT = 6  # words of a reply that only answers
_TERSE = 4  # words of a reply that needs no question to be an answer
_NEAR = 3  # words between a person and the verb that goes with it
_VERBAL = frozenset({"link", "will", "past", "imperative", "i", "require", "change"})
_SUBJECTIVE = frozenset({"i", "you", "hedge", "question", "past", "stance", "opine"})
_SETTLING = frozenset({"decide", "verdict"})
_CALLING = frozenset({"imperative", "please", "you"})
_COMMITTING = frozenset({"i_will", "will_first", "i_and_will", "commit", "please", "request", "called_to"})
_LINKED_RELATIONS = frozenset({"by", "until", "before", "due"})
_ASKERS = word_set("does did is are was were can could will would should shall has had may")
_ASKERS_OR_VERBS = word_set("do have")
_PRONOUNS = word_set("i we you they")
_SUBJECTS = word_set(
    "i we you they he she it this that there these those your our their his her anyone anybody someone"
)


class Context(Record, frozen=True, kw_only=True):
    """What surrounds a message's sentences: the kinds of its parent, whether a bot wrote it, spans of people and
    calls.
    """

    parent_kinds: frozenset[str] = frozenset()
    is_bot: bool = False
    people: tuple[Span, ...] = ()
    calls: tuple[Span, ...] = ()


def add_place(cues: Cues, sentence: Sentence, values: list[Value], context: Context) -> None:
    """Cues of the sentence as a whole and of what it answers."""
    words = sentence.words
    if sentence.question or _is_inverted(words):
        cues["question"] = 0
    if "wh" in cues and cues["wh"] == 0:
        cues["asks"] = 0
    if values:
        if any(value.kind != "name" for value in values):
            cues["valued"] = 0
    elif _SETTLING.isdisjoint(cues):
        cues["empty"] = 0
    if not _ASKS.isdisjoint(context.parent_kinds):
        cues["answers"] = 0
    if context.is_bot:
        cues["bot"] = 0
    if len(words) <= _SHORT:
        cues["short"] = 0
    if len(words) <= 2 * _SHORT and _VERBAL.isdisjoint(cues):
        cues["fragment"] = 0
        answers = "answers" in cues or (context.parent_kinds and len(words) <= _TERSE)
        if answers and "valued" in cues:
            cues["brief_answer"] = 0
    if _SUBJECTIVE.isdisjoint(cues):
        cues["plain"] = 0
        if "valued" in cues and ("link" in cues or cues.keys() >= {"fragment", "rule"}):
            cues["settles"] = 0
    if "i" in cues and "stance" in cues and abs(cues["i"] - cues["stance"]) <= _NEAR:
        cues["my_stance"] = 0


def _is_inverted(words: tuple[str, ...]) -> bool:
    """Whether a sentence starts as a question does: "does it", "can you", "have they" (but not "do it")."""
    if len(words) < _PAIR:
        return False
    if words[0] in _ASKERS:
        return words[1] in _SUBJECTS
    return words[0] in _ASKERS_OR_VERBS and words[1] in _PRONOUNS


def add_people(cues: Cues, sentence: Sentence, context: Context) -> None:
    """Cues of who is named, who is spoken to, and what the first person does."""
    words = sentence.words
    named = bool(context.people) and any(sentence.holds(span) for span in context.people)
    called = bool(context.calls) and any(sentence.holds(span) for span in context.calls)
    if named and not called:
        cues["person"] = 0
    if "i" in cues:
        cues["me"] = 0
    if not named and "i" not in cues:
        cues["nobody"] = 0
    if called and ("to" in words or not _CALLING.isdisjoint(cues)):
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


def add_dates(cues: Cues, dates: list[DateNote]) -> None:
    """Cues of the dates in the sentence: a deadline is a date with "by", "until", "before" or "due"."""
    if not dates:
        cues["undated"] = 0
        return
    cues["dated"] = 0
    if any(date.relation in _LINKED_RELATIONS or date.text[:2].lower() == "eo" for date in dates):
        cues["deadline"] = 0
    if not _COMMITTING.isdisjoint(cues):
        cues["committed"] = 0
