"""Remembering what short texts give: words come again and again, a long run without spaces is data and does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

TextT = TypeVar("TextT", bound=str | bytes)
GivenT = TypeVar("GivenT")
Given = Callable[[TextT], GivenT]

LONGEST_WORD = 64
"""Beyond it a "word" is data: a hash, base64, a line of a table."""


def known_if_short(most: int, longest: int = LONGEST_WORD) -> Callable[[Given[TextT, GivenT]], Given[TextT, GivenT]]:
    """For a function of a text: the latest `most` results are kept, but none of a text longer than `longest`.

    So what is kept is bounded by its size and not merely by its number.
    """

    def decorate(make: Given[TextT, GivenT]) -> Given[TextT, GivenT]:
        known = lru_cache(maxsize=most)(make)

        @wraps(make)
        def given(text: TextT) -> GivenT:
            return known(text) if len(text) <= longest else make(text)

        return given

    return decorate
