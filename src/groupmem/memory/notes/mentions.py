"""Finds the people and the roles that a text names, and whom it speaks to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from typing import Literal

from groupmem.memory.languages import word_set
from groupmem.memory.notes.people import Directory, normalise
from groupmem.memory.notes.reading import Marks, Reading, Sentence, Span, has_digit, starts_sentence
from groupmem.types import Record

How = Literal["at", "id", "name"]

_RAW = re.compile(r"<@!?(?P<id>[\w.:@-]{1,64})(?:\|(?P<label>[^>\n]{1,60}))?>")
_AT = re.compile(
    r"@(?<![\w@<]@)(?:_?\*\*(?P<starred>[^*\n]{1,60})\*\*|(?P<plain>[^\W_][\w.\-]*(?: [^\W\d_][\w.\-]*){0,3}))"
)
_IDENTIFIER = re.compile(r"(?<![\w@<.\-])(?=[\w.\-]*[\d_])[^\W\d_]\w*(?:[.\-]\w+)*(?![\w>])")
_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_OPENING = re.compile(
    r"(?:hey|hi|hello|ok|okay|yes|no|thanks|thank you|sorry|well|so|and|please|dear|re)?[\s,:]*", re.IGNORECASE
)
_GREETING = re.compile(r"\b(?:hey|hi|hello|thanks|thank you|dear|cc)[\s,:]*$", re.IGNORECASE)
_CALL_ENDS = re.compile(r"\s*(?:[,:]|[-–—](?=\s)|[!?.]*$)")
_LISTED = re.compile(r"\s*,\s*[^\W_]+\s*(?:,|and\b|&|or\b)")
_LAST_CALL = re.compile(r",\s*$")
_LAST_WORD = re.compile(r"[\s.!?…\"')]*")
_DETERMINER = re.compile(r"\b(?:the|our|your|their|a|an|any|every)\s+$", re.IGNORECASE)
_REACH = 24  # characters beside a name that decide how it is meant
_EVERYBODY = frozenset({"here", "channel", "everyone", "everybody", "all"})
_SHOUTED = re.compile(r"[A-Z](?<!\w.)[A-Z]+\b")
_GLUE = ("@", "/", ".", "#")
_MOST_WORDS = 4
_span = attrgetter("span")

# Names that are words as well: without a capital they are the word, and at the start of a sentence they may be.
_WORDS_TOO = word_set("""
will mark may june april august dawn hope grace joy faith rose lily ivy holly jade pearl ruby amber art bill chip
chuck drew dean dev earl frank gene grant guy jack jay jean jet kit lane lance max miles nick norm pat penny pierce
ray rich rob rod sandy sky star stone sue sunny summer tab van victor wade ward see chase case page parker hunter
baker cook mason taylor long young king white black brown green gray day price best story wood field rivers brook
major sage reed dale cliff glen heath clay flint angel destiny melody harmony precious robin jasmine olive ginger
basil pepper iris violet daisy so do an
""")


class Mention(Record, frozen=True, kw_only=True, gc=False):
    """A place where a text names somebody. `person` is None where nobody, or more than one person, fits `name`.

    `candidates` are all who fit. `addressed` says that the text speaks to them.
    """

    name: str
    span: Span
    how: How
    person: str | None = None
    candidates: tuple[str, ...] = ()
    addressed: bool = False


class RoleMention(Record, frozen=True, kw_only=True, gc=False):
    """A place where a text names a role ("the release manager", "engineers"): the roles that fit, and who has them."""

    text: str
    span: Span
    roles: tuple[str, ...]
    people: tuple[str, ...]


def find_mentions(reading: Reading, directory: Directory) -> tuple[Mention, ...]:
    """The people named in the author's own words, in their order; quoted lines do not count."""
    found: list[Mention] = []
    marks = Marks(len(reading.body))
    if "@" in reading.body:
        found += [mention for mention in _raw(reading.body, directory) if marks.take(mention.span)]
        found += [mention for mention in _at(reading.body, directory) if marks.take(mention.span)]
    for sentence in reading.sentences:
        if not directory.starts.isdisjoint(sentence.words) or not sentence.text.isascii():
            found += [mention for mention in _ids(sentence, directory) if marks.take(mention.span)]
            found += [mention for mention in _named(sentence, directory) if marks.take(mention.span)]
    found.sort(key=_span)
    return tuple(found)


def find_roles(reading: Reading, directory: Directory) -> tuple[RoleMention, ...]:
    """The roles named: whole phrases, the head with an article or in the plural, and initials in capitals."""
    found: list[RoleMention] = []
    for sentence in reading.sentences:
        if not directory.role_starts.isdisjoint(sentence.words) or _has_initials(sentence.text, directory):
            found += _roles(sentence, directory)
    return tuple(found)


def _has_initials(text: str, directory: Directory) -> bool:
    return not text[1:].islower() and not directory.initials.isdisjoint(_SHOUTED.findall(text))


def _mention(name: str, span: Span, how: How, candidates: tuple[str, ...], addressed: bool) -> Mention:
    person = candidates[0] if len(candidates) == 1 else None
    return Mention(name=name, span=span, how=how, person=person, candidates=candidates, addressed=addressed)


def _raw(body: str, directory: Directory) -> Iterator[Mention]:
    """ "<@U36X>" as platforms export it; an unknown id is kept unresolved."""
    for match in _RAW.finditer(body):
        known = (match["id"],) if directory.person(match["id"]) else ()
        yield _mention(match["label"] or match["id"], match.span(), "at", known, True)


def _at(body: str, directory: Directory) -> Iterator[Mention]:
    """ "@Name": the longest run of words that somebody answers to."""
    for match in _AT.finditer(body):
        if starred := match["starred"]:
            name = starred.partition("|")[0]
            yield _mention(name, match.span(), "at", directory.candidates(name), True)
            continue
        words = match["plain"].split(" ")
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count]).rstrip(".-")
            candidates = directory.candidates(name) or (directory.misspelt(name) if count == 1 else ())
            if candidates or count == 1:
                break
        if normalise(name) not in _EVERYBODY and (candidates or not directory.roles(name)):
            yield _mention(name, (match.start(), match.start() + 1 + len(name)), "at", candidates, True)


def _ids(sentence: Sentence, directory: Directory) -> Iterator[Mention]:
    if "_" not in sentence.text and not has_digit(sentence.text):
        return
    for match in _IDENTIFIER.finditer(sentence.text):
        if directory.person(match.group()):
            span = match.start() + sentence.start, match.end() + sentence.start
            yield _mention(match.group(), span, "id", (match.group(),), _is_called(sentence.text, match.span()))


def _named(sentence: Sentence, directory: Directory) -> Iterator[Mention]:
    words = list(_WORD.finditer(sentence.text))
    end = 0
    for index, word in enumerate(words):
        if word.start() < end or normalise(word.group()) not in directory.starts:
            continue
        found = _longest(sentence.text, words[index : index + directory.longest], directory)
        if found is None or not _is_name(sentence.text, found[0], found[1], directory):
            continue
        name, local, candidates = found
        end = local[1]
        span = local[0] + sentence.start, end + sentence.start
        yield _mention(name, span, "name", candidates, _is_called(sentence.text, local))


def _longest(text: str, words: list[re.Match[str]], directory: Directory) -> tuple[str, Span, tuple[str, ...]] | None:
    """The longest run of words from the first on that somebody answers to, with only spaces or "-" between them."""
    for count in range(min(len(words), _MOST_WORDS), 0, -1):
        span = words[0].start(), words[count - 1].end()
        name = text[slice(*span)]
        if count > 1 and re.search(r"[^\w\s'’.\-]", name):
            continue
        if candidates := directory.candidates(name):
            return name, span, candidates
    return None


def _is_name(text: str, name: str, span: Span, directory: Directory) -> bool:
    """Whether a word that somebody answers to is meant as a name here."""
    if any(character in "_0123456789" for character in name):
        return False  # an id, and ids are found whole
    if text[span[0] - 1 : span[0]] in _GLUE or text[span[1] : span[1] + 1] in ("@", "/"):
        return False  # a part of an address
    plain = normalise(name)
    if " " in plain:
        return True
    word_too = plain in _WORDS_TOO
    if not name[0].isupper():
        caseless = name[0].lower() == name[0].upper()
        return caseless or not (word_too or directory.is_surname(name) or len(plain) <= 2)
    if name.isupper() and len(name) > 1 and word_too:
        return False
    return (
        not (word_too and starts_sentence(text, span[0]))
        or bool(_CALL_ENDS.match(text, span[1]))
        or text[span[1] : span[1] + 2] in ("'s", "’s")
    )


def _is_called(text: str, span: Span) -> bool:
    """Whether the name is a call: at the start ("Mira, can you"), after a greeting, or at the end (", Mira?")."""
    first, last = span
    if _LISTED.match(text, last):
        return False
    if _GREETING.search(text, max(0, first - _REACH), first):
        return True
    opens = first <= _REACH and _OPENING.fullmatch(text, 0, first) and _CALL_ENDS.match(text, last)
    if opens and text[last : last + _REACH].strip(" .,:!?-–—"):
        return True
    return bool(_LAST_CALL.search(text, max(0, first - _REACH), first)) and _LAST_WORD.fullmatch(text, last) is not None


def _roles(sentence: Sentence, directory: Directory) -> Iterator[RoleMention]:
    words = list(_WORD.finditer(sentence.text))
    end = 0
    for index, word in enumerate(words):
        shouted = word.group() in directory.initials
        if word.start() < end or not (shouted or normalise(word.group()) in directory.role_starts):
            continue
        for count in range(min(_MOST_WORDS, len(words) - index), 0, -1):
            first, last = words[index].start(), words[index + count - 1].end()
            text = sentence.text[first:last]
            roles = directory.roles(text if count == 1 and shouted else normalise(text))
            if roles and (count > 1 or _is_role(sentence.text, text, first)):
                span = first + sentence.start, last + sentence.start
                yield RoleMention(text=text, span=span, roles=roles, people=directory.holders(roles))
                end = last
                break


def _is_role(text: str, word: str, start: int) -> bool:
    """A single word names a role in capitals, in the plural, or after "the", "our" or a comma."""
    if word.isupper() and len(word) > 1:
        return True
    return word.lower().endswith("s") or _DETERMINER.search(text, max(0, start - _REACH), start) is not None
