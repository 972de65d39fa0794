"""Dense retrieval: cosine between the question and every message, exactly."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.errors import InputError
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.options import Option
from groupmem.lab.systems.ranked import RankedSystem, Ranker, Ranking, Scores, best_first
from groupmem.models.base import EmbeddingModel, Vectors
from groupmem.types import Message

EMBEDDING = Option(name="embedding", default="minilm", summary="the embedding model")
BLOCK_TEXTS = 4096
"""Texts that are embedded, kept and searched together: 6 MB of float32 at 384 dimensions."""


class DenseRanker:
    """Ranks by cosine, without the asker: a name in a dense query draws messages that merely say the name.

    Each distinct text is embedded once. That spares a chat's many "ok"s, and makes equal texts tie exactly.
    """

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._text_numbers: dict[str, int] = {}
        self._blocks: list[Vectors] = []
        self._numbers: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def add(self, messages: Sequence[Message]) -> None:
        """Takes further messages in; where the model fails nothing is taken in, and the call can be made again."""
        texts = [message.text for message in messages]
        fresh = [text for text in dict.fromkeys(texts) if text not in self._text_numbers]
        blocks = [self._embed(fresh[start : start + BLOCK_TEXTS]) for start in range(0, len(fresh), BLOCK_TEXTS)]
        self._blocks += blocks
        self._text_numbers.update(zip(fresh, itertools.count(len(self._text_numbers))))
        numbers = np.array([self._text_numbers[text] for text in texts], dtype=np.intp)
        self._numbers = np.concatenate([self._numbers, numbers])

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        if not question.strip():
            return Ranking(np.empty(0, dtype=np.intp), np.empty(0))
        query = self._model.embed([question], kind="query")[0]
        of_text: Scores = np.concatenate([block @ query for block in self._blocks]).astype(np.float64)
        scores = of_text[self._numbers]
        positions = best_first(scores, limit)
        return Ranking(positions, scores[positions])

    def _embed(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length; a blank text has nothing to embed, and the cosine of its row of zeros is 0."""
        vectors = np.zeros((len(texts), self._model.dimensions), dtype=np.float32)
        filled = [number for number, text in enumerate(texts) if text.strip()]
        if filled:
            vectors[filled] = self._model.embed([texts[number] for number in filled], kind="passage")
        return vectors


def embedding_of(setting: Setting, owner: str) -> EmbeddingModel:
    """The setting's embedding model. Raises InputError where there is none."""
    if setting.embedding is None:
        raise InputError(f"{owner} needs an embedding model, and its setting has none: open one, minilm for example")
    return setting.embedding


class Dense(RankedSystem):
    """Cosine of embeddings, message text alone against the question alone; exact search."""

    options = (EMBEDDING,)

    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        return DenseRanker(embedding_of(setting, "dense"))
