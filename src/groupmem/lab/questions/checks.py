"""What no accepted question may be, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from groupmem.lab.measures.values import ValueFinder
from groupmem.lab.questions.author import RefusedError
from groupmem.lab.questions.records import Draft, Wording
from groupmem.text import words
from groupmem.types import Message

SAME_WORDS = 0.85
"""Two questions of one asker that share this part of their words (Jaccard) are the same question."""
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|must)\b", re.I
)


def check_wording(wording: Wording, finder: ValueFinder, messages: Mapping[str, Message]) -> None:
    """Raises RefusedError where the evidence is missing or the words give the answer away."""
    for draft in wording:
        if draft.gold is not None and not draft.needs:
            raise RefusedError("no_evidence", "the answer rests on no message")
        unknown = [name for name in draft.evidence if name not in messages]
        if unknown:
            raise RefusedError("no_evidence", f"there is no message {unknown[0]}")
        if leaks(draft, finder):
            raise RefusedError("answer_in_question", draft.answer)


def leaks(draft: Draft, finder: ValueFinder) -> bool:
    """Whether the question itself holds the answer."""
    return draft.gold is not None and finder.holds(as_message(draft.text), draft.gold)


def as_message(text: str) -> Message:
    """A question as a text that values can be looked for in; it has no time, so no date is resolved against one."""
    return Message(id="question", channel="", author="", text=text)


def is_yes_no(text: str) -> bool:
    """Whether a yes or a no would answer it."""
    last = re.split(r"(?<=[.!?])\s+", text.removesuffix(" (YYYY-MM-DD)").strip())[-1]
    return _YES_NO.match(last) is not None


class Seen:
    """The questions that are accepted, to keep a second one of the same words out."""

    def __init__(self) -> None:
        self._words: list[tuple[str, frozenset[str]]] = []

    def has_like(self, wording: Wording) -> bool:
        """Whether one of the drafts is, for its asker, a question that was seen."""
        return any(
            asker == draft.asker and _likeness(known, frozenset(words(draft.text))) >= SAME_WORDS
            for draft in wording
            for asker, known in self._words
        )

    def add(self, wording: Iterable[Draft]) -> None:
        self._words += [(draft.asker, frozenset(words(draft.text))) for draft in wording]


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(len(left | right), 1)
