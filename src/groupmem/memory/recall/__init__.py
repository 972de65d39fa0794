"""Recall over a view of the store."""

from groupmem.memory.recall.explain import Assisted, Explanation, Reasons, Understood
from groupmem.memory.recall.recaller import Recaller
from groupmem.memory.recall.weights import ALL_PARTS, WEIGHTS, Parts, Weights

__all__ = ["ALL_PARTS", "WEIGHTS", "Assisted", "Explanation", "Parts", "Reasons", "Recaller", "Understood", "Weights"]
