"""Quantities before units become one duration token: "two weeks", "a couple of days", "15-minute", "2-3 h"."""

from __future__ import annotations

from groupmem.memory.notes.dates.tokens import Token

_NUMBERS = frozenset({"DAY", "NUM", "WORDNUM", "FLOAT"})
_RATE_BEFORE = _NUMBERS | {"every"}
_UNITS = frozenset({"UNIT", "UNITS", "SHORT"})
_FEW = (2.0, 4.0)


def merge_durations(tokens: list[Token]) -> list[Token]:
    """`tokens` with every quantity and its unit as one DUR token, whose value is (lowest, highest, unit)."""
    if not any(token.kind in _UNITS for token in tokens):
        return tokens
    merged: list[Token] = []
    for token in tokens:
        if not _is_unit(token, merged):
            merged.append(token)
            continue
        unit, keep = _working(token.value, merged)
        quantity = _quantity(merged, keep)
        if quantity is None:
            merged.append(token)
            continue
        low, high, taken = quantity
        _share_unit(merged, taken, unit)
        start = merged[taken].start
        del merged[taken:]
        merged.append(Token("DUR", (low, high, unit), start, token.end))
    return _with_halves(merged)


def _is_unit(token: Token, before: list[Token]) -> bool:
    """Whether a quantity may stand before the token; a single letter is a unit only right after digits ("45 s")."""
    if token.kind == "SHORT":
        return bool(before) and before[-1].kind in ("DAY", "NUM", "FLOAT")
    return token.kind in _UNITS and token.value != "weekend"


def _working(unit: str, before: list[Token]) -> tuple[str, int]:
    """The unit ("business_day" after "working"), and how many tokens of `before` are left of it."""
    if unit == "day" and before and before[-1].kind == "business":
        return "business_day", len(before) - 1
    return unit, len(before)


def _quantity(before: list[Token], size: int) -> tuple[float, float, int] | None:
    """(lowest, highest, index of its first token) of the quantity that ends at `size`, or None."""
    kinds = [token.kind for token in before[max(0, size - 4) : size]]
    if not kinds:
        return None
    last = kinds[-1]
    if last == "-" and len(kinds) > 1:
        kinds.pop()
        size -= 1
        last = kinds[-1]
    if last in _NUMBERS:
        high = float(before[size - 1].value)
        if len(kinds) >= 3 and kinds[-2] in ("-", "to", "or") and kinds[-3] in _NUMBERS:
            low = float(before[size - 3].value)
            moved = kinds[-2] == "to" and kinds[:-3] == ["from"]  # "from 24 to 72 hours" are two values
            if low <= high and not moved:
                return low, high, size - 3
        if len(kinds) == 1 and size == 1 and last == "WORDNUM" and high == 1:
            return None  # "one day we will ..."
        return high, high, size - 1
    if last == "half":
        return _half(kinds, before, size)
    if last == "A":
        return _article(kinds, size)
    if last in ("of", "couple"):
        return _couple(kinds, size)
    if last == "few":
        return *_FEW, size - (2 if kinds[-2:-1] == ["A"] else 1)
    return None


def _article(kinds: list[str], size: int) -> tuple[float, float, int] | None:
    """ "a week" and "half a day"; "five a day" is a rate and no duration."""
    before = kinds[-2] if len(kinds) > 1 else ""
    if before == "half":
        return 0.5, 0.5, size - 2
    return None if before in _RATE_BEFORE else (1.0, 1.0, size - 1)


def _share_unit(before: list[Token], size: int, unit: str) -> None:
    """In "from 24 to 72 hours" the first number has the unit of the second."""
    kinds = [token.kind for token in before[max(0, size - 3) : size]]
    if len(kinds) == 3 and kinds[0] == "from" and kinds[1] in _NUMBERS and kinds[2] == "to":
        number = before[size - 2]
        before[size - 2] = Token("DUR", (float(number.value), float(number.value), unit), number.start, number.end)


def _half(kinds: list[str], before: list[Token], size: int) -> tuple[float, float, int]:
    """ "half day", and the "two and a half" before weeks."""
    if len(kinds) == 4 and kinds[1:] == ["and", "A", "half"] and kinds[0] in _NUMBERS:
        amount = float(before[size - 4].value) + 0.5
        return amount, amount, size - 4
    return 0.5, 0.5, size - 1


def _couple(kinds: list[str], size: int) -> tuple[float, float, int] | None:
    if kinds[-1] == "of":
        kinds = kinds[:-1]
        size -= 1
    if kinds[-1:] != ["couple"]:
        return None
    return 2.0, 2.0, size - (2 if kinds[-2:-1] == ["A"] else 1)


def _with_halves(tokens: list[Token]) -> list[Token]:
    """ "a year and a half" and "two and a half weeks" are one duration each."""
    merged: list[Token] = []
    for token in tokens:
        if token.kind == "half" and len(merged) > 2 and [t.kind for t in merged[-3:]] == ["DUR", "and", "A"]:
            low, high, unit = merged[-3].value
            merged[-3:] = [Token("DUR", (low + 0.5, high + 0.5, unit), merged[-3].start, token.end)]
        else:
            merged.append(token)
    return merged
