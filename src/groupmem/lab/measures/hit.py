"""Hit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.arguments import known_depth, known_gold


def hit_at_k(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 where at least one gold id is among the first k, else 0.

    Also called success@k. Source: the measure `success` of trec_eval, the programme of the TREC conferences.
    """
    return float(not known_gold(gold).isdisjoint(ranked[: known_depth(k)]))
