"""The vocabulary of roles: by which phrases others call what people of one role call by theirs.

Two phrases are taken for names of one thing where both hold: they stand in the same frames (`groupmem.memory.frames`),
and they share out who says them, so that people of one role say the one and hardly the other. Whoever has words for
both means two things by them. Linguists call such forms in complementary distribution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.frames import Filler, Phrase, Uses, fillers
from groupmem.memory.index.running import Places
from groupmem.memory.index.running_text import RunningText

LEAST_CONTRAST = 1.0
"""By how much the odds (their logarithm) that it is the role who says it are lower for a phrase of others."""

_MOST_USES, _USED_SHARE, _FEW_USES = 1000, 0.02, 40  # what is said more often is nobody's own word
_MOST_READ = 40  # uses of a phrase by the role that are looked at
_MOST_WEIGHED = 16  # phrases for one of a question whose users are counted
_AS_MUCH = 0.999


class Speakers(Protocol):
    """Who said what stands in an entry, and in which part of a conversation."""

    def roles(self, entries: NDArray[np.int64]) -> NDArray[np.int32]: ...
    def whereabouts(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number for the part of a conversation, the same for what belongs together."""
        ...


class Alike(NamedTuple):
    """A phrase of others for one of a role's: how much says so (1 is one rare frame in common), where it stands (its
    first word), how often it was said and how often by that role."""

    words: Phrase
    strength: float
    place: int
    uses: int
    own_uses: int


class Own(NamedTuple):
    """How often a phrase was said, how often by the role, and what others say for it."""

    uses: int
    own_uses: int
    others: list[Alike]


@dataclass(frozen=True, slots=True)
class _Said:
    """How often each of some phrases was said, and by the role; and its uses by the role, one row for each: the number
    of the phrase, the entry, and the place of its first word, -1 for a phrase of one word."""

    counts: NDArray[np.int64]
    own: NDArray[np.int64]
    owners: NDArray[np.intp]
    entries: NDArray[np.int64]
    places: Places

    @property
    def odds(self) -> NDArray[np.float64]:
        """The logarithm of the odds that it is somebody of the role who says it."""
        found: NDArray[np.float64] = np.log((self.own + 0.5) / (self.counts - self.own + 0.5))
        return found


class RoleVocabulary:
    """What a role's phrases correspond to, learnt from the `count` entries that are seen."""

    def __init__(self, text: RunningText, speakers: Speakers, role: int, count: int) -> None:
        self._text = text
        self._speakers = speakers
        self._role = role
        self._count = count
        self._most = min(_MOST_USES, max(_FEW_USES, _USED_SHARE * count))

    def alike(self, phrases: Sequence[Phrase], share: float) -> list[Own]:
        """For each phrase its uses and those of others for it, the likeliest first.

        `share` is that of the role among all messages: what it does not say more often than that, by more than chance,
        is no word of its own, and nothing is given for it.
        """
        said = self._said(phrases)
        expected = share * said.counts
        known = (said.counts <= self._most) & (said.own > expected + np.sqrt(expected))
        uses = self._latest(phrases, said, known)
        if not len(uses.owners):
            return [Own(0, 0, []) for _ in phrases]
        found = fillers(self._text, uses, self._count, self._speakers.whereabouts)
        by_owner: defaultdict[int, list[Filler]] = defaultdict(list)
        for each in found:
            by_owner[each.owner].append(each)
        likely = [each for number in sorted(by_owner) for each in _likely(phrases[number], by_owner[number])]
        alike = self._contrasted(said, likely, len(phrases))
        return [Own(*each) for each in zip(said.counts.tolist(), said.own.tolist(), alike, strict=True)]

    def _contrasted(self, said: _Said, likely: Sequence[Filler], count: int) -> list[list[Alike]]:
        """Those that the role hardly says, by the number of its own phrase."""
        alike: list[list[Alike]] = [[] for _ in range(count)]
        theirs, odds = self._said([each.words for each in likely]), said.odds
        for each, other, uses, own in zip(
            likely, theirs.odds, theirs.counts.tolist(), theirs.own.tolist(), strict=True
        ):
            if uses <= self._most and odds[each.owner] - other >= LEAST_CONTRAST:
                alike[each.owner].append(Alike(each.words, each.strength, each.place, uses, own))
        return alike

    def _said(self, phrases: Sequence[Phrase]) -> _Said:
        sizes = np.array([len(phrase) for phrase in phrases], dtype=np.int64)
        single, longer = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
        words = np.array([phrase[0] for phrase in phrases if len(phrase) == 1], dtype=np.uint64)
        owners, entries = self._text.holders(words)
        rows = [(single[owners], entries, np.full(len(owners), -1))]
        if len(longer):
            owners, places, entries = self._text.phrases([phrase for phrase in phrases if len(phrase) > 1])
            _, first = np.unique(owners * (int(entries.max(initial=0)) + 1) + entries, return_index=True)
            rows.append((longer[owners[first]], entries[first], places[first]))
        of, held, at = (np.concatenate(column) for column in zip(*rows, strict=True))
        counts = np.bincount(of, minlength=len(phrases))
        rare = counts[of] <= self._most
        of, held, at = of[rare], held[rare], at[rare]
        mine = self._speakers.roles(held) == self._role
        own = np.bincount(of[mine], minlength=len(phrases))
        return _Said(counts, own, of[mine], held[mine], at[mine])

    def _latest(self, phrases: Sequence[Phrase], said: _Said, known: NDArray[np.bool_]) -> Uses:
        """The latest uses by the role of the phrases that are known."""
        order = np.lexsort((said.entries, said.owners))
        owners = said.owners[order]
        behind = np.searchsorted(owners, owners, side="right") - np.arange(len(owners))
        chosen = order[(behind <= _MOST_READ) & known[owners]]
        owners, places = said.owners[chosen], said.places[chosen].copy()
        single = np.flatnonzero(places < 0)
        words = np.array([phrases[number][0] for number in owners[single].tolist()], dtype=np.uint64)
        places[single] = self._text.first_in(words, said.entries[chosen][single])
        sizes = np.array([len(phrases[number]) for number in owners.tolist()], dtype=np.int64)
        whole = places >= 0
        return Uses(owners=owners[whole], places=places[whole], sizes=sizes[whole])


def _likely(phrase: Phrase, found: Sequence[Filler]) -> list[Filler]:
    """The strongest that are neither part of the phrase nor hold it, nor have a part that says as much."""
    ordered = sorted(found, key=lambda each: (-each.strength, each.words))
    apart = [each for each in ordered if not _within(phrase, each.words) and not _within(each.words, phrase)]
    apart = apart[:_MOST_WEIGHED]
    return [each for each in apart if not any(_says_it_all(other, each) for other in apart)]


def _says_it_all(inner: Filler, outer: Filler) -> bool:
    """Whether a part of a phrase stands in as many frames: then the rest does not belong to it."""
    return (
        inner.strength >= _AS_MUCH * outer.strength
        and len(inner.words) < len(outer.words)
        and _within(inner.words, outer.words)
    )


def _within(inner: Phrase, outer: Phrase) -> bool:
    size = len(inner)
    return any(outer[start : start + size] == inner for start in range(len(outer) - size + 1))
