"""Leak."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groupmem.lab.measures.arguments import known_depth


def leak_at_k(ranked: Sequence[str], hidden: Collection[str], k: int) -> float:
    """Number of the first k ids that the asker may not read, divided by k: |hidden ∩ first k| / k.

    k times the mean is the mean number of leaked messages a question. The divisor is k, not the number of ids returned,
    so that one leaked message weighs the same in every system. 0 is the only good value. It needs no gold evidence.
    Source: this project.
    """
    return len(set(hidden).intersection(ranked[: known_depth(k)])) / k
