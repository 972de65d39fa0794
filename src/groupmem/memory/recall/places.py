"""Where a question places what it asks for: the channels and the phases that it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groupmem.memory.notes.reading import Span

_WORD = re.compile(r"[^\W_]+")
_QUOTES = "\"“”'‘’«»"
_BEFORE_PHASE = re.compile(
    r"(?:\b(?:in|during|for|from|of|at|within)\s+)?(?:\bthe\s+)?(?:\b(?:phase|stage|milestone|step)\s+)?[\"“'‘«]?$",
    re.IGNORECASE,
)
_BEFORE_CHANNEL = re.compile(
    r"\b(?:in|on|at|from|inside|over in|over at)\s+(?:the\s+)?(?:(?:channel|room|project)\s+)?[\"“'‘«#]?$|#$",
    re.IGNORECASE,
)
_AFTER_PHASE = re.compile(r"[\"”'’»]?(?:\s+(?:phase|stage|milestone))?\s*,?", re.IGNORECASE)
_AFTER_CHANNEL = re.compile(r"[\"”'’»]?(?:\s+(?:channel|room|project))?\s*,?", re.IGNORECASE)
_SAYS_SO = re.compile(r"phase|stage|milestone|step|channel|room|project|#", re.IGNORECASE)


class Place(NamedTuple):
    """A label at a place of the question; `span` includes the words that only introduce it.

    `certain` where the question says that it is a phase or a channel; else its words may be part of what is asked.
    """

    label: str
    span: Span
    certain: bool


class Labels:
    """Labels by the words that they consist of."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for label in labels:
            words = tuple(_WORD.findall(label.casefold()))
            if words:
                self._by_first[words[0]].append((words, label))
        for known in self._by_first.values():
            known.sort(key=lambda pair: -len(pair[0]))

    def find(self, text: str) -> Iterator[tuple[str, Span]]:
        """The labels that stand in a text, the longest at each place."""
        words = list(_WORD.finditer(text))
        folded = [word.group().casefold() for word in words]
        place = 0
        while place < len(words):
            for wanted, label in self._by_first.get(folded[place], ()):
                if tuple(folded[place : place + len(wanted)]) == wanted:
                    yield label, (words[place].start(), words[place + len(wanted) - 1].end())
                    place += len(wanted) - 1
                    break
            place += 1


def phases_in(text: str, labels: Labels) -> list[Place]:
    """The phases that a question names."""
    return [_place(text, label, span, _BEFORE_PHASE, _AFTER_PHASE) for label, span in labels.find(text)]


def channels_in(text: str, labels: Labels) -> list[Place]:
    """The channels that a question names, written as they are: "in Finder" is one, "the finder" is not."""
    return [
        _place(text, label, span, _BEFORE_CHANNEL, _AFTER_CHANNEL)
        for label, span in labels.find(text)
        if text[slice(*span)] == label and _BEFORE_CHANNEL.search(text[: span[0]])
    ]


def _place(text: str, label: str, span: Span, before: re.Pattern[str], after: re.Pattern[str]) -> Place:
    introduced, followed = before.search(text[: span[0]]), after.match(text, span[1])
    start = introduced.start() if introduced else span[0]
    end = followed.end() if followed else span[1]
    quoted = text[span[0] - 1 : span[0]] in set(_QUOTES) and span[0] > 0
    around = text[start : span[0]] + text[span[1] : end]
    return Place(label, (start, end), quoted or bool(_SAYS_SO.search(around)))
