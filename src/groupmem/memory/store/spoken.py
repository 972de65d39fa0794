"""The vocabulary of a role, as a view shows it: phrases by their words instead of their hashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.analysis import BEGINS_PHRASE, Word, running_words
from groupmem.memory.frames import LONGEST_PHRASE
from groupmem.memory.index.postings import term_hash
from groupmem.memory.index.running_text import RunningText
from groupmem.memory.store.base import Counterpart, Named
from groupmem.memory.store.reader import Reader
from groupmem.memory.store.sight import Sight
from groupmem.memory.vocabulary import Alike, RoleVocabulary

_MOST_SHOWN = 4


class Spoken:
    """What people of each role call things, in the messages of one view."""

    def __init__(self, sight: Sight, reader: Reader) -> None:
        self._sight = sight
        self._reader = reader
        self._text: RunningText = sight.state.lexical.running(sight.entries)

    def roles(self, entries: NDArray[np.int64]) -> NDArray[np.int32]:
        """The labels of the roles in which entries were written."""
        return self._sight.spoken_roles(self._sight.state.row_of[entries])

    def whereabouts(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number for the phase, or else the topic, in the channel of each entry."""
        columns, rows = self._sight.state.columns, self._sight.state.row_of[entries]
        part = np.where(columns.phase[rows] >= 0, columns.phase[rows], columns.topic[rows]).astype(np.int64)
        return (columns.channel[rows].astype(np.int64) << 32) + part + 1

    def named(self, text: str, role: str) -> list[Named]:
        """See `base.View.counterparts`."""
        if role not in self._sight.roles.counts:
            return []
        number = self._sight.roles.number(list(self._sight.roles.counts).index(role))
        words = running_words(text)
        spans = list(_phrases(words))
        hashes = [term_hash(word.term) for word in words]
        count = len(self._sight.rows)
        vocabulary = RoleVocabulary(self._text, self, number, count)
        share = self._sight.roles.counts[role] / count
        found = vocabulary.alike([tuple(hashes[start:end]) for start, end in spans], share)
        taken: set[int] = set()
        named: list[Named] = []
        for (start, end), own in sorted(zip(spans, found, strict=True), key=lambda pair: pair[0][0] - pair[0][1]):
            others = self._written(own.others[:_MOST_SHOWN]) if taken.isdisjoint(range(start, end)) else ()
            if others:
                taken.update(range(start, end))
                phrase = _joined(words[start:end])
                named.append(Named(phrase=phrase, uses=own.uses, own_uses=own.own_uses, counterparts=others))
        return named

    def _written(self, found: Sequence[Alike]) -> tuple[Counterpart, ...]:
        """As they are written in the place where the frame is most alike; those that are numbers are left out."""
        if not found:
            return ()
        places = np.array([each.place for each in found])
        rows = self._sight.state.row_of[self._text.entries(places)]
        texts = self._reader.texts(rows)
        written = []
        for each, row, offset in zip(found, rows.tolist(), self._text.offsets(places).tolist(), strict=True):
            words = running_words(texts.get(row, ""))[offset : offset + len(each.words)]
            if [term_hash(word.term) for word in words] == list(each.words) and not any(map(_is_number, words)):
                phrase = _joined(words)
                written.append(
                    Counterpart(phrase=phrase, strength=each.strength, uses=each.uses, own_uses=each.own_uses)
                )
        return tuple(written)


def _phrases(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Where the phrases of a text stand: up to three words with no function word between them."""
    for start in range(len(words)):
        yield start, start + 1
        for end in range(start + 2, min(start + LONGEST_PHRASE, len(words)) + 1):
            if words[end - 1].marks & BEGINS_PHRASE:
                break
            yield start, end


def _joined(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _is_number(word: Word) -> bool:
    return word.term.isdigit()
