"""The nearest neighbours of entities, exact, with numpy: the package's own search needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

Found = dict[str, tuple[list[str], list[float]]]


def retrieve_knn(
    query_ids: Sequence[str],
    key_ids: Sequence[str],
    query_vecs: np.ndarray,
    key_vecs: np.ndarray,
    k: int,
    query_batch_size: int,
    key_batch_size: int,
    lowest: float,
) -> Found:
    """For each query the ids of the `k` keys of highest cosine similarity, best first, and the similarities.

    Takes the arguments of the package's function of this name. Similarities below `lowest` are left out: the package
    stops at the first of them, and lists of 2,047 neighbours for every entity need not be held.
    """
    if not len(key_vecs):
        return {}
    queries, keys = _unit_rows(query_vecs), _unit_rows(key_vecs)
    found: Found = {}
    for start in range(0, len(queries), query_batch_size):
        part = queries[start : start + query_batch_size]
        rows, columns, scores = _near(part, keys, key_batch_size, lowest)
        order = np.lexsort((columns, -scores, rows))
        bounds = np.searchsorted(rows[order], np.arange(len(part) + 1))
        for query_id, (first, last) in zip(query_ids[start:], pairwise(bounds), strict=False):
            best = order[first:last][:k]
            found[query_id] = ([key_ids[column] for column in columns[best]], scores[best].tolist())
    return found


def _near(
    queries: np.ndarray, keys: np.ndarray, key_batch_size: int, lowest: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of queries, rows of keys, and similarities of all pairs that reach `lowest`."""
    rows, columns, scores = [], [], []
    for start in range(0, len(keys), key_batch_size):
        similarity = queries @ keys[start : start + key_batch_size].T
        row, column = np.nonzero(similarity >= lowest)
        rows.append(row)
        columns.append(column + start)
        scores.append(similarity[row, column])
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(scores)


def _unit_rows(vectors: np.ndarray) -> np.ndarray:
    rows = np.asarray(vectors, dtype=np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
