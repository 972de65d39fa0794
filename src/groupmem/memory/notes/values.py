"""The values in a text: numbers with their units, amounts of money, dates and lengths of time, versions, names, quotes.

`normal` makes values comparable: "ten minutes" and "10 min" are both "600 second", "€1,200" is "1200 money".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Literal

from groupmem.memory.languages import STOPWORDS_ENGLISH, word_set
from groupmem.memory.notes.dates import DateNote, DurationNote
from groupmem.memory.notes.dates.lexicon import LEXICON
from groupmem.memory.notes.reading import Marks, Reading, Sentence, Span, first_digit, has_digit, starts_sentence
from groupmem.types import Record

ValueKind = Literal["date", "duration", "number", "percent", "money", "size", "version", "identifier", "quoted", "name"]

_UNIT = (
    r"(?P<unit>%|percent\b|[kKmMbB](?![\w])|(?:[KMGT]i?B|[kmgt]b)\b|(?:bytes?|kilobytes?|megabytes?|gigabytes?|terabytes?)\b|"
    r"(?:USD|EUR|GBP|dollars?|euros?|pounds?|bucks)\b)?"
)
_QUOTES = frozenset('"“”«`')
_QUOTED = re.compile(r"[\"“”«]([^\"“”«»\n]{1,80})[\"“”»]|`([^`\n]{1,80})`")
_URL = re.compile(r"\b\w++://\S+")
_NUMBER = re.compile(
    r"(?P<version>\bv\d+(?:\.\d+)+\b|(?<![\w.:])\d+\.\d+\.\d+(?:\.\d+)*\b)|"
    r"(?P<identifier>\b[A-Za-z]++(?:[-_][A-Za-z]++){0,31}+[-_]?\d[\w-]*)|"
    r"(?P<coin>[$€£¥₹]\s?)?(?<![\w.:])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!:\d|\d|(?:st|nd|rd|th)\b)\s?"
    + _UNIT
)
_UNIT_WORD = _UNIT.replace("[kKmMbB](?![\\w])|", "").removesuffix("?")
_CAPITALISED = re.compile(r"[A-Z](?<!\w.)[\w'’]*\w(?:[ \-&](?:(?:of|and|the) )?[A-Z][\w'’]*\w)*")
_SMALL = "one|two|three|four|five|six|seven|eight|nine"
_NUMBER_WORDS = {word: entry.value for word, entry in LEXICON.items() if entry.kind == "WORDNUM" and word.isascii()}
_NUMBER_NAMES = frozenset(_NUMBER_WORDS)
_SCALE = {"k": 1e3, "m": 1e6, "b": 1e9}
_MONEY = word_set("usd eur gbp dollar dollars euro euros pound pounds bucks")
_BYTES = {"b": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_span = attrgetter("span")
# Capitals that start a sentence or are habit, and say nothing about a name.
_COMMON_CAPITALS = word_set(
    "I I'm I'd I'll I've OK Ok FYI ASAP TBH IMO IMHO LOL PS BTW EOD EOW EOM TODAY NOT AND THE NO YES PR"
)


class Value(Record, frozen=True, kw_only=True, gc=False):
    """A value of a text; `normal` is what two spellings of one value share."""

    kind: ValueKind
    text: str
    span: Span
    normal: str


def find_values(reading: Reading, dates: Iterable[DateNote], durations: Iterable[DurationNote]) -> tuple[Value, ...]:
    """The values of a message in their order; none overlaps another."""
    stated = [*map(_of_date, dates), *map(_of_duration, durations)]
    for sentence in reading.sentences:
        stated += _in_sentence(sentence)
    if not stated:
        return ()
    marks = Marks(len(reading.text))
    found = [value for value in stated if marks.take(value.span)]
    found.sort(key=_span)
    return tuple(found)


def _of_date(note: DateNote) -> Value:
    normal = note.start.isoformat() if note.start == note.end else f"{note.start}..{note.end}"
    normal += f"T{note.time.isoformat()}" if note.time else ""
    return Value(kind="date", text=note.text, span=note.span, normal=normal)


def _of_duration(note: DurationNote) -> Value:
    normal = f"{note.low:g} {note.unit}" if note.seconds is None else f"{note.seconds:g} second"
    return Value(kind="duration", text=note.text, span=note.span, normal=normal)


def _in_sentence(sentence: Sentence) -> list[Value]:
    text, start = sentence.text, sentence.start
    found: list[Value] = []
    if "://" in text:
        text = _URL.sub(lambda match: " " * len(match.group()), text)
    if '"' in text or "`" in text or (not text.isascii() and not _QUOTES.isdisjoint(text)):
        for match in _QUOTED.finditer(text):
            inner = match[1] or match[2]
            found.append(_value("quoted", match, start, inner.casefold().strip(" .,;:!?")))
    if has_digit(text):
        found += [value for match in _numbers(text) if (value := _number(match, start)) is not None]
    if not _NUMBER_NAMES.isdisjoint(sentence.words):
        found += _spelt(text, sentence.words, start)
    if not (text[1:].islower() or text.isupper()):
        found += _names(text, start)
    return found


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """The matches of `_NUMBER`: each has a digit in its first run of characters, or behind a coin and a space."""
    at = 0
    while (digit := first_digit(text, at)) >= 0:
        begin = digit
        while begin > at and not text[begin - 1].isspace():
            begin -= 1
        match = _NUMBER.search(text, max(at, begin - len("$ ")))
        if match is None:
            return
        yield match
        at = match.end()


def _value(kind: ValueKind, match: re.Match[str], start: int, normal: str) -> Value:
    return Value(kind=kind, text=match.group(), span=(match.start() + start, match.end() + start), normal=normal)


def _number(match: re.Match[str], start: int) -> Value | None:
    if match["version"]:
        return _value("version", match, start, match.group().lower().lstrip("v"))
    if match["identifier"]:
        return _value("identifier", match, start, match.group().lower())
    return _amount(match, start, float(match["digits"].replace(",", "")), bool(match["coin"]))


def _amount(match: re.Match[str], start: int, amount: float, is_money: bool = False) -> Value:
    unit = (match["unit"] or "").lower()
    if unit in ("%", "percent"):
        return _value("percent", match, start, f"{amount:g} percent")
    amount *= _SCALE.get(unit, 1.0)
    if is_money or unit in _MONEY:
        return _value("money", match, start, f"{amount:.12g} money")
    if unit and unit not in _SCALE:
        return _value("size", match, start, f"{amount * _BYTES[unit[0]]:.12g} byte")
    return _value("number", match, start, f"{amount:.12g}")


def _spelt(text: str, words: tuple[str, ...], start: int) -> Iterator[Value]:
    """Numbers in words; "one" only with a unit, because it is a pronoun as often."""
    for word in dict.fromkeys(filter(_NUMBER_WORDS.__contains__, words)):
        for match in _spellings(word, text):
            if word != "one" or match["unit"]:
                small = _NUMBER_WORDS[match["small"].lower()] if match["small"] else 0
                yield _amount(match, start, float(_NUMBER_WORDS[word] + small))


def _spellings(word: str, text: str) -> Iterator[re.Match[str]]:
    """Where a number word stands. It is looked for as it is first, for a matcher without regard to case takes long."""
    if not text.isascii():
        yield from _spelling(word).finditer(text)
        return
    lowered = text.lower()
    at = lowered.find(word)
    while at >= 0:
        match = _spelling(word).match(text, at)
        if match is not None:
            yield match
        at = lowered.find(word, at + 1 if match is None else match.end())


@lru_cache(maxsize=256)
def _spelling(word: str) -> re.Pattern[str]:
    """A number word, with the units of "twenty-one" and with a unit of measure."""
    return re.compile(rf"(?<![\w-]){word}(?:-(?P<small>{_SMALL}))?(?!\w)(?:[ -]{_UNIT_WORD})?", re.IGNORECASE)


def _names(text: str, start: int) -> Iterator[Value]:
    """Capitalised words that do not merely begin the sentence; a sentence in capitals has none."""
    for match in _CAPITALISED.finditer(text):
        name, first = match.group(), match.start()
        if starts_sentence(text, first):
            head, space, rest = name.partition(" ")
            if space and head.lower() in STOPWORDS_ENGLISH:
                first, name = first + len(head) + 1, rest
            elif not space and not any(letter.isupper() for letter in name[1:]):
                continue
        name = name.removesuffix("'s").removesuffix("’s")
        if name not in _COMMON_CAPITALS and not name.startswith(("I'", "I’")):
            yield Value(kind="name", text=name, span=(start + first, start + first + len(name)), normal=name.casefold())
