"""What rules make of tokens, and the table of rules: patterns over token classes with a function each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time
from typing import Literal, NamedTuple, TypeVar

from groupmem.memory.notes.dates.anchor import Anchor
from groupmem.memory.notes.dates.tokens import Token

Granularity = Literal["minute", "day", "week", "weekend", "month", "quarter", "half", "year", "range"]
Kind = Literal["stated", "partial", "weekday", "relative", "clock"]
Sort = Literal["date", "clock", "hour", "part", "edge", "duration", "week_of", "nothing"]


@dataclass(slots=True)
class Item:
    """One recognised expression while a sentence is read; `first` and `last` are token indexes, both included.

    `bare` says that only a weekday, or only a day of the month, was named: a neighbour may then move it.
    """

    sort: Sort
    start: date | None = None
    end: date | None = None
    granularity: Granularity = "day"
    kind: Kind = "relative"
    bare: Literal["", "weekday", "day"] = ""
    clock: time | None = None
    until: time | None = None
    part: str | None = None
    amount: tuple[float, float, str] | None = None
    first: int = 0
    last: int = 0

    def names_month(self) -> bool:
        """Whether a date was named with its month, or by a weekday that settles it."""
        return self.sort == "date" and not self.bare and self.kind in ("stated", "partial")


# Words of other languages may stand before what they go with or after it ("próxima semana", "semana próxima"); "q3" in
# small letters and "H2" mean a part of a year only beside something that says so.
_ALIASES = {"REL": ("REL", "RELPOST"), "ANYQUARTER": ("QUARTER", "maybe_QUARTER")}

Build = Callable[..., Item | None]
BuildT = TypeVar("BuildT", bound=Build)


@dataclass(frozen=True, slots=True)
class Rule:
    """`stated` rules also apply to a message without a time; they return None where they would need one."""

    build: Build
    stated: bool


class _Starter(NamedTuple):
    """The patterns that may begin with one class: all at once as groups, and one by one, longest first."""

    any: re.Pattern[str]
    each: list[tuple[re.Pattern[str], Rule]]


class RuleTable:
    """Rules by the class of their first token. A pattern is a row of classes: "a|b" is either, "a?" may be missing."""

    def __init__(self) -> None:
        self._patterns: list[tuple[list[str], Rule]] = []
        self._starters: dict[str, _Starter] | None = None

    def rule(self, *patterns: str, stated: bool = False) -> Callable[[BuildT], BuildT]:
        """Registers a function for patterns. It gets the anchor and the values of the classes in capitals, in order."""

        def register(build: BuildT) -> BuildT:
            self._patterns.extend((pattern.split(), Rule(build, stated)) for pattern in patterns)
            self._starters = None
            return build

        return register

    def read(self, tokens: list[Token], anchor: Anchor) -> list[Item]:
        """The items of a sentence, left to right, none overlapping; of patterns that match, the longest wins."""
        if self._starters is None:
            self._starters = self._compiled()
        classes = "".join([f"{token.kind} " for token in tokens])
        found: list[Item] = []
        at, index = 0, 0
        while index < len(tokens):
            kind = tokens[index].kind
            starter = self._starters.get(kind)
            item = None
            if starter is not None and (match := starter.any.match(classes, at)) is not None:
                item = self._first(starter, match, tokens, index, anchor)
            if item is None:
                at += len(kind) + 1
                index += 1
            else:
                found.append(item)
                if item.names_month():
                    anchor.hear(item.start)
                at += sum(len(token.kind) + 1 for token in tokens[index : item.last + 1])
                index = item.last + 1
        return found

    def _first(
        self, starter: _Starter, any_match: re.Match[str], tokens: list[Token], index: int, anchor: Anchor
    ) -> Item | None:
        """The item of the first pattern that matches at `index` and whose rule accepts it; none before that of the
        match of all at once does.
        """
        classes, at = any_match.string, any_match.start()
        for pattern, rule in starter.each[(any_match.lastindex or 1) - 1 :]:
            match = pattern.match(classes, at)
            if match is not None and (rule.stated or anchor.now is not None):
                length = match.group().count(" ")
                item = _build(rule, tokens, index, length, anchor)
                if item is not None:
                    item.first, item.last = index, index + length - 1
                    return item
        return None

    def _compiled(self) -> dict[str, _Starter]:
        starters: dict[str, _Starter] = {}
        by_first: dict[str, list[tuple[list[str], Rule]]] = {}
        for elements, rule in sorted(self._patterns, key=_size, reverse=True):
            for first in _first_classes(elements):
                by_first.setdefault(first, []).append((elements, rule))
        for first, patterns in by_first.items():
            sources = ["".join(map(_element, elements)) for elements, _ in patterns]
            each = [(re.compile(source), rule) for source, (_, rule) in zip(sources, patterns, strict=True)]
            starters[first] = _Starter(re.compile("|".join([f"({source})" for source in sources])), each)
        return starters


def _build(rule: Rule, tokens: list[Token], index: int, length: int, anchor: Anchor) -> Item | None:
    anchor.previous = _beside(tokens, index - 1)
    anchor.article = index > 0 and tokens[index - 1].kind == "the"
    anchor.following = tokens[index + length].kind if index + length < len(tokens) else ""
    values = [token.value for token in tokens[index : index + length] if token.value is not None]
    try:
        return rule.build(anchor, *values)
    except (ValueError, OverflowError):
        return None  # a day that the calendar does not have, or a year outside of it


def _size(pattern: tuple[list[str], Rule]) -> tuple[int, int]:
    """How many elements a pattern needs, and how many it may have."""
    return sum(not element.endswith("?") for element in pattern[0]), len(pattern[0])


def _beside(tokens: list[Token], index: int) -> str:
    """The class of the token at `index`, articles skipped."""
    while index >= 0 and tokens[index].kind == "the":
        index -= 1
    return tokens[index].kind if index >= 0 else ""


def _choices(element: str) -> list[str]:
    """The classes that an element of a pattern allows."""
    return [each for name in element.rstrip("?").split("|") for each in _ALIASES.get(name, (name,))]


def _element(element: str) -> str:
    optional = element.endswith("?")
    choices = "|".join(map(re.escape, _choices(element)))
    return f"(?:(?:{choices}) ){'?' if optional else ''}"


def _first_classes(elements: list[str]) -> list[str]:
    found: list[str] = []
    for element in elements:
        found.extend(_choices(element))
        if not element.endswith("?"):
            break
    return found


TABLE = RuleTable()
rule = TABLE.rule
