"""The second look: the notes of the best candidates, read against what is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import Values
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import StoredMessage

_TELLS = re.compile(r"[.!…。！]+[\"'”’)\]*_]*(?:\s|$)")
_QUESTION_MARKS = ("?", "？")


def reread(asked: Asked, messages: Sequence[StoredMessage], scores: Values, weights: Weights) -> dict[str, Values]:
    """Further components for messages with the given scores."""
    found = {"asking": -weights.asking * np.array([only_asks(each.message.text) for each in messages], dtype=float)}
    if "when" in asked.asks:
        dated = np.array([bool(each.notes.dates) for each in messages], dtype=float)
        found["asked_date"] = weights.asked_date * dated * scores
    return found


def only_asks(text: str) -> bool:
    """Whether a message has questions and nothing else."""
    return text.rstrip(" \t\n\"'”’)]*_").endswith(_QUESTION_MARKS) and not _TELLS.search(text)
