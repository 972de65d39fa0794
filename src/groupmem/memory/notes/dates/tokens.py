"""Cuts a sentence into classed tokens: words of the lexicon, numbers by their shape, and everything else as "x"."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from groupmem.memory.known import known_if_short
from groupmem.memory.notes.dates.lexicon import LEXICON, OTHER

_BEFORE, _BEHIND = "\"'“”‘’([{*_~<¿¡", "\"'“”’)]}*_~>.,;:!?…"
_DASHES = "-–—"
_SPLIT = re.compile(r"([-–—/])")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|secs?|mins?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)$")
_SHORT_UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_CLOCK = re.compile(r"(\d{1,2})[:.](\d\d)(?::\d\d)?([ap]m|z)?$")
_HOUR = re.compile(r"(\d{1,2})([ap]m?|h|uhr)$")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(z|[+-]\d\d:?\d\d)?)?$")
_NUMERIC = re.compile(r"(\d{1,2})(?:/(\d{1,2})(?:/(\d{4}|\d\d))?|([.-])(\d{1,2})\4(\d{4}))$")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)$")
_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d\d))?$")
_SHORT_YEAR = re.compile(r"['’](\d\d)[,.]?$")
_YEARED_QUARTER = re.compile(r"([qh])([1-4])(?:'|/|-)?(\d{2}|\d{4})$")

Atom = tuple[str, Any, int, int]


class Token(NamedTuple):
    """One classed piece of a sentence; `start` and `end` are offsets into it."""

    kind: str
    value: Any
    start: int
    end: int


def cut(sentence: str) -> list[Token]:
    """The tokens of `sentence`, punctuation that separates included ("," and "." classes)."""
    found: list[Token] = []
    start = 0
    for chunk in sentence.split():
        start = sentence.index(chunk, start)
        for kind, value, first, last in _atoms(chunk):
            found.append(Token(kind, value, start + first, start + last))
        start += len(chunk)
    return found


@known_if_short(1 << 15)
def _atoms(chunk: str) -> tuple[Atom, ...]:
    """The atoms of one run without whitespace; offsets count from its start."""
    if len(chunk) > 40:
        return ((OTHER, None, 0, len(chunk)),)
    if year := _SHORT_YEAR.match(chunk):
        return (("YEAR", 2000 + int(year[1]), 0, 3),)
    left, core, right = _peel(chunk)
    begin = len(left)
    end = begin + len(core)
    atoms: list[Atom] = []
    if "(" in left:
        atoms.append((",", None, 0, begin))
    if core:
        atoms.extend(_core_atoms(core, begin))
    elif not left and not right:
        atoms.append((OTHER, None, 0, len(chunk)))
    if right:
        dotted = right == "." and _abbreviated(core.lower())
        mark = (
            "" if dotted else "," if "," in right and len(right) == 1 else "." if set(right) & set(".;:!?…,)") else ""
        )
        if mark:
            atoms.append((mark, None, end, len(chunk)))
    return tuple(atoms)


def _abbreviated(lowered: str) -> bool:
    """Whether a full stop after the word is the word's own ("p.m.", "Nov.")."""
    word = LEXICON.get(lowered)
    return word is not None and (
        word.kind == "AMPM" or (len(lowered) <= 5 and word.kind.endswith(("MONTH", "WEEKDAY")))
    )


def _peel(chunk: str) -> tuple[str, str, str]:
    """What stands before a word, the word, and what stands behind it; a mark that stands alone is behind nothing."""
    rest = chunk.lstrip(_BEFORE)
    core = rest.rstrip(_BEHIND)
    if not core and rest == chunk:
        return chunk, "", ""
    return chunk[: len(chunk) - len(rest)], core, rest[len(core) :]


def _core_atoms(core: str, begin: int) -> list[Atom]:
    end = begin + len(core)
    if core in ("-", "–", "—"):
        return [("-", None, begin, end)]
    lowered = core.lower()
    for suffix in ("'s", "’s"):
        if lowered.endswith(suffix) and lowered[:-2] in LEXICON:
            return [*_core_atoms(core[:-2], begin), ("s", None, end - 2, end)]
    whole = classify(core, lowered)
    if whole is not None:
        return [(*whole, begin, end)]
    pieces = _SPLIT.split(core)
    if len(pieces) in (3, 5) and all(pieces):
        atoms: list[Atom] = []
        at = begin
        for piece in pieces:
            kind = ("-" if piece in _DASHES else "/", None) if piece in "-–—/" else classify(piece, piece.lower())
            if kind is None:
                break
            atoms.append((*kind, at, at + len(piece)))
            at += len(piece)
        else:
            if any(kind not in ("DAY", "NUM", "YEAR", "-", "/") for kind, *_ in atoms) or _day_range(atoms):
                return atoms
    return [(OTHER, core[:1].isupper(), begin, end)]


def _day_range(atoms: list[Atom]) -> bool:
    """Two bare numbers with a dash may be days of a month ("16-18 Nov") or an amount ("2-3 weeks"); a slash may not."""
    return [kind for kind, *_ in atoms] in (["DAY", "-", "DAY"], ["DAY", "-", "NUM"], ["NUM", "-", "NUM"])


def classify(core: str, lowered: str) -> tuple[str, Any] | None:
    """Class and value of a word or number, or None."""
    word = LEXICON.get(lowered)
    if word is not None:
        if word.kind.startswith("maybe"):
            return word.kind, (word.value, core[0].isupper())
        if word.kind == "QUARTER" and (core[0] != "Q"):
            return "maybe_QUARTER", word.value
        return word.kind, word.value
    first = lowered[0]
    if first.isdigit() and lowered.isascii():
        return _numeral(lowered)
    if first in "qh" and (match := _YEARED_QUARTER.match(lowered)):
        year = int(match[3])
        return "YEARED_QUARTER", (int(match[2]), 3 if match[1] == "q" else 6, year if year > 99 else 2000 + year)
    if first == "@" and len(lowered) > 1 and lowered[1].isdigit():
        return _numeral(lowered[1:])
    if first in "ug+-" and (match := _OFFSET.match(lowered)) and (lowered[0] in "ug" or ":" in lowered):
        hours = int(match[2]) + int(match[3] or 0) / 60
        return ("ZONE", hours if match[1] == "+" else -hours) if hours <= 14 else None
    return None


def _numeral(text: str) -> tuple[str, Any] | None:
    if text.isdigit():
        number = int(text)
        if len(text) == 4 and 1990 <= number <= 2099:
            return "YEAR", number
        return ("DAY" if 1 <= number <= 31 and len(text) <= 2 else "NUM"), number
    if match := _ORDINAL.match(text):
        return ("ORD", int(match[1])) if 1 <= int(match[1]) <= 31 else None
    if match := _ISO.match(text):
        return "ISO", match.groups()
    if match := _CLOCK.match(text):
        clock = _clock(int(match[1]), int(match[2]), match[3])
        if clock is not None and (":" in text or match[3]):
            return ("CLOCK", clock) if match[3] != "z" else ("CLOCKZ", clock)
    if match := _HOUR.match(text):
        clock = (
            None if match[2] == "h" else _clock(int(match[1]), 0, match[2][0] + "m" if match[2][0] in "ap" else None)
        )
        if clock is not None:
            return "CLOCK", clock
    if match := _DURATION.match(text):
        return "DUR", (float(match[1]), float(match[1]), _unit(match[2]))
    if match := _NUMERIC.match(text):
        left, right = int(match[1]), int(match[2] or match[5])
        year = int(match[3] or match[6]) if match[3] or match[6] else None
        return "NUMERIC", (left, right, year if year is None or year > 99 else 2000 + year)
    if re.fullmatch(r"\d+\.\d+", text):
        return "FLOAT", float(text)
    if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
        return "NUM", int(text.replace(",", ""))
    return None


def _clock(hour: int, minute: int, suffix: str | None) -> tuple[int, int] | None:
    """(hour, minute) on the 24-hour clock, or None where there is no such time."""
    if suffix in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if suffix == "pm" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else None


def _unit(suffix: str) -> str:
    word = LEXICON.get(suffix)
    return word.value if word is not None and word.kind in ("UNIT", "UNITS") else _SHORT_UNITS[suffix]
