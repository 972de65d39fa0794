"""The values in messages: what a message offers as an answer to a question of a kind. One extractor for all systems.

It reads the original text and the time of a message, never what a system wrote beside it. Dates are days on the
author's calendar, resolved against the message; people are those who are named, not whoever is turned to ("@Mira") and
not the author; numbers are compared with their units. Statuses, choices and texts have no grammar of their own: of them
a message holds those that the question's gold lists, right ones and stale ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, get_args

import msgspec

from groupmem.memory.notes.dates import find_dates
from groupmem.memory.notes.mentions import find_mentions, find_roles
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.reading import Reading, read
from groupmem.memory.notes.values import find_values
from groupmem.types import Channel, Message, Person, Question, Record

AnswerKind = Literal["date", "person", "role", "status", "number", "choice", "list", "text"]
ANSWER_KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
LISTED: tuple[AnswerKind, ...] = ("status", "choice", "text")
"""Kinds whose values are those that the gold lists."""
_NUMBERS = ("number", "percent", "money", "size", "duration")
_ISO_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


class GoldValue(Record, frozen=True, kw_only=True):
    """What the answer is, comparably: ISO dates, person ids, numbers as they are written, else phrases.

    One of `values` is enough, but for a "list", which wants all of them. `stale` are values of the same kind that are
    not the answer although somebody said them of the same matter: former ones, other people's.
    """

    kind: AnswerKind
    values: tuple[str, ...]
    stale: tuple[str, ...] = ()


class ValueFinder:
    """Finds values in messages; `people` and `channels` are those of the conversation."""

    def __init__(self, people: Iterable[Person], channels: Iterable[Channel] = ()) -> None:
        self._directory = Directory(people, channels)

    def offered(self, message: Message, gold: GoldValue) -> frozenset[str]:
        """The values of the gold's kind that the message holds, comparably; of a list, those of its members."""
        if gold.kind == "date":
            return self._dates(message)
        if gold.kind == "person":
            return self._people(message)
        if gold.kind == "role":
            return self._roles(message)
        if gold.kind == "number":
            return numbers_in(message.text)
        return phrases_in(message.text, (*gold.values, *gold.stale))

    def wanted(self, gold: GoldValue) -> frozenset[str]:
        """The right values as `offered` gives them."""
        return self._comparable(gold, gold.values)

    def stale(self, gold: GoldValue) -> frozenset[str]:
        """The stale values as `offered` gives them."""
        return self._comparable(gold, gold.stale)

    def holds(self, message: Message, gold: GoldValue) -> bool:
        """Whether the message gives the answer: one of the values, of a list all."""
        offered, wanted = self.offered(message, gold), self.wanted(gold)
        return bool(wanted) and (wanted <= offered if gold.kind == "list" else not wanted.isdisjoint(offered))

    def gold_of(self, question: Question) -> GoldValue | None:
        """The question's gold value: as its source gives it (`answer_kind`, `answer_values`, `stale_values`), else
        read off the gold answer where that is a date, a person or a number and nothing else; None where it is not."""
        kind = question.extra.get("answer_kind")
        values = question.extra.get("answer_values")
        if kind in ANSWER_KINDS and isinstance(values, list) and values:
            stale = question.extra.get("stale_values") or ()
            return GoldValue(kind=kind, values=tuple(map(str, values)), stale=tuple(map(str, stale)))
        return self._read_off(question.answer) if question.answer else None

    def _read_off(self, answer: str) -> GoldValue | None:
        dates = frozenset(_ISO_DATE.findall(answer))
        if len(dates) == 1 and len(answer.split()) <= 2:
            return GoldValue(kind="date", values=tuple(dates))
        person = self._directory.candidates(answer)
        if len(person) == 1:
            return GoldValue(kind="person", values=person)
        numbers = numbers_in(answer)
        if not dates and len(numbers) == 1 and len(answer.split()) <= 3:
            return GoldValue(kind="number", values=tuple(numbers))
        return None

    def _comparable(self, gold: GoldValue, values: tuple[str, ...]) -> frozenset[str]:
        if gold.kind == "number":
            return frozenset().union(*(numbers_in(value) or {value} for value in values))
        if gold.kind == "person":
            known = (self._directory.candidates(value) for value in values)
            return frozenset(found[0] for found in known if len(found) == 1)
        return frozenset(values if gold.kind == "date" else map(_plain, values))

    def _dates(self, message: Message) -> frozenset[str]:
        dates, _ = find_dates(_reading(message.text).sentences, message.sent_at)
        days = (note.start for note in dates if note.start == note.end and note.kind != "clock")
        return frozenset(day.isoformat() for day in days)

    def _people(self, message: Message) -> frozenset[str]:
        mentions = find_mentions(_reading(message.text), self._directory)
        return frozenset(mention.person for mention in mentions if mention.person and not mention.addressed)

    def _roles(self, message: Message) -> frozenset[str]:
        named = find_roles(_reading(message.text), self._directory)
        return frozenset(_plain(mention.roles[0]) for mention in named if len(mention.roles) == 1)


def sentences_of(message: Message) -> list[Message]:
    """The message cut at the ends of its sentences, each part a message of the same author and time."""
    parts = _reading(message.text).sentences
    return [msgspec.structs.replace(message, text=part.text) for part in parts]


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text with their units, but those that are part of a date."""
    reading = _reading(text)
    dates, durations = find_dates(reading.sentences, None)
    values = find_values(reading, dates, durations)
    return frozenset(value.normal for value in values if value.kind in _NUMBERS)


def phrases_in(text: str, phrases: Iterable[str]) -> frozenset[str]:
    """Those of the phrases that stand in the text as whole words, in any case and any white space."""
    plain = f" {_plain(text)} "
    return frozenset(key for key in map(_plain, phrases) if key and f" {key} " in plain)


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


@lru_cache(maxsize=4096)
def _reading(text: str) -> Reading:
    return read(text)
