"""Cuts a text into chunks: at paragraphs where they fit, else at sentences, pauses, words, characters.

The rules are those of chonkie's RecursiveChunker with its default levels, no overlap (checked against version 1.7.0),
as the published figures of graph memories on BEAM are counted with it. Chunks joined give the text again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from groupmem.text import count_tokens

CHUNK_TOKENS = 1000
MIN_BYTES = 24
"""Shorter pieces are never cut off by themselves: they stay with what stands before them."""

_LEVELS = (
    ("\n\n", "\r\n", "\n", "\r"),
    (". ", "! ", "? "),
    ("{", "}", '"', "[", "]", "<", ">", "(", ")", ":", ";", ",", "—", "|", "~", "-", "...", "`", "'"),
    (" ",),
)
_CUTS = tuple(re.compile("|".join(map(re.escape, sorted(level, key=len, reverse=True)))) for level in _LEVELS)


def chunk(text: str, size: int = CHUNK_TOKENS, *, count: Callable[[str], int] = count_tokens) -> list[str]:
    """The chunks of a text in order, each of at most `size` tokens as `count` counts them (default: o200k)."""
    return _chunk(text, 0, size, count) if text else []


def _chunk(text: str, level: int, size: int, count: Callable[[str], int]) -> list[str]:
    if level == len(_CUTS):
        return _halves(text, size, count)
    chunks: list[str] = []
    for part, tokens in _merged([(piece, count(piece)) for piece in _pieces(text, level)], size):
        chunks += [part] if tokens <= size else _chunk(part, level + 1, size, count)
    return chunks


def _pieces(text: str, level: int) -> list[str]:
    """The text cut behind every delimiter of the level, without pieces that are too short."""
    ends = [match.end() for match in _CUTS[level].finditer(text)]
    starts = [0, *ends]
    pieces: list[str] = []
    for start, end in zip(starts, [*ends, len(text)], strict=True):
        piece = text[start:end]
        if pieces and (_too_short(piece) or _too_short(pieces[-1])):
            pieces[-1] += piece
        elif piece:
            pieces.append(piece)
    return pieces


def _too_short(piece: str) -> bool:
    return len(piece.encode("utf-8", "surrogatepass")) < MIN_BYTES


def _merged(pieces: list[tuple[str, int]], size: int) -> list[tuple[str, int]]:
    """Neighbours joined as long as their tokens, counted apart, fit together."""
    merged: list[tuple[list[str], int]] = []
    for piece, tokens in pieces:
        if merged and merged[-1][1] + tokens <= size:
            merged[-1][0].append(piece)
            merged[-1] = (merged[-1][0], merged[-1][1] + tokens)
        else:
            merged.append(([piece], tokens))
    return [("".join(parts), tokens) for parts, tokens in merged]


def _halves(text: str, size: int, count: Callable[[str], int]) -> list[str]:
    """A text without any place to cut, halved until it fits; a single character is never cut."""
    if len(text) == 1 or count(text) <= size:
        return [text]
    middle = len(text) // 2
    return [*_halves(text[:middle], size, count), *_halves(text[middle:], size, count)]
