"""Whether a message answers: whether what it says about the matter is of the sort that is asked for.

A question names a matter ("the letter for the EU tenants") and asks for something about it (a day, a person, a state).
A message can be all about the matter and not answer. So each sentence is looked at: how many of the question's words it
has, weighted by how rare they are, and whether it holds something of the sort.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.reading import Sentence, read
from groupmem.memory.notes.records import Notes
from groupmem.memory.recall.question import Asked
from groupmem.memory.store.base import NO_ROW, StoredMessage, View

Sort = Literal["date", "approval", "owner", "status", "blocker", "amount", "rule", "person"]

_READ = 6000  # characters of a message that are looked at
_SHORT = 8  # words of a sentence that leans on what it answers
_LEANING = 0.8  # share that words count which stand only in what is answered

_ASKED: dict[Sort, str] = {
    "date": r"when|(?:which|what) (?:\w+ ){0,2}?(?:date|day|time|year|month|week|hour|evening|morning|order)s?|"
    r"last possible day|how long do|deadlines?",
    "approval": r"whose (?:yes|okay|approval|sign\w*)|who (?:gave|approved|signed|cleared|okayed)|"
    r"put (?:their|his|her) name under|which of us put",
    "owner": r"who (?:looks after|owns|is responsible|takes care|has|handles|runs|leads)|whose (?:job|desk|hands|task)|"
    r"in whose hands|on whose desk",
    "status": r"where do (?:we|i|you) stand|(?:what|which) (?:shape|state|status)|how far (?:along|did)|status of|"
    r"last (?:said|reported) to be|how is .{0,40} (?:going|doing)",
    "blocker": r"what (?:keeps|is holding|holds|blocks|is blocking|has to come in)|for want of|"
    r"what .{0,20}?wait(?:s|ing) for",
    "amount": r"how (?:many|much|high|large|big|heavy|wide|often|far|old|long|fast|full)|"
    r"(?:which|what) (?:number|figure|value|amount|size|share|percentage|price|version)",
    "rule": r"(?:which|what) (?:rule|requirement)|what is (?:demanded|required)",
    "person": r"who(?:se|m)?|which (?:person|customer|colleague|of us|one of us)",
}
_SAID: dict[str, str] = {
    "approval": r"approv\w+|sign(?:ed|s)?[ -]?off|signed|signature|cleared|okay\w*|blessing|go-ahead|yes|green light|"
    r"accepted|agreed",
    "owner": r"own\w*|take[ns]?|took|taking|mine|me|i'll|hands?|belongs?|responsible|lead\w*|runs?|carr\w+|"
    r"volunteer\w*|lies with|lands? with|goes to|desk|baby|assigned|yours|handle\w*",
    "status": r"not (?:yet )?started|in progress|(?:in|under|out for) review|being \w+ed|half[ -]\w+|on track|at risk|"
    r"(?:is|are|was|were|still) (?:planned|done|finished|completed?|ready|live|open|closed|pending|late|detected|"
    r"mitigated|escalated|achieved|drafted|delayed)|in the \w+ (?:test )?round|returned with|waiting for sign-off|"
    r"ready to|\d+ ?(?:%|percent) (?:done|complete)",
    "blocker": r"wait(?:ing)? (?:for|on)|block\w*|stuck|held up|hang\w* on|need[s]?|without|until|missing|lack\w*|"
    r"depend\w*|bottleneck|stands still|can't continue|cannot",
    "rule": r"must|has to|have to|needs? to|required|at least|at most|may not|shall|rule|condition",
}
_ASKED_PATTERNS = {sort: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for sort, pattern in _ASKED.items()}
_SAID_PATTERNS = {sort: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for sort, pattern in _SAID.items()}
_AMOUNTS = frozenset({"number", "percent", "money", "size", "duration", "version"})
_SELF = frozenset({"i", "i'll", "i'm", "i've", "me", "mine", "my"})
_PRONOUNS = frozenset({"it", "its", "they", "them", "that", "this", "those", "these"})


@dataclass(frozen=True, slots=True)
class Fit:
    """Shares of the question's words, by rarity: `answer` in the sentence that has most of them of those that hold what
    is asked for, `whole` in the whole message."""

    answer: float
    whole: float


class Reader:
    """Reads messages against one question."""

    def __init__(self, view: View, asked: Asked) -> None:
        self._sort = sort_of(asked.text)
        terms = asked.matter
        counts = view.frequencies("content", terms)
        rarity = [math.log(1 + (view.count - held + 0.5) / (held + 0.5)) for held in counts.tolist()]
        total = sum(rarity) or 1.0
        self._shares: Mapping[str, float] = dict(zip(terms, (value / total for value in rarity), strict=True))
        self._terms = cache(_terms)  # many a message is one sentence, or answers another one of the best

    def support(self, messages: Sequence[StoredMessage], parents: Mapping[int, str], scores: Sequence[float]) -> float:
        """How well the best messages answer, best first with their scores; `parents` are the texts of what they answer,
        by row."""
        answered = {row: self._terms(text[:_READ]) for row, text in parents.items()}
        fits = [self.fit(each, answered.get(_row(each.parent), frozenset())) for each in messages]
        return support(fits, scores)

    def fit(self, each: StoredMessage, answered: frozenset[str]) -> Fit:
        """How well a message fits; `answered` are the words of what it answers."""
        answer = 0.0
        before: frozenset[str] = frozenset()
        for sentence in read(each.message.text[:_READ]).sentences:
            own = self._terms(sentence.text)
            if not sentence.question:
                share = self._share(sentence, own, before, answered)
                if share > answer and holds(self._sort, sentence, each.notes):
                    answer = share
            before = own
        return Fit(answer, self._of(self._terms(each.message.text[:_READ])))

    def _share(
        self, sentence: Sentence, own: frozenset[str], before: frozenset[str], answered: frozenset[str]
    ) -> float:
        """A sentence with a pronoun is about what the one before it is about, or what the message answers."""
        refers = not _PRONOUNS.isdisjoint(sentence.words)
        near = own | before if refers else own
        share = self._of(near)
        if refers or len(sentence.words) < _SHORT:
            share = max(share, _LEANING * self._of(near | answered))
        return share

    def _of(self, terms: frozenset[str]) -> float:
        return sum(share for term, share in self._shares.items() if term in terms)


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _row(parent: int | None) -> int:
    return NO_ROW if parent is None else parent


def sort_of(question: str) -> Sort | None:
    """The sort of answer that the last sentence of a question asks for: what it asks first."""
    sentences = [sentence.text for sentence in read(question).sentences] or [question]
    for text in (sentences[-1], question):
        found = [(match.start(), sort) for sort, pattern in _ASKED_PATTERNS.items() if (match := pattern.search(text))]
        if found:
            return min(found, key=lambda pair: pair[0])[1]
    return None


def holds(sort: Sort | None, sentence: Sentence, notes: Notes) -> bool:
    """Whether a sentence holds something of a sort."""
    if sort is None:
        return True
    if sort == "date":
        return any(sentence.holds(date.span) for date in notes.dates)
    if sort == "amount":
        return any(value.kind in _AMOUNTS and sentence.holds(value.span) for value in notes.values)
    said = _SAID_PATTERNS.get(sort)
    if said is not None and not said.search(sentence.text):
        return False
    return sort not in ("owner", "approval", "person") or _names_somebody(sentence, notes)


def _names_somebody(sentence: Sentence, notes: Notes) -> bool:
    if not _SELF.isdisjoint(sentence.words):
        return True
    return any(
        mention.person is not None and not mention.addressed and sentence.holds(mention.span)
        for mention in notes.mentions
    )


def support(fits: Sequence[Fit], scores: Sequence[float]) -> float:
    """How well the evidence answers, in [0, 1]; `fits` and `scores` are those of the best messages, best first.

    Most of it is how much of the matter the best answering sentence has, against the message that has most of it: where
    the matter is known and nothing of the sort is said about it, the answer is not in memory.
    """
    most = max((fit.whole for fit in fits), default=0.0)
    if not most:
        return 0.0
    best = max(fit.answer for fit in fits)
    answering = [fit.answer > best / 2 for fit in fits[:10]]
    strength = sum(scores[:5]) / max(len(scores[:5]), 1)
    return 0.75 * min(1.0, best / most) + 0.1 * sum(answering) / len(answering) + 0.15 * min(1.0, strength / 2)
