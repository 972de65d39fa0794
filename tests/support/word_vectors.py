"""An embedding for tests: no weights, and a geometry that is known."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from groupmem.models.base import Vectors
from groupmem.text import words


class WordVectors:
    """An embedding without a model: each word has a seeded direction, a text is the direction of their sum.

    `calls` keeps every list of texts that was embedded.
    """

    name = "word-vectors"
    dimensions = 512

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        self.calls.append(list(texts))
        sums = np.array([np.sum([_direction(word) for word in words(text) or [""]], axis=0) for text in texts])
        return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)


def _direction(word: str) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=WordVectors.dimensions)
