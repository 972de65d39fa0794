"""Episodic memory: a model writes down the details of every exchange; they are searched, and the exchange is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupmem.lab.systems.light.asking import Asker, side_by_side
from groupmem.lab.systems.light.pairs import Pair
from groupmem.models.base import EmbeddingModel, Vectors

DETAIL_TOKENS = 1_024
"""Cap on what is written down of one exchange."""


class EpisodicMemory:
    """Exchanges by the meaning of what was written down of them; exact search."""

    def __init__(self, asker: Asker, embedding: EmbeddingModel) -> None:
        self._asker = asker
        self._embedding = embedding
        self._vectors: list[Vectors] = []
        self.pairs: list[Pair] = []
        self.details: list[str] = []

    def add(self, pairs: Sequence[Pair]) -> None:
        """One chat call an exchange. Raises what the models raise; nothing is taken in then."""
        details = side_by_side(self._details, pairs)
        if details:
            self._vectors.append(self._embedding.embed(details, kind="passage"))
            self.pairs += pairs
            self.details += details

    def search(self, question: str, count: int) -> list[tuple[Pair, float]]:
        """At most `count` exchanges with their cosines, the nearest first, ties in the order they came in."""
        if not self.pairs or not question.strip():
            return []
        query = self._embedding.embed([question], kind="query")[0]
        scores = np.concatenate(self._vectors) @ query
        order = np.argsort(-scores, kind="stable")[:count]
        return [(self.pairs[index], float(scores[index])) for index in order]

    def _details(self, pair: Pair) -> str:
        """What was written down; the exchange itself where the model wrote nothing."""
        quoted = f"{pair.history}\n{pair.text}"
        reply = self._asker.ask("episode", quoted, max_tokens=DETAIL_TOKENS, history=pair.history, exchange=pair.text)
        return reply.text.strip() or pair.text
