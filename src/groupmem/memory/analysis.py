"""The analyser: text to the terms that are indexed, and questions to the terms that are looked up. The same for both.

- Case, width and compatibility forms are folded (NFKC, casefold), zero-width and direction marks removed, Latin accents
  dropped: "Blåbær" and "blabaer" are one term.
- Words of scripts with a stemmer are stemmed; Latin script by the English one. Where the function words of a text show
  another language that has a stemmer, its stem is a second term ("de~lauf").
- Identifiers give themselves and their parts: "step_delay" gives "stepdelay", "step", "delay"; "PROJ-123", "deploy-eu",
  "camelCase" likewise; "v2.3.1" also gives "2.3.1".
- Chinese and Japanese give every character and every overlapping pair; Korean words, Thai and its neighbours give the
  run and its pairs. Emoji are terms, without skin tones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import regex
import Stemmer

from groupmem.memory.known import LONGEST_WORD, known_if_short
from groupmem.memory.languages import (
    CODES,
    FEWEST_SIGNS,
    FUNCTION_WORDS,
    STOPWORDS_ENGLISH,
    foreign_language,
    signs_in,
)

BEGINS_PHRASE, BEGINS_SENTENCE, IS_PART = 1, 2, 4
"""Marks of a term: a function word or the start of a sentence or clause stands before it; such a start does; it is a
part of the identifier before it, or a second stem of a word."""

_ASCII_CHUNK = re.compile(r"[A-Za-z0-9_]+(?:(?:[.\-'@&+]|(?<=\d):(?=\d)|,(?=\d\d\d))[A-Za-z0-9_]+)*(?:\+\+|#(?!\w))?")
_CHUNK = regex.compile(
    r"\p{Extended_Pictographic}[\uFE0F\p{EMod}]*(?:\u200D\p{Extended_Pictographic}[\uFE0F\p{EMod}]*)*|\p{RI}{2}|"
    r"[\p{L}\p{N}\p{M}_]+(?:(?:[.\-'’@&+]|(?<=\d):(?=\d)|,(?=\d\d\d))[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?!\w))?"
)
_ENDS = frozenset(".?!:;,()\n。！？：；，、…")
_ASCII_PIECE = re.compile(rf"{_ASCII_CHUNK.pattern}|[.?!:;,()\n]")
_PIECE = regex.compile(rf"{_CHUNK.pattern}|[.?!:;,()\n。！？：；，、…]")
_UNSEEN = regex.compile(r"[\u200B\u200C\u2060\uFEFF\u00AD\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFE00-\uFE0E]")
_LOOSE_JOINER = regex.compile(
    r"(?<!\p{Extended_Pictographic}[\uFE0F\p{EMod}]*)\u200D|\u200D(?!\p{Extended_Pictographic})"
)
_DRESS = regex.compile(r"[\uFE0F\p{EMod}]")
_PICTURE = regex.compile(r"[\p{Extended_Pictographic}\p{RI}]")
_RUN = regex.compile(
    r"(?P<han>[\p{Han}\p{Hiragana}\p{Katakana}ー々〆]+)|(?P<unspaced>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)|"
    r"(?P<hangul>\p{Hangul}+)|(?P<spaced>[^\p{Han}\p{Hiragana}\p{Katakana}ー々〆\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]+)"
)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\x00-\x7F]+")
_CONNECTOR = re.compile(r"[.\-'’@&+_,:#]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*$")
_VERSION = re.compile(r"v(\d+(?:\.\d+)+)$")
_MARKS = regex.compile(r"\p{Mn}+")
_SPECIAL_LATIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ё": "е"}
)
_PAIR = 2
# What "he'll" and "I'd" are without their sign.
_WORDS_BESIDES = frozenset({"hell", "id", "ill", "shed", "shell", "wed"})
_PART = bytes([IS_PART])

_SCRIPT_STEMMERS = (
    (regex.compile(r"\p{Cyrillic}"), "russian"),
    (regex.compile(r"\p{Greek}"), "greek"),
    (regex.compile(r"\p{Arabic}"), "arabic"),
    (regex.compile(r"\p{Devanagari}"), "hindi"),
    (regex.compile(r"\p{Tamil}"), "tamil"),
    (regex.compile(r"\p{Armenian}"), "armenian"),
)


class Word(NamedTuple):
    """A word of a text: its term, the marks of that, and how it is written."""

    term: str
    marks: int
    text: str


def terms(text: str) -> list[str]:
    """The terms of `text` in its order, repeats kept. None holds whitespace, so that they can be joined by it."""
    if text.isascii():
        found = [term for chunk in _ASCII_CHUNK.findall(text) for term in _expand(chunk)]
        lowered = text.lower()
    else:
        clean = _clean(text)
        found = [term for chunk in _CHUNK.findall(clean) for term in _expand(chunk)]
        lowered = clean.lower()
    language = foreign_language(lowered)
    return found if language is None else [*found, *_foreign(lowered, language)]


def content_terms(text: str) -> list[str]:
    """The terms of `text` without its function words; all of them where nothing else is left."""
    if not text.isascii():
        found = terms(text)
        return [term for term in found if term not in STOP_TERMS] or found
    kept: list[str] = []
    signs: set[str] = set()
    for chunk in _ASCII_CHUNK.findall(text):
        known, signed = _content_signed(chunk)
        kept += known
        if signed:
            signs |= signed
    if len(signs) >= FEWEST_SIGNS and (language := foreign_language(text.lower())):
        kept += _foreign(text.lower(), language)
    return kept or terms(text)


def running_terms(text: str) -> tuple[list[str], bytes]:
    """The same terms as `content_terms`, and a byte of marks for each: where phrases and sentences begin, and what is
    only a part of an identifier."""
    plain = text if text.isascii() else _clean(text)
    found: list[str] = []
    marks = bytearray()
    for run, before in _runs(plain):
        found += run.terms
        marks.append(run.marks[0] | before)
        if len(run.marks) > 1:
            marks += run.marks[1:]
    if language := foreign_language(plain.lower()):
        foreign = _foreign(plain.lower(), language)
        found += foreign
        marks += _PART * len(foreign)
    if found:
        return found, bytes(marks)
    alone = terms(text)
    return alone, bytes([BEGINS_PHRASE | BEGINS_SENTENCE]) * len(alone)


def running_words(text: str) -> list[Word]:
    """The words of `text` that `running_terms` gives, without parts, as they are written."""
    plain = text if text.isascii() else _clean(text)
    found: list[Word] = []
    for run, before in _runs(plain):
        found.append(run.words[0]._replace(marks=run.words[0].marks | before))
        found += run.words[1:]
    return found


class _Run(NamedTuple):
    """What stands between two spaces of a text, as if nothing stood before it: its terms and their marks, its words,
    and the marks that what follows has from it."""

    terms: tuple[str, ...]
    marks: bytes
    words: tuple[Word, ...]
    after: int


def _runs(plain: str) -> Iterator[tuple[_Run, int]]:
    """What stands between the spaces of a clean text and has words, and the marks that each has from before it."""
    before = BEGINS_PHRASE | BEGINS_SENTENCE
    for piece in plain.split(" "):
        run = _run(piece)
        if run.words:
            yield run, before
            before = run.after
        else:
            before |= run.after


@known_if_short(1 << 16)
def _run(piece: str) -> _Run:
    """No word holds a space, so a text can be read piece by piece, and most pieces are known from other texts."""
    words: list[Word] = []
    found: list[str] = []
    marks = bytearray()
    before = 0
    for chunk in (_ASCII_PIECE if piece.isascii() else _PIECE).findall(piece):
        if chunk in _ENDS:
            before = BEGINS_PHRASE | BEGINS_SENTENCE
        elif known := _content(chunk):
            words.append(Word(known[0], before, chunk))
            found += known
            marks.append(before)
            marks += _PART * (len(known) - 1)
            before = 0
        else:
            before |= BEGINS_PHRASE
    return _Run(tuple(found), bytes(marks), tuple(words), before)


def stem(word: str) -> str:
    """The term of a single word."""
    expanded = _expand(word)
    return expanded[0] if expanded else word.casefold()


def _clean(text: str) -> str:
    text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return _LOOSE_JOINER.sub("", text) if "\u200d" in text else text


@known_if_short(1 << 16)
def _expand(chunk: str) -> tuple[str, ...]:
    """The terms of one run of word characters and connectors."""
    if chunk.isascii():
        return tuple(_spaced(chunk))
    if _PICTURE.match(chunk):
        return (_DRESS.sub("", chunk),)
    found: list[str] = []
    for run in _RUN.finditer(chunk):
        piece = run.group()
        if run.lastgroup == "han":
            found.extend(_characters_and_pairs(piece))
        elif run.lastgroup == "spaced":
            piece = _CONNECTOR.sub("", piece) if _CONNECTOR.fullmatch(piece) else piece.strip("._-'’@&+,#")
            found.extend(_spaced(piece) if piece else ())
        else:
            found.extend(_run_and_pairs(piece))
    if len(found) > 1 and "".join(found) != chunk and _is_mixed(chunk):
        found.append(_CONNECTOR.sub("", chunk.casefold()))
    return tuple(dict.fromkeys(term for term in found if term))


@known_if_short(1 << 16)
def _content(chunk: str) -> tuple[str, ...]:
    """The terms of one run of characters that are no function words."""
    return tuple(term for term in _expand(chunk) if term not in STOP_TERMS)


@known_if_short(1 << 16)
def _content_signed(chunk: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The same, and the words in it that are signs of another language: most texts have none."""
    return _content(chunk), signs_in(chunk.lower())


def _is_mixed(chunk: str) -> bool:
    """Whether letters of the unspaced scripts meet others: then the whole is an identifier of its own."""
    return len({run.lastgroup for run in _RUN.finditer(chunk)}) > 1 and len(chunk) <= LONGEST_WORD


def _characters_and_pairs(run: str) -> Iterator[str]:
    for index, character in enumerate(run):
        yield character.casefold()
        if index + 1 < len(run):
            yield run[index : index + 2]


def _run_and_pairs(run: str) -> Iterator[str]:
    clusters = regex.findall(r"\X", run)
    if len(run) <= LONGEST_WORD:
        yield run
    if len(clusters) > _PAIR:
        yield from map("".join, pairwise(clusters))


def _spaced(chunk: str) -> Iterator[str]:
    """A word, a number or an identifier of a script that puts spaces between words."""
    if _NUMBER.match(chunk):
        yield chunk.replace(",", "")
        return
    if chunk.endswith(("'s", "’s")):
        chunk = chunk[:-2]
    parts = [hump for piece in _CONNECTOR.split(chunk) if piece for hump in _humps(piece)]
    whole = chunk.casefold()
    if version := _VERSION.match(whole):
        yield whole
        yield version[1]
        return
    if whole.endswith(("++", "#")):
        yield whole
    joined = _CONNECTOR.sub("", whole)
    if not joined:
        return
    if joined in _WORDS_BESIDES and ("'" in whole or "’" in whole):
        yield whole.replace("’", "'")
        return
    yield word_term(joined)
    if len(parts) > 1 and "'" not in chunk and "’" not in chunk:
        for part in parts:
            yield word_term(part.casefold())


def _humps(piece: str) -> list[str]:
    """The words of "camelCase"; of "P2" and "JSON2" letters and digits stay together."""
    humps = _HUMP.findall(piece) if piece.isascii() and not piece.islower() and not piece.isupper() else [piece]
    return humps if len(humps) > 1 and all(hump.isalpha() for hump in humps) else [piece]


@known_if_short(1 << 16)
def word_term(word: str) -> str:
    """The term of one case-folded word without connectors."""
    if len(word) > LONGEST_WORD:
        return word[:LONGEST_WORD]
    if not word.isascii():
        for script, language in _SCRIPT_STEMMERS:
            if script.search(word):
                return str(_stemmer(language).stemWord(word.translate(_SPECIAL_LATIN)))
        word = _MARKS.sub("", unicodedata.normalize("NFKD", word)).translate(_SPECIAL_LATIN)
    return str(_stemmer("english").stemWord(word)) if word.isalpha() else word


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


def _foreign(lowered: str, language: str) -> list[str]:
    """The stems that the text's own language gives, marked with it."""
    stemmer = _stemmer(language)
    words = [word for word in regex.findall(r"\p{L}+", lowered) if word not in FUNCTION_WORDS[language]]
    return [f"{CODES[language]}~{found}" for found in stemmer.stemWords(words)]


STOP_TERMS = frozenset(chain.from_iterable(_spaced(word) for word in STOPWORDS_ENGLISH))
