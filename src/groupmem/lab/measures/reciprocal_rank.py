"""Reciprocal rank."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.arguments import known_gold


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / rank of the first gold id, ranks from 1, over all that was returned; 0 where none was.

    Its mean over questions is MRR. It depends, slightly, on how many ids a system was asked for: compare only means
    that were measured at the same depth. Source: Voorhees, The TREC-8 Question Answering Track Report (1999).
    """
    wanted = known_gold(gold)
    return next((1 / rank for rank, found in enumerate(ranked, start=1) if found in wanted), 0.0)
