"""Postings: which entries hold a term, how often, and how long they are. One immutable segment per range of entries.

An entry is one state of one message as it is indexed; its number is never used again. Terms are kept as 64-bit hashes,
so an index file holds no word of any message. Of a posting are kept the entry (32 bits) and one code of 16 bits that
holds the count (up to 15) and the length of the entry (up to 4,095 terms): with it the weight of a posting is one look
into a table, whatever average length the reader's scope has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import BEGINS_PHRASE, BEGINS_SENTENCE
from groupmem.memory.index.running import Marks, Running, build_running, join_running
from groupmem.memory.known import known_if_short

FIELDS = ("content", "context")
LENGTH_BITS = 12
LONGEST = (1 << LENGTH_BITS) - 1
MOST_COUNTED = 15

Entries = NDArray[np.uint32]
Mask = NDArray[np.bool_]
Terms = Sequence[str]
Hashes = NDArray[np.uint64]


@known_if_short(1 << 17)
def term_hash(term: str) -> int:
    """The number that stands for a term in an index file."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of one field, by term in the order of the hashes, then by entry.

    Term `i` has the hash `terms[i]` and the postings from `starts[i]` to `starts[i + 1]`. `lengths` holds the number of
    terms of each entry of the segment's range, 0 where the range has a gap.
    """

    terms: NDArray[np.uint64]
    starts: NDArray[np.int64]
    entries: Entries
    codes: NDArray[np.uint16]
    lengths: NDArray[np.uint16]

    def of_each(self, terms: Sequence[str]) -> list[tuple[int, slice]]:
        """Where the postings of these terms are: the number of each term that has some, and their place."""
        if not len(self.terms):
            return []
        wanted = np.fromiter(map(term_hash, terms), dtype=np.uint64, count=len(terms))
        places = np.minimum(np.searchsorted(self.terms, wanted), len(self.terms) - 1)
        held = np.flatnonzero(self.terms[places] == wanted)
        starts, ends = self.starts[places[held]], self.starts[places[held] + 1]
        found = zip(held.tolist(), starts.tolist(), ends.tolist(), strict=True)
        return [(number, slice(start, end)) for number, start, end in found]


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of the entries from `first` to `last`, and the running words of their own texts."""

    first: int
    last: int
    fields: Mapping[str, Postings]
    running: Running

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, as they are written to a file."""
        named = {
            f"{field}.{name}": getattr(postings, name)
            for field, postings in self.fields.items()
            for name in Postings.__slots__
        }
        running = {f"running.{name}": getattr(self.running, name) for name in Running.__slots__}
        return {"range": np.array([self.first, self.last], dtype=np.int64), **named, **running}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The segment whose `arrays` these are."""
        first, last = (int(number) for number in arrays["range"])
        fields = {field: Postings(*(arrays[f"{field}.{name}"] for name in Postings.__slots__)) for field in FIELDS}
        running = Running(*(arrays[f"running.{name}"] for name in Running.__slots__))
        return cls(first=first, last=last, fields=fields, running=running)


def build(entries: Sequence[int], documents: Sequence[tuple[Terms, ...]], marks: Marks | None = None) -> Segment:
    """A segment of `entries` (ascending, at least one), each with its terms for each of `FIELDS`.

    `marks` has a byte for each term of the first field (see `running`); without it the terms of an entry are one
    sentence of as many words.
    """
    numbers = np.array(entries, dtype=np.int64)
    sizes = [np.fromiter((len(each[place]) for each in documents), np.int64, len(documents)) for place in range(2)]
    hashes = [_hashes([each[place] for each in documents]) for place in range(2)]
    fields = {field: _invert(numbers, hashes[place], sizes[place]) for place, field in enumerate(FIELDS)}
    terms = fields["content"].terms
    running = build_running(
        np.searchsorted(terms, hashes[0]),
        sizes[0],
        [_one_sentence(len(each[0])) for each in documents] if marks is None else marks,
        numbers,
        terms,
    )
    return Segment(first=entries[0], last=entries[-1], fields=fields, running=running)


def merge(segments: Sequence[Segment], alive: Mask) -> Segment:
    """One segment of several in ascending order, without the entries that are not `alive` (a mask over all entries)."""
    first, last = segments[0].first, segments[-1].last
    fields = {field: _join([segment.fields[field] for segment in segments], segments, alive) for field in FIELDS}
    terms = fields["content"].terms
    ends = [*(segment.first for segment in segments[1:]), last + 1]
    running = join_running(
        [segment.running for segment in segments],
        [alive[segment.first : end] for segment, end in zip(segments, ends, strict=True)],
        [np.searchsorted(terms, segment.fields["content"].terms) for segment in segments],
        terms,
    )
    return Segment(first=first, last=last, fields=fields, running=running)


def _one_sentence(size: int) -> bytes:
    return bytes([BEGINS_PHRASE | BEGINS_SENTENCE, *[0] * (size - 1)][:size])


def _hashes(documents: Sequence[Terms]) -> Hashes:
    """The hashes of all terms of all documents, in their order."""
    return np.fromiter(map(term_hash, chain.from_iterable(documents)), dtype=np.uint64)


def _invert(entries: NDArray[np.int64], hashes: Hashes, sizes: NDArray[np.int64]) -> Postings:
    total = len(hashes)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    order = np.argsort(hashes, kind="stable")  # owners ascend already, so they ascend within each term
    hashes, owners = hashes[order], owners[order]
    new_term = np.diff(hashes, prepend=hashes[:1] + np.uint64(1)) != 0
    firsts = np.flatnonzero(new_term | (np.diff(owners, prepend=-1) != 0))
    counts = np.diff(firsts, append=total)
    starts = np.flatnonzero(new_term[firsts])
    lengths = np.zeros(int(entries[-1] - entries[0]) + 1, dtype=np.uint16)
    lengths[entries - entries[0]] = np.minimum(sizes, LONGEST)
    held = entries[owners[firsts]]
    codes = np.minimum(counts, MOST_COUNTED) << LENGTH_BITS | lengths[held - entries[0]]
    return Postings(
        terms=hashes[firsts[starts]],
        starts=np.append(starts, len(firsts)).astype(np.int64),
        entries=held.astype(np.uint32),
        codes=codes.astype(np.uint16),
        lengths=lengths,
    )


def _join(parts: Sequence[Postings], segments: Sequence[Segment], alive: Mask) -> Postings:
    """Puts the postings of each term one after the other: the parts ascend, so each term's entries ascend as well."""
    kept = [alive[part.entries] for part in parts]
    counts = [_per_term(part, keep) for part, keep in zip(parts, kept, strict=True)]
    terms = np.unique(np.concatenate([part.terms[count > 0] for part, count in zip(parts, counts, strict=True)]))
    places = [np.searchsorted(terms, part.terms) for part in parts]
    sizes = np.zeros(len(terms), dtype=np.int64)
    for place, count in zip(places, counts, strict=True):
        sizes[place[count > 0]] += count[count > 0]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entries = np.empty(int(starts[-1]), dtype=np.uint32)
    codes = np.empty(int(starts[-1]), dtype=np.uint16)
    filled = starts[:-1].copy()
    for part, keep, place, count in zip(parts, kept, places, counts, strict=True):
        some = count > 0
        size, to = count[some], filled[place[some]]
        target = np.arange(int(size.sum())) + np.repeat(to - (np.cumsum(size) - size), size)
        entries[target], codes[target] = part.entries[keep], part.codes[keep]
        filled[place[some]] += size
    return Postings(terms=terms, starts=starts, entries=entries, codes=codes, lengths=_lengths(parts, segments, alive))


def _per_term(part: Postings, keep: Mask) -> NDArray[np.int64]:
    before = np.concatenate([[0], np.cumsum(keep)])
    return np.diff(before[part.starts])


def _lengths(parts: Sequence[Postings], segments: Sequence[Segment], alive: Mask) -> NDArray[np.uint16]:
    first = segments[0].first
    lengths = np.zeros(segments[-1].last - first + 1, dtype=np.uint16)
    for part, segment in zip(parts, segments, strict=True):
        here = slice(segment.first - first, segment.last - first + 1)
        lengths[here] = part.lengths * alive[segment.first : segment.last + 1]
    return lengths
