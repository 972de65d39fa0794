"""Words and tokens: the one way in which the project cuts text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    import bpe_openai

_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def words(text: str) -> list[str]:
    """Lower-cased runs of Unicode word characters: the cut that the published retrieval figures are measured with."""
    return _WORD.findall(text.lower())


def ascii_words(text: str) -> list[str]:
    """Lower-cased runs of ASCII letters, digits and underscores: the cut of the published GroupMemBench baseline.

    Letters of other scripts are breaks, as they are there. Runs are found before the case is folded, for a few other
    letters (the Kelvin sign) fold to ASCII ones.
    """
    return [word.lower() for word in _ASCII_WORD.findall(text)]


def printable(text: str) -> str:
    """Text for a terminal: what could steer one (control characters, direction overrides) or cannot be printed (lone
    surrogates) is written as an escape; tabs and line breaks stay."""
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def stemmer() -> Callable[[str], str]:
    """A function from a lower-cased English word to its stem (Snowball). Each thread needs one of its own."""
    stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
    return stem


@cache
def _encoding(name: str) -> bpe_openai.Encoding:
    import bpe_openai  # its tables take a third of a second and 60 MB: only who counts tokens pays

    return bpe_openai.get_encoding(name)


def count_tokens(text: str, encoding: str = "o200k_base") -> int:
    """Number of model tokens of `text`, with an encoding that ships with a package: no download.

    A message may hold the text of a special token ("<|endoftext|>"); it is counted as the ordinary text that it is.
    """
    return len(_encoding(encoding).encode_ordinary(text))
