"""Normalised discounted cumulative gain."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

from groupmem.lab.measures.arguments import known_depth, known_gold


def ndcg_at_k(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Gain of the first k, divided by the greatest that is possible; a gold id gains 1, any other 0.

    DCG@k = sum over ranks i of the first k that hold a gold id of 1 / log2(i + 1); the ideal is the same sum over the
    ranks 1 to min(k, |gold|). Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (TOIS
    2002), with binary gains and the discount log2(i + 1).
    """
    wanted = known_gold(gold)
    gain = sum(_discount(rank) for rank, found in enumerate(ranked[: known_depth(k)], start=1) if found in wanted)
    return gain / sum(_discount(rank) for rank in range(1, min(k, len(wanted)) + 1))


def _discount(rank: int) -> float:
    return 1 / log2(rank + 1)
