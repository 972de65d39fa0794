"""A message's text made ready once for everything that is noted about it: quotes set apart, sentences, words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from groupmem.memory.languages import word_set

Span = tuple[int, int]

_QUOTE = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# It begins with a set of characters, which the matcher looks for much faster than for alternatives.
_END = re.compile(
    r"[.!?…。！？\n](?:(?<=\n)\s*+|(?<=[.!?…])(?<![.!?…].)[.!?…]*+[\"'”’)\]*_]*+(?=\s)|(?<=[。！？])[。！？]*+[」』”]?)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|prof|sr|jr|st|a\.m|p\.m|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|"
    r"dec|mon|tues?|wed|thurs?|fri|sat|sun)|(?<![\w.,])\d{1,2})$",
    re.IGNORECASE,
)
_AFTER_ABBREVIATION = re.compile(r"\s+(?:[a-z0-9]|(?:Jan|Feb|Mär|Mar|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Oct|Nov|De[zc]))")
_ABBREVIATIONS = word_set("""
etc vs approx no nr dr mr mrs ms prof sr jr st jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thur
thurs fri sat sun
""")
_LONGEST_OPENING = 8
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "vs", "e.g", "i.e", "no", "nr", "approx", "st"})
_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'(?!s\b)[a-z0-9]+)*")
_DIGIT = re.compile(r"\d")
_ASCII_DIGIT = re.compile("[0-9]")
_ASCII_GAPS = {code: " " for code in range(128) if not chr(code).isalnum()}


class Sentence(NamedTuple):
    """A sentence of the author's own words: its place in the message, its text, and its words in lower case."""

    start: int
    text: str
    words: tuple[str, ...]
    question: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def holds(self, span: Span) -> bool:
        """Whether a span of the message begins in the sentence."""
        return self.start <= span[0] < self.start + len(self.text)


class Reading(NamedTuple):
    """`body` is the text with quoted lines and fenced code blanked, so that offsets stay those of the text."""

    text: str
    body: str
    sentences: tuple[Sentence, ...]
    quotes: tuple[Span, ...]


class Marks:
    """Places of a text that are taken, so that what is found does not overlap."""

    def __init__(self, size: int) -> None:
        self._taken = bytearray(size)

    def take(self, span: Span) -> bool:
        """Takes a span; False, and nothing is taken, where a part of it already is."""
        if self._taken.find(1, *span) >= 0:
            return False
        self._taken[slice(*span)] = b"\x01" * (span[1] - span[0])
        return True


def starts_sentence(text: str, position: int) -> bool:
    """Whether only spaces, quotes and marks of emphasis stand before `position` in a sentence."""
    return position <= _LONGEST_OPENING and not text[:position].strip(" \"'“*_([")


def has_digit(text: str) -> bool:
    """Whether there is a digit of any script in a text; of plain text that is known much sooner."""
    return (_ASCII_DIGIT if text.isascii() else _DIGIT).search(text) is not None


def first_digit(text: str, start: int) -> int:
    """Where the first digit from `start` on is; -1 where there is none."""
    match = (_ASCII_DIGIT if text.isascii() else _DIGIT).search(text, start)
    return -1 if match is None else match.start()


@lru_cache(maxsize=1 << 12)
def read(text: str) -> Reading:
    """Cuts a text. Quoted lines ("> ...") are other people's words: they are listed, and not part of any sentence."""
    quotes: tuple[Span, ...] = ()
    body = text
    if "```" in body:
        body = _FENCE.sub(_blank, body)
    if ">" in body:
        quotes = tuple(match.span() for match in _QUOTE.finditer(body))
        body = _QUOTE.sub(_blank, body)
    return Reading(text, body, tuple(_sentences(body)), quotes)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _sentences(body: str) -> list[Sentence]:
    found: list[Sentence] = []
    begin = 0
    for match in _END.finditer(body):
        if match.group().startswith(".") and _inside(body, match):
            continue
        _add(found, body, begin, match.end())
        begin = match.end()
    _add(found, body, begin, len(body))
    return found


def _inside(body: str, stop: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation ("Nov. 12", "Dr. Okafor", "12. November")."""
    # Most sentences end with a whole word that is no abbreviation, which takes no pattern to see.
    tail = body[max(0, stop.start() - 7) : stop.start()]
    word = tail[tail.rfind(" ") + 1 :]
    if word.isascii() and word.isalpha() and word.lower() not in _ABBREVIATIONS:
        return False
    before = _ABBREVIATION.search(body, max(0, stop.start() - 6), stop.start())
    if before is None or len(stop.group()) > 1:
        return False
    if before.group().lower() in _TITLES:
        return True
    return _AFTER_ABBREVIATION.match(body, stop.end()) is not None


def _words(text: str) -> list[str]:
    lowered = text.lower()
    if not text.isascii():
        return _WORD.findall(lowered.replace("’", "'"))
    return _ASCII_WORD.findall(lowered) if "'" in lowered else lowered.translate(_ASCII_GAPS).split()


def _add(found: list[Sentence], body: str, begin: int, end: int) -> None:
    text = body[begin:end]
    stripped = text.strip()
    if stripped:
        start = begin + len(text) - len(text.lstrip())
        found.append(
            Sentence(start, stripped, tuple(_words(stripped)), stripped.rstrip("\"'”’)]*_").endswith(("?", "？")))
        )
