"""What every measure asks of its arguments."""

from __future__ import annotations

from collections.abc import Collection


def known_gold(gold: Collection[str]) -> frozenset[str]:
    """The distinct gold ids. Raises ValueError where there are none: nothing to find is not nothing found."""
    if not gold:
        raise ValueError("no gold evidence: retrieval cannot be measured on this question, leave it out")
    return frozenset(gold)


def known_depth(k: int) -> int:
    """The number of ranks that count. Raises ValueError below 1."""
    if k < 1:
        raise ValueError(f"k is {k}: at least one rank must count")
    return k
