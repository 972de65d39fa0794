"""What is known of a view beside its messages, as far as scoring needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.search import Values, among
from groupmem.memory.store.base import NO_ROW, Outline

_ASIDE = 0.6
"""What a message is about its author that speaks of somebody else ("Mira prefers mornings")."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Places of labels in the columns of an outline, and how near each topic's name is to the question.

    `topic_names` has a value in [0, 1] for each topic, in the order of `View.topics`; None without vectors.
    """

    authors: Mapping[str, int]
    roles: Mapping[str, int]
    channels: Mapping[str, int]
    phases: Mapping[str, int]
    spoken_of: Mapping[str, int]
    topic_names: NDArray[np.float32] | None

    def written_by(self, outline: Outline, people: frozenset[str]) -> Values:
        """1 for messages that one of these people wrote, else 0."""
        return among(outline.author, self.authors, people)

    def speaks_of(self, outline: Outline, people: frozenset[str]) -> Values:
        """1 for messages that speak of one of these people, or pass on what they said, else 0."""
        return among(outline.spoken_of, self.spoken_of, people)

    def concerns(self, outline: Outline, people: frozenset[str]) -> Values:
        """1 for messages that speak of one of these people, or that one of them wrote; less where that one speaks of
        somebody else; else 0."""
        speaks = self.speaks_of(outline, people)
        wrote = self.written_by(outline, people) * np.where(outline.spoken_of == NO_ROW, 1.0, _ASIDE)
        return np.maximum(speaks, wrote)
