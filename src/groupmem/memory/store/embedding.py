"""Texts to vectors, in batches; one text that a model cannot take does not cost the others their vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.errors import ModelError
from groupmem.memory.index.chunks import chunks
from groupmem.memory.index.vectors import Bytes, quantise
from groupmem.models.base import EmbeddingModel

_SHORTEST = 32  # characters
_FAILURES = 3


def embed_passages(model: EmbeddingModel, texts: Sequence[str]) -> tuple[NDArray[np.int64], Bytes]:
    """The vectors of all texts in one array, and of each vector the place of its text; a text without words has none.

    Where the model refuses a batch, its pieces are tried one by one, and one that is refused by itself is tried in its
    first half, quarter, ... Raises ModelError when several in a row are refused: then it is not the texts.
    """
    pieces = [(place, piece) for place, text in enumerate(texts) for piece in chunks(text) if piece.strip()]
    if not pieces:
        return np.empty(0, dtype=np.int64), np.empty((0, model.dimensions), dtype=np.int8)
    places = np.array([place for place, _ in pieces], dtype=np.int64)
    try:
        vectors = model.embed([piece for _, piece in pieces], kind="passage")
    except ModelError:
        if len(pieces) == 1:
            raise
        one_by_one = list(_one_by_one(model, [piece for _, piece in pieces]))
        kept = [number for number, vector in enumerate(one_by_one) if vector is not None]
        places = places[kept]
        vectors = np.array([vector for vector in one_by_one if vector is not None], dtype=np.float32)
    return places, quantise(vectors.reshape(len(places), model.dimensions))


def _one_by_one(model: EmbeddingModel, pieces: Sequence[str]) -> Iterator[NDArray[np.float32] | None]:
    refused = 0
    for piece in pieces:
        vector, error = _shortened(model, piece)
        refused = refused + 1 if vector is None else 0
        if error is not None and refused >= min(_FAILURES, len(pieces)):
            raise error
        yield vector


def _shortened(model: EmbeddingModel, piece: str) -> tuple[NDArray[np.float32] | None, ModelError | None]:
    """The vector of a piece, or of as much of its beginning as the model takes."""
    while True:
        try:
            return model.embed([piece], kind="passage")[0], None
        except ModelError as error:
            if len(piece) < 2 * _SHORTEST:
                return None, error
            piece = piece[: len(piece) // 2]
