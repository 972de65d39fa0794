"""Retrieval measures on ids: what a memory returned, against the messages that prove the answer.

`ranked` are message ids, best first, each once (`groupmem.types.passage_ids`), and `gold` the ids of the evidence. All
measures lie in [0, 1] and are for one question; a table shows their means over the questions that have evidence.
"""

from groupmem.lab.measures.all_evidence import all_evidence_at_k
from groupmem.lab.measures.ceiling import recall_ceiling
from groupmem.lab.measures.hit import hit_at_k
from groupmem.lab.measures.leak import leak_at_k
from groupmem.lab.measures.ndcg import ndcg_at_k
from groupmem.lab.measures.recall import recall_at_k
from groupmem.lab.measures.reciprocal_rank import reciprocal_rank
from groupmem.lab.measures.retrieval import RETRIEVAL_MEASURES, retrieval_scores

__all__ = [
    "RETRIEVAL_MEASURES",
    "all_evidence_at_k",
    "hit_at_k",
    "leak_at_k",
    "ndcg_at_k",
    "recall_at_k",
    "recall_ceiling",
    "reciprocal_rank",
    "retrieval_scores",
]
