"""Frames: the words around a phrase, and what else stands in them.

"The [log ageing] test on one host" and "the [evidence archive] test on one host" are two phrases in one frame: the
same words stand behind both, and before both a phrase begins, or the same word stands. A frame counts the more, the
rarer it is, the longer it is the same, and where both were said in the same part of a conversation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import BEGINS_PHRASE
from groupmem.memory.index.running import Hashes, Places
from groupmem.memory.index.running_text import RunningText, Windows

LONGEST_PHRASE = 3
LEAST_STRENGTH = 0.75
"""Of what stands in common frames, from which on it is given; 1 is one frame that is as rare as can be."""

_PAIR = 2  # words behind a phrase that make a frame
_TAIL = 6  # words behind a phrase that are compared
_LEFT = 0.5  # of a further word behind it: the same word before it
_ELSEWHERE = 0.5  # share of a frame that was said in another part of the conversation
_MOST_ALIKE = 60  # a frame that stands in more places tells nothing
_LAST = LONGEST_PHRASE  # the column of a window in which the last word of the phrase stands
_SPREAD = np.uint64(0x9E3779B97F4A7C15)

Phrase = tuple[int, ...]
"""The hashes of its words."""

Whereabouts = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""A number for the part of a conversation in which entries are, the same for what belongs together."""


class Filler(NamedTuple):
    """What stands where the phrase number `owner` could: its words, how much says so, and where it stands."""

    owner: int
    words: Phrase
    strength: float
    place: int


@dataclass(frozen=True, slots=True)
class Uses:
    """Where phrases were said, one row for each use: the number of the phrase, its first word, its length in words."""

    owners: NDArray[np.int64]
    places: Places
    sizes: NDArray[np.int64]


def fillers(text: RunningText, uses: Uses, count: int, whereabouts: Whereabouts) -> list[Filler]:
    """What else stands in the frames of these uses, among `count` entries; in no order."""
    ends = uses.places + uses.sizes - 1
    own = text.around(ends, LONGEST_PHRASE, _TAIL)
    tails = _same_tails(text, own, max(count, 2))
    elsewhere = tails.places != ends[tails.uses]
    use, others, entries, rarity = (column[elsewhere] for column in tails)
    around = text.around(others, LONGEST_PHRASE, _TAIL)
    matched = _matched(own.words[use], around.words)
    pairs = _Pairs(Windows(own.words[use], own.marks[use]), around, uses.sizes[use])
    told = matched >= _PAIR
    parts = whereabouts(text.entries(ends))[use], whereabouts(entries)
    strength = rarity * np.where(parts[0] == parts[1], 1.0, _ELSEWHERE)
    found = _Found([], [], [], [], [])
    for bonus, lengths in ((0.0, pairs.to_phrase_start()), (_LEFT, pairs.to_same_word())):
        rows = np.flatnonzero(told & (lengths > 0))
        found.add(pairs, rows, lengths[rows], uses.owners[use[rows]], strength[rows] * (matched[rows] - 1 + bonus))
    return found.summed(around, others)


class _Tails(NamedTuple):
    """Where the two words behind a phrase stand elsewhere: the number of the use, the place before them, their entry,
    and how rare they are, in [0, 1] (1 for a pair that stands in one place only)."""

    uses: NDArray[np.intp]
    places: Places
    entries: NDArray[np.int64]
    rarity: NDArray[np.float64]


def _same_tails(text: RunningText, own: Windows, count: int) -> _Tails:
    first, second = own.words[:, _LAST + 1], own.words[:, _LAST + 2]
    whole = np.flatnonzero((first != 0) & (second != 0))
    _, one, inverse = np.unique(_mixed(first[whole], second[whole]), return_index=True, return_inverse=True)
    found = text.pairs(first[whole][one], second[whole][one])
    counts = np.bincount(found.owners, minlength=len(one))
    order = np.argsort(found.owners, kind="stable")
    starts = np.cumsum(counts) - counts
    sizes = (counts * (counts <= _MOST_ALIKE))[inverse]
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rarity = np.log(count / np.maximum(counts, 1)) / math.log(count)
    chosen = order[np.repeat(starts[inverse], sizes) + inside]
    return _Tails(
        uses=np.repeat(whole, sizes),
        places=found.places[chosen] - 1,
        entries=found.entries[chosen],
        rarity=np.repeat(rarity[inverse], sizes),
    )


def _matched(first: Hashes, second: Hashes) -> NDArray[np.int64]:
    """How many words behind the phrase are the same."""
    tail = slice(_LAST + 1, None)
    same = (first[:, tail] == second[:, tail]) & (first[:, tail] != 0)
    found: NDArray[np.int64] = np.logical_and.accumulate(same, axis=1).sum(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Uses of phrases beside places with the same words behind them, one row for each; `sizes` are the words of the
    phrases."""

    own: Windows
    around: Windows
    sizes: NDArray[np.int64]

    def to_phrase_start(self) -> NDArray[np.int64]:
        """The length of what stands there, back to where a phrase begins; 0 where none does, or where the phrase itself
        is the end of a longer one."""
        begins = self.own.marks[np.arange(len(self.sizes)), _LAST + 1 - self.sizes] & BEGINS_PHRASE != 0
        starts = (self.around.marks & BEGINS_PHRASE != 0) & (self.around.words != 0)
        found: NDArray[np.int64] = _length(starts[:, 1 : _LAST + 1]) * begins
        return found

    def to_same_word(self) -> NDArray[np.int64]:
        """The same, back to the word that stands before the phrase."""
        before = self.own.words[np.arange(len(self.sizes)), _LAST - self.sizes]
        return _length((self.around.words[:, :_LAST] == before[:, None]) & (before != 0)[:, None])

    def frames(self, rows: NDArray[np.intp]) -> Hashes:
        """A hash of the two words behind the phrase."""
        return _mixed(self.own.words[rows, _LAST + 1], self.own.words[rows, _LAST + 2])

    def phrases(self, rows: NDArray[np.intp], lengths: NDArray[np.int64]) -> Hashes:
        """A hash of the words that stand there, so many of each."""
        found = np.zeros(len(rows), dtype=np.uint64)
        for back in range(LONGEST_PHRASE):
            mixed = _mixed(found, self.around.words[rows, _LAST - back])
            found = np.where(lengths > back, mixed, found)
        return found


class _Found(NamedTuple):
    """Fillers by their frames, column by column: rows, lengths, owners, hashes of owner and phrase, hashes of these
    with the frame, strengths."""

    rows: list[NDArray[np.intp]]
    lengths: list[NDArray[np.int64]]
    owners: list[NDArray[np.int64]]
    keys: list[Hashes]
    strengths: list[NDArray[np.float64]]

    def add(
        self,
        pairs: _Pairs,
        rows: NDArray[np.intp],
        lengths: NDArray[np.int64],
        owners: NDArray[np.int64],
        strengths: NDArray[np.float64],
    ) -> None:
        """Adds what stands in `rows` of the pairs."""
        phrase = _mixed(pairs.phrases(rows, lengths), owners.astype(np.uint64))
        self.rows.append(rows)
        self.lengths.append(lengths)
        self.owners.append(owners)
        self.keys.append(np.stack([phrase, _mixed(phrase, pairs.frames(rows))]))
        self.strengths.append(strengths)

    def summed(self, around: Windows, others: Places) -> list[Filler]:
        """For each phrase the sum over its frames, of each of which the best counts."""
        keys, strengths = np.concatenate(self.keys, axis=1), np.concatenate(self.strengths)
        order = np.argsort(-strengths, kind="stable")
        _, first = np.unique(keys[1][order], return_index=True)
        best = order[np.sort(first)]  # of each frame the best, the strongest first
        _, phrase, inverse = np.unique(keys[0][best], return_index=True, return_inverse=True)
        total = np.bincount(inverse, weights=strengths[best], minlength=len(phrase))
        strong = np.flatnonzero(total >= LEAST_STRENGTH)
        at = best[phrase[strong]]
        rows, lengths = np.concatenate(self.rows)[at], np.concatenate(self.lengths)[at]
        owners = np.concatenate(self.owners)[at]
        return [
            Filler(owner, tuple(around.words[row, _LAST + 1 - length : _LAST + 1].tolist()), strength, place)
            for owner, row, length, strength, place in zip(
                owners.tolist(),
                rows.tolist(),
                lengths.tolist(),
                total[strong].tolist(),
                (others[rows] - lengths + 1).tolist(),
                strict=True,
            )
        ]


def _length(starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """From columns for phrases of three, two and one word: the shortest that is one, 0 for none."""
    shortest = np.argmax(starts[:, ::-1], axis=1) + 1
    found: NDArray[np.int64] = np.where(starts.any(axis=1), shortest, 0)
    return found


def _mixed(first: Hashes, second: Hashes) -> Hashes:
    """One hash of two, which depends on their order."""
    found: Hashes = (first ^ first >> np.uint64(29)) * _SPREAD + second
    return found
