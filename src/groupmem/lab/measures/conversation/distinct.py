"""Distinct-n: how many of the n-grams of a text are different ones.

Source: Li et al., "A Diversity-Promoting Objective Function for Neural Conversation Models" (2016). N-grams lie within
one message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

BLOCK_SIZE = 2_000
"""N-grams of a block. The measure falls with length, so conversations of different lengths are compared in blocks."""


def distinct_n(messages: Sequence[Sequence[str]], n: int) -> float | None:
    """Different n-grams of words over all n-grams, in [0, 1]; None where no message has n words."""
    grams = list(_ngrams(messages, n))
    return len(set(grams)) / len(grams) if grams else None


def distinct_in_blocks(messages: Sequence[Sequence[str]], n: int, size: int = BLOCK_SIZE) -> float | None:
    """The mean of distinct-n over consecutive blocks of `size` n-grams, the unfinished last one left out.

    None where the messages do not fill one block.
    """
    grams = list(_ngrams(messages, n))
    blocks = [grams[start : start + size] for start in range(0, len(grams) - size + 1, size)]
    return sum(len(set(block)) for block in blocks) / (size * len(blocks)) if blocks else None


def _ngrams(messages: Sequence[Sequence[str]], n: int) -> Iterator[tuple[str, ...]]:
    for message in messages:
        yield from zip(*(message[shift:] for shift in range(n)), strict=False)
