"""The ceiling of recall."""

from __future__ import annotations

from collections.abc import Collection

from groupmem.lab.measures.arguments import known_depth, known_gold


def recall_ceiling(gold: Collection[str], k: int) -> float:
    """The greatest recall@k that any system can have on a question: min(k, |gold|) / |gold|.

    Its mean is printed beside recall for sets whose questions rest on many messages (a meeting's span has hundreds).
    Source: follows from the definition of recall@k.
    """
    count = len(known_gold(gold))
    return min(known_depth(k), count) / count
