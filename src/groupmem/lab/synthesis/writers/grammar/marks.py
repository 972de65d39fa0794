"""Marks inside a text that is being made: which stretches are given matter, and which are the value of a fact.

Noncharacters, which no text may hold, stand around a stretch until the message is finished, so that whatever happens
to it (capitals, typos, joints) knows what it must leave alone and where each fact was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable

MATTER, VALUE, NUMBER_END, END = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
MARK = f"(?:{VALUE}[0-9]+{NUMBER_END}|[{MATTER}{END}])"
"""Pattern of any one mark."""
_STRETCH = re.compile(
    f"{VALUE}(?P<index>[0-9]+){NUMBER_END}(?P<value>[^{END}]*){END}|{MATTER}[^{END}]*{END}", re.DOTALL
)
_MARK = re.compile(MARK)


def matter(text: str) -> str:
    """`text` marked as given: not to be altered."""
    return f"{MATTER}{text}{END}"


def value(text: str, index: int) -> str:
    """`text` marked as the value of the message's fact number `index`."""
    return f"{VALUE}{index}{NUMBER_END}{text}{END}"


def bare(text: str) -> str:
    """`text` without its marks."""
    return _MARK.sub("", text)


def surfaces(text: str) -> dict[int, str]:
    """Fact number -> the first stretch that states it, as it stands."""
    found: dict[int, str] = {}
    for match in _STRETCH.finditer(text):
        if match["index"]:
            found.setdefault(int(match["index"]), match["value"])
    return found


def frames(text: str) -> list[str]:
    """The stretches of `text` between what is given: the writer's own words."""
    return [text[start:end] for start, end in _gaps(text)]


def map_frames(text: str, change: Callable[[str], str]) -> str:
    """`text` with the writer's own words changed and what is given as it was."""
    out: list[str] = []
    last = 0
    for start, end in _gaps(text):
        out += (text[last:start], change(text[start:end]))
        last = end
    return "".join((*out, text[last:]))


def _gaps(text: str) -> list[tuple[int, int]]:
    bounds = [0, *(edge for match in _STRETCH.finditer(text) for edge in match.span()), len(text)]
    return [(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end]
