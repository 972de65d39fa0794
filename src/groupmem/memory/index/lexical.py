"""The lexical index: exact BM25 over the entries that a mask lets through.

Everything that BM25 knows of a collection (how many entries there are, how many hold a term, how long they are on
average) is counted over the mask, so that entries outside of it change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import LONGEST, MOST_COUNTED, Mask, Segment
from groupmem.memory.index.running_text import RunningText

K1 = 1.2
B = 0.75

Hits = tuple[NDArray[np.uint32], NDArray[np.uint16]]
"""Entries that hold a term, and their codes."""


class Extent(NamedTuple):
    """How large a part of a field is: its entries, and the terms in them."""

    entries: int
    terms: int


class LexicalIndex:
    """Segments in ascending order of their entries; none overlaps another."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = [segment for segment in segments if segment.last >= segment.first]

    def extent(self, field: str, mask: Mask) -> Extent:
        """How many entries there are in `mask`, and how many terms they hold together."""
        terms = sum(
            int(segment.fields[field].lengths[mask[segment.first : segment.last + 1]].sum(dtype=np.int64))
            for segment in self._segments
        )
        return Extent(entries=int(np.count_nonzero(mask)), terms=terms)

    def running(self, mask: Mask) -> RunningText:
        """The running words of the entries of `mask`."""
        return RunningText(self._segments, mask)

    def dead(self, alive: Mask) -> int:
        """How many entries still have postings although they are not `alive`."""
        return sum(
            int(np.count_nonzero(segment.fields["context"].lengths[~alive[segment.first : segment.last + 1]]))
            for segment in self._segments
        )

    def entries(self, field: str, term: str, mask: Mask) -> NDArray[np.uint32]:
        """The entries of `mask` that hold a term, ascending."""
        found = [np.empty(0, dtype=np.uint32)]
        for segment in self._segments:
            postings = segment.fields[field]
            found += [postings.entries[place] for _, place in postings.of_each([term])]
        held = np.concatenate(found)
        return held[mask[held]]

    def frequencies(self, field: str, terms: Sequence[str], mask: Mask) -> NDArray[np.int64]:
        """How many entries of `mask` hold each term."""
        counts = np.zeros(len(terms), dtype=np.int64)
        for segment in self._segments:
            postings = segment.fields[field]
            for number, place in postings.of_each(terms):
                counts[number] += np.count_nonzero(mask[postings.entries[place]])
        return counts

    def scores(self, field: str, weights: Mapping[str, float], mask: Mask, within: Extent) -> NDArray[np.float32]:
        """The BM25 score of every entry, 0 outside of `mask`, which has this extent.

        A term scores weight * ln(1 + (N - n + .5) / (n + .5)) * tf / (tf + k1 * (1 - b + b * length / average)), after
        Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), in Lucene's variant.
        """
        scores = np.zeros(len(mask), dtype=np.float32)
        count, table = within.entries, _code_weights(within.terms / max(within.entries, 1))
        visible: list[list[Hits]] = [[] for _ in weights]
        for segment in self._segments:
            postings = segment.fields[field]
            for number, place in postings.of_each(list(weights)):
                entries = postings.entries[place]
                seen = mask[entries]
                visible[number].append((entries[seen], postings.codes[place][seen]))
        for weight, hits in zip(weights.values(), visible, strict=True):
            held = sum(len(entries) for entries, _ in hits)
            gain = np.float32(weight * math.log(1 + (count - held + 0.5) / (held + 0.5)))
            for entries, codes in hits:
                scores[entries] += gain * table[codes]
        return scores


@lru_cache(maxsize=64)
def _code_weights(average: float) -> NDArray[np.float32]:
    """What a posting of each code weighs where entries hold `average` terms."""
    counts = np.arange(MOST_COUNTED + 1)[:, None]
    lengths = np.arange(LONGEST + 1)[None, :]
    weights = counts / (counts + K1 * (1 - B + B / (average or 1) * lengths))
    return weights.astype(np.float32).ravel()
