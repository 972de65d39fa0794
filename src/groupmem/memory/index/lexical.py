"""The lexical index: exact BM25 over the entries that a mask lets through.

Everything that BM25 knows of a collection (how many entries there are, how many hold a term, how long they are on
average) is counted over the mask, so that entries outside of it change nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.postings import LONGEST, MOST_COUNTED, Mask, Segment
from groupmem.memory.index.running_text import RunningText

K1 = 1.2
B = 0.75


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

    def under(self, mask: Mask, extent: Callable[[str], Extent]) -> Lookup:
        """What can be looked up under a mask, of which `extent` gives the extent of each field."""
        return Lookup(self._segments, mask, extent)


class Held(NamedTuple):
    """Where one term stands: its rarity, and for each segment the entries that hold it and what each posting weighs."""

    rarity: float
    hits: list[tuple[NDArray[np.intp], NDArray[np.float32]]]


class Lookup:
    """The index under one mask. What it says of a term is looked up once: a question, its parts and the searches that
    go on from messages found ask about the same words again and again."""

    def __init__(self, segments: Sequence[Segment], mask: Mask, extent: Callable[[str], Extent]) -> None:
        self._segments = segments
        self._mask = mask
        self._extent = extent
        self._counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._held: defaultdict[str, dict[str, Held]] = defaultdict(dict)

    def frequencies(self, field: str, terms: Sequence[str]) -> NDArray[np.int64]:
        """How many entries of the mask hold each term."""
        known = self._counts[field]
        missing = [term for term in terms if term not in known]
        if missing:
            counts = [0] * len(missing)
            for segment in self._segments:
                postings = segment.fields[field]
                for number, place in postings.of_each(missing):
                    counts[number] += int(np.count_nonzero(self._mask[postings.entries[place]]))
            known.update(zip(missing, counts, strict=True))
        return np.array([known[term] for term in terms], dtype=np.int64)

    def scores(self, field: str, weights: Mapping[str, float]) -> NDArray[np.float32]:
        """The BM25 score of every entry, 0 outside of the mask.

        A term scores weight * ln(1 + (N - n + .5) / (n + .5)) * tf / (tf + k1 * (1 - b + b * length / average)), after
        Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), in Lucene's variant.
        """
        scores = np.zeros(len(self._mask), dtype=np.float32)
        for (rarity, hits), weight in zip(self._of_each(field, weights), weights.values(), strict=True):
            gain = np.float32(weight * rarity)
            for entries, values in hits:
                np.add.at(scores, entries, gain * values)
        return scores

    def full_score(self, field: str, weights: Mapping[str, float]) -> float:
        """The score of an entry of average length that holds every term once."""
        held = self._of_each(field, weights)
        return sum(weight * each.rarity for each, weight in zip(held, weights.values(), strict=True)) / (1 + K1)

    def _of_each(self, field: str, terms: Iterable[str]) -> list[Held]:
        wanted, known = list(terms), self._held[field]
        missing = [term for term in wanted if term not in known]
        if missing:
            known.update(zip(missing, self._look_up(field, missing), strict=True))
        return [known[term] for term in wanted]

    def _look_up(self, field: str, terms: Sequence[str]) -> Iterator[Held]:
        count, held = self._extent(field)
        table = _code_weights(held / max(count, 1))
        hits: list[list[tuple[NDArray[np.intp], NDArray[np.float32]]]] = [[] for _ in terms]
        for segment in self._segments:
            postings = segment.fields[field]
            for number, place in postings.of_each(terms):
                entries = postings.entries[place].astype(np.intp)
                seen = self._mask[entries]
                hits[number].append((entries[seen], table[postings.codes[place][seen]]))
        for each in hits:
            size = sum(len(entries) for entries, _ in each)
            yield Held(math.log(1 + (count - size + 0.5) / (size + 0.5)), each)


@lru_cache(maxsize=64)
def _code_weights(average: float) -> NDArray[np.float32]:
    """What a posting of each code weighs where entries hold `average` terms."""
    counts = np.arange(MOST_COUNTED + 1)[:, None]
    lengths = np.arange(LONGEST + 1)[None, :]
    weights = counts / (counts + K1 * (1 - B + B / (average or 1) * lengths))
    return weights.astype(np.float32).ravel()
