"""All evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.arguments import known_depth, known_gold


def all_evidence_at_k(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 where every gold id is among the first k, else 0: the reader was given all that it needs.

    That is recall@k = 1, and the measure for questions that need several messages at once. Source: the exact match of
    supporting facts of Yang et al., HotpotQA (EMNLP 2018), here without a penalty for further messages.
    """
    return float(known_gold(gold).issubset(ranked[: known_depth(k)]))
