"""Recall."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.arguments import known_depth, known_gold


def recall_at_k(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold ids that are among the first k: |gold ∩ first k| / |gold|.

    Above k gold ids it cannot reach 1; see `recall_ceiling`. Source: Manning, Raghavan and Schütze, Introduction to
    Information Retrieval (2008), section 8.3, cut at rank k.
    """
    wanted = known_gold(gold)
    return len(wanted.intersection(ranked[: known_depth(k)])) / len(wanted)
