"""Lexical and dense retrieval together, by the ranks that each gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.bm25 import LexicalRanker, lucene
from groupmem.lab.systems.dense import EMBEDDING, DenseRanker, embedding_of
from groupmem.lab.systems.options import Option
from groupmem.lab.systems.ranked import RankedSystem, Ranker, Ranking, best_first
from groupmem.types import Message

ASKER = Option(
    name="asker",
    default="off",
    summary="whether the asker's id is part of the lexical query",
    choices=("on", "off"),
)
FUSION_K = 60
FUSION_DEPTH = 100


class FusedRanker:
    """Reciprocal rank fusion: a message scores the sum of 1 / (60 + rank) over the first 100 of each ranking it is in.

    Ranks count from 1, ties are in message order. Source: Cormack, Clarke and Büttcher, SIGIR 2009. The ranker whose
    `add` can fail comes first, so that adding the same messages once more repeats nothing in the other.
    """

    def __init__(self, rankers: Sequence[Ranker]) -> None:
        self._rankers = rankers
        self._size = 0

    def add(self, messages: Sequence[Message]) -> None:
        for ranker in self._rankers:
            ranker.add(messages)
        self._size += len(messages)

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        scores = np.zeros(self._size)
        for ranker in self._rankers:
            positions = ranker.rank(question, asker, FUSION_DEPTH).positions
            scores[positions] += 1 / (FUSION_K + 1 + np.arange(len(positions)))
        best = best_first(scores, limit)
        best = best[scores[best] > 0]
        return Ranking(best, scores[best])


class Hybrid(RankedSystem):
    """Reciprocal rank fusion of BM25 (Lucene's form) and cosine; both look for the question alone."""

    options = (EMBEDDING, ASKER)

    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        lexical = LexicalRanker(lucene(k1=1.5, b=0.75), asker=options["asker"] == "on")
        return FusedRanker([DenseRanker(embedding_of(setting, "hybrid")), lexical])
