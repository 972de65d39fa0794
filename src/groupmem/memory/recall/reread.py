"""The second look: the notes of the best candidates, read against what is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import Values
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage

_TELLS = re.compile(r"(?<![.!…。！])[.!…。！]++[\"'”’)\]*_]*+(?:\s|$)")
_QUESTION_MARKS = ("?", "？")


def reread(asked: Asked, messages: Sequence[StoredMessage], scores: Values, weights: Weights) -> dict[str, Values]:
    """Further components for messages with the given scores."""

    def those(holds: Callable[[StoredMessage], bool]) -> Values:
        return np.array([holds(each) for each in messages], dtype=np.float64)

    found = {"asking": -weights.asking * those(lambda each: only_asks(each.message.text))}
    if "when" in asked.asks:
        found["asked_date"] = weights.asked_date * scores * those(lambda each: bool(each.notes.dates))
    if "who" in asked.asks:
        found["asked_person"] = weights.asked_person * scores * those(_speaks_of_somebody)
    if asked.dates:
        found["same_date"] = weights.same_date * those(lambda each: _names_day_of(asked, each))
    if asked.quotes:
        found["quoted"] = weights.quoted * those(lambda each: _says_one(asked.quotes, each.message.text))
    return found


def only_asks(text: str) -> bool:
    """Whether a message has questions and nothing else."""
    return text.rstrip(" \t\n\"'”’)]*_").endswith(_QUESTION_MARKS) and not _TELLS.search(text)


def _speaks_of_somebody(each: StoredMessage) -> bool:
    """Whether a message names a person, other than in order to call them."""
    return any(mention.person is not None and not mention.addressed for mention in each.notes.mentions)


def _names_day_of(asked: Asked, each: StoredMessage) -> bool:
    """Whether a message names days that the question names: both are resolved, however they are written."""
    named = {(date.start, date.end) for date in each.notes.dates}
    return any((date.start, date.end) in named for date in asked.dates)


def _says_one(quotes: Sequence[str], text: str) -> bool:
    folded = text.casefold()
    return any(quote.casefold() in folded for quote in quotes)
