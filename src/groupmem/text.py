"""Words and tokens: the one way in which the project cuts text."""

from __future__ import annotations

import re
from functools import cache

import bpe_openai

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Lower-cased runs of Unicode word characters: the cut that the published retrieval figures are measured with."""
    return _WORD.findall(text.lower())


@cache
def _encoding(name: str) -> bpe_openai.Encoding:
    return bpe_openai.get_encoding(name)


def count_tokens(text: str, encoding: str = "o200k_base") -> int:
    """Number of model tokens of `text`, with an encoding that ships with a package: no download.

    A message may hold the text of a special token ("<|endoftext|>"); it is counted as the ordinary text that it is.
    """
    return len(_encoding(encoding).encode_ordinary(text))
