"""The vocabulary of a role, word by word and without an index: what `View.counterparts` has to give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import log

from groupmem.memory.analysis import BEGINS_PHRASE, BEGINS_SENTENCE, Word, content_terms, running_words
from groupmem.memory.store.base import Counterpart, Named

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Spoken:
    """A message: its text, in which role, and in which part of the conversation it was written."""

    text: str
    role: str | None
    part: object


class PlainVocabulary:
    """See the module."""

    def __init__(self, talk: Sequence[Spoken], role: str) -> None:
        self.talk, self.role = talk, role
        self.words = [running_words(each.text) for each in talk]
        self.held = [set(content_terms(each.text)) for each in talk]
        self.most = min(1000, max(40, 0.02 * len(talk)))
        self.pairs: dict[Phrase, list[tuple[int, int]]] = {}
        for number, words in enumerate(self.words):
            for place, (one, other) in enumerate(pairwise(words)):
                if not other.marks & BEGINS_SENTENCE:
                    self.pairs.setdefault((one.term, other.term), []).append((number, place))

    def named(self, text: str) -> list[Named]:
        words = running_words(text)
        found: list[Named] = []
        taken: set[int] = set()
        for size in (3, 2, 1):
            for start in range(len(words) - size + 1):
                inside = words[start : start + size]
                if any(word.marks & BEGINS_PHRASE for word in inside[1:]) or taken & {*range(start, start + size)}:
                    continue
                others = self.counterparts(tuple(word.term for word in inside))
                if others:
                    taken |= {*range(start, start + size)}
                    written = " ".join(word.text for word in inside)
                    uses, own_uses = self.count(tuple(word.term for word in inside))
                    found.append(Named(phrase=written, uses=uses, own_uses=own_uses, counterparts=others))
        return found

    def counterparts(self, phrase: Phrase) -> tuple[Counterpart, ...]:
        count, own = self.count(phrase)
        expected = count * sum(each.role == self.role for each in self.talk) / max(len(self.talk), 1)
        if count > self.most or own <= expected + expected**0.5:
            return ()
        strength: dict[Phrase, dict[Phrase, tuple[float, str]]] = {}
        for number, end in self.latest(phrase):
            for frame, filler, value, written in self.fillers(number, end, len(phrase)):
                known = strength.setdefault(filler, {})
                if value > known.get(frame, (0.0, ""))[0]:
                    known[frame] = (value, written)
        total = {filler: sum(value for value, _ in frames.values()) for filler, frames in strength.items()}
        strong = [filler for filler in total if total[filler] >= 0.75]
        apart = [each for each in strong if not within(each, phrase) and not within(phrase, each)]
        found = []
        for filler in apart:
            parts = [each for each in apart if len(each) < len(filler) and within(each, filler)]
            theirs, ours = self.count(filler)
            if theirs > self.most or odds(count, own) - odds(theirs, ours) < 1:
                continue
            if not any(total[part] >= 0.999 * total[filler] for part in parts):
                written = max(strength[filler].values())[1]
                found.append(Counterpart(phrase=written, strength=total[filler], uses=theirs, own_uses=ours))
        best = sorted(found, key=lambda each: -each.strength)[:4]
        return tuple(each for each in best if not any(word.isdigit() for word in each.phrase.split()))

    def uses(self, phrase: Phrase) -> Iterator[tuple[int, int | None]]:
        """The messages that have a phrase, and where it ends first; None where it is part of an identifier."""
        for number, words in enumerate(self.words):
            ends = [end for end in range(len(words)) if self.stands(words, end, phrase)]
            if ends or (len(phrase) == 1 and phrase[0] in self.held[number]):
                yield number, ends[0] if ends else None

    @staticmethod
    def stands(words: Sequence[Word], end: int, phrase: Phrase) -> bool:
        inside = words[max(0, end - len(phrase) + 1) : end + 1]
        return tuple(word.term for word in inside) == phrase and not any(
            word.marks & BEGINS_SENTENCE for word in inside[1:]
        )

    def count(self, phrase: Phrase) -> tuple[int, int]:
        numbers = [number for number, _ in self.uses(phrase)]
        return len(numbers), sum(self.talk[number].role == self.role for number in numbers)

    def latest(self, phrase: Phrase) -> list[tuple[int, int]]:
        own = [(number, end) for number, end in self.uses(phrase) if self.talk[number].role == self.role][-40:]
        return [(number, end) for number, end in own if end is not None]

    def tail(self, number: int, end: int) -> list[str]:
        behind = takewhile(lambda word: not word.marks & BEGINS_SENTENCE, self.words[number][end + 1 : end + 7])
        return [word.term for word in behind]

    def fillers(self, number: int, end: int, size: int) -> Iterator[tuple[Phrase, Phrase, float, str]]:
        """Frame, what stands in it elsewhere, how much that says, and how it is written."""
        tail = self.tail(number, end)
        frame = tuple(tail[:2])
        places = self.pairs.get(frame, [])
        if len(tail) < 2 or len(places) > 60:
            return
        rarity = log(len(self.talk) / len(places)) / log(max(len(self.talk), 2))
        words = self.words[number]
        first = words[end - size + 1]
        for other, place in places:
            theirs = self.words[other]
            if theirs[place].marks & BEGINS_SENTENCE or (other, place - 1) == (number, end):
                continue
            both = zip(tail, self.tail(other, place - 1), strict=False)
            matched = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
            near = 1.0 if self.talk[other].part == self.talk[number].part else 0.5
            before = None if first.marks & BEGINS_SENTENCE else words[end - size].term
            starts = {bonus: self.start(theirs, place, before, bonus, first) for bonus in (0.0, 0.5)}
            for bonus, start in starts.items():
                if start is not None:
                    filler = theirs[start:place]
                    value = rarity * (matched - 1 + bonus) * near
                    yield frame, tuple(w.term for w in filler), value, " ".join(w.text for w in filler)

    @staticmethod
    def start(theirs: Sequence[Word], place: int, before: str | None, bonus: float, first: Word) -> int | None:
        """Where what stands before `place` begins: where a phrase does, or (with the bonus) behind the same word."""
        for start in range(place - 1, max(-1, place - 4), -1):
            if not bonus and theirs[start].marks & BEGINS_PHRASE:
                return start if first.marks & BEGINS_PHRASE else None
            if theirs[start].marks & BEGINS_SENTENCE:
                return None
            if bonus and before is not None and start and theirs[start - 1].term == before:
                return start
        return None


def within(inner: Phrase, outer: Phrase) -> bool:
    return any(outer[at : at + len(inner)] == inner for at in range(len(outer) - len(inner) + 1))


def odds(count: int, own: int) -> float:
    return log((own + 0.5) / (count - own + 0.5))
