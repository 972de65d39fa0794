"""The measures of one question as the columns of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.all_evidence import all_evidence_at_k
from groupmem.lab.measures.hit import hit_at_k
from groupmem.lab.measures.leak import leak_at_k
from groupmem.lab.measures.ndcg import ndcg_at_k
from groupmem.lab.measures.recall import recall_at_k
from groupmem.lab.measures.reciprocal_rank import reciprocal_rank

RETRIEVAL_MEASURES = ("recall@5", "recall@10", "hit@10", "all@10", "mrr", "ndcg@10", "leak@10")
"""The columns, in the order in which tables show them."""


def retrieval_scores(ranked: Sequence[str], gold: Collection[str], hidden: Collection[str]) -> dict[str, float]:
    """Every measure that can be taken of one question, by its column.

    Without gold evidence (an abstention question, or a source that names none) that is the leak alone: the other
    columns are absent, not 0. `hidden` are ids that the asker may not read, whether they were returned or not.
    """
    leak = {"leak@10": leak_at_k(ranked, hidden, 10)}
    if not gold:
        return leak
    return {
        "recall@5": recall_at_k(ranked, gold, 5),
        "recall@10": recall_at_k(ranked, gold, 10),
        "hit@10": hit_at_k(ranked, gold, 10),
        "all@10": all_evidence_at_k(ranked, gold, 10),
        "mrr": reciprocal_rank(ranked, gold),
        "ndcg@10": ndcg_at_k(ranked, gold, 10),
        **leak,
    }
