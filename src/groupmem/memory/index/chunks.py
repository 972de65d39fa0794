"""A text cut into the pieces that get a vector each.

An embedding model reads the first 256 or so word pieces of a text. A short message is one piece; a long one is cut into
even pieces of about `CHUNK_UNITS` words, so that its end can be found as well as its start.
"""

from __future__ import annotations

from itertools import islice, pairwise

import regex

CHUNK_UNITS = 110
MOST_CHUNKS = 64
"""Pieces that one message may have (7,000 words): the rest of a longer one is found by its words."""

# Scripts without spaces count by character; a long run without spaces (base64, a path) is several words to a model.
_UNIT = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]|"
    r"[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]{1,12}"
)
_SHORTEST = CHUNK_UNITS * 3 // 2


def chunks(text: str) -> list[str]:
    """The pieces of a text in order; one, the text itself, unless it is longer than one and a half chunks."""
    if len(text) < _SHORTEST:
        return [text]
    starts = [match.start() for match in islice(_UNIT.finditer(text), MOST_CHUNKS * CHUNK_UNITS + 1)]
    if len(starts) < _SHORTEST:
        return [text]
    count = min(round(len(starts) / CHUNK_UNITS), MOST_CHUNKS)
    size = CHUNK_UNITS if count == MOST_CHUNKS else -(-len(starts) // count)
    borders = [*starts[: size * count : size], starts[size * count] if size * count < len(starts) else len(text)]
    return [text[start:end].strip() for start, end in pairwise(borders)]
