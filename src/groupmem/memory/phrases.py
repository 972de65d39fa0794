"""What one message repeats of another, word for word, and what it puts aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import NamedTuple

from groupmem.memory.analysis import STOP_TERMS, word_term
from groupmem.memory.known import known_if_short
from groupmem.memory.languages import word_set
from groupmem.memory.notes.cues import cues_of
from groupmem.memory.notes.reading import Sentence, read
from groupmem.memory.notes.subjects import value_key
from groupmem.memory.store.base import Noted

MEASURES = frozenset({"date", "duration", "number", "percent", "money", "size", "version"})
_FUNCTION_WORD = 0.5  # what a function word within a repeated phrase counts
_BEFORE, _AFTER = 2, 3  # words before and after a phrase in which it can be put aside
_AWAY = word_set("not no instead than from over drop forget scrap without")
_GONE = word_set("out gone over dead off")
_MOST_READY = 4096


class Said:
    """A message made ready for comparison; what is not asked for is not made.

    `values` are its measures and `terms` its content words, as noted; `lines` its sentences.
    """

    def __init__(self, noted: Noted) -> None:
        self._noted = noted
        self.terms = frozenset(noted.notes.terms)
        self.measures = [value for value in noted.notes.values if value.kind in MEASURES]
        self.values = frozenset(map(value_key, self.measures))

    @cached_property
    def lines(self) -> tuple[Sentence, ...]:
        return tuple(sentence for sentence in read(self._noted.message.text).sentences if sentence.words)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(word for line in self.lines for word in line.words)

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Where each word stands."""
        places: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            places.setdefault(word, []).append(place)
        return places

    @cached_property
    def replaced(self) -> frozenset[str]:
        """The values that it says are replaced."""
        return frozenset(value for subject in self._noted.notes.subjects for value in subject.replaced)

    def given(self, line: Sentence) -> frozenset[str]:
        """The measures in a sentence."""
        return frozenset(value_key(value) for value in self.measures if line.holds(value.span))

    def holding(self, phrase: Sequence[str]) -> Set[str]:
        """The cues of the sentence that holds the words of a phrase; of all sentences where none does."""
        for line in self.lines:
            if phrase and set(phrase) <= set(line.words):
                return shown(line)
        return {cue for line in self.lines for cue in shown(line)}


class Phrase(NamedTuple):
    """A run of words that stands in two messages, how much it says, and whether the first puts it aside."""

    weight: float
    words: tuple[str, ...]
    aside: bool


_NONE = Phrase(0.0, (), False)
_ready: dict[int, tuple[Noted, Said]] = {}


def said(noted: Noted) -> Said:
    """A message made ready; the latest ones of a conversation are compared over and over."""
    known = _ready.get(id(noted))  # the entry keeps the message alive, so that no other can have its id
    if known is None:
        if len(_ready) >= _MOST_READY:
            _ready.clear()
        known = _ready[id(noted)] = noted, Said(noted)
    return known[1]


@lru_cache(maxsize=1 << 12)
def shown(line: Sentence) -> frozenset[str]:
    """The cues in a sentence, and whether it asks."""
    return frozenset(cues_of(line)) | ({"question"} if line.question else frozenset())


@known_if_short(1 << 14)
def _says(word: str) -> bool:
    """Whether a word says something by itself."""
    return len(word) > 1 and word_term(word) not in STOP_TERMS


def repeated(line: Sentence, other: Said, known: Mapping[str, Sequence[int]] | None = None) -> Phrase:
    """The run of words of a line that stands in another message as well and says most, apart from `known` words."""
    best, at = _NONE, 0
    words, places = line.words, other.places
    while at < len(words):
        size = 0
        for place in places.get(words[at], ()):
            size = max(size, _run(words, at, other.words, place))
        if size:
            telling = sum(_says(word) and (known is None or word not in known) for word in words[at : at + size])
            weight = telling + _FUNCTION_WORD * (size - telling)
            if telling and weight > best.weight:
                best = Phrase(weight, words[at : at + size], _is_aside(words, at, at + size))
            at += size
        else:
            at += 1
    return best


def _run(words: Sequence[str], at: int, others: Sequence[str], place: int) -> int:
    size, most = 0, min(len(words) - at, len(others) - place)
    while size < most and words[at + size] == others[place + size]:
        size += 1
    return size


def _is_aside(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a line names what stands there as what no longer holds."""
    before, after = words[max(0, start - _BEFORE) : start], words[end : end + _AFTER]
    return not (_AWAY.isdisjoint(before) and _GONE.isdisjoint(after))
