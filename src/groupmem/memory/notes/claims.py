"""Who speaks for whom: the author for themself, about somebody else, or passing on what somebody said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from groupmem.memory.languages import word_set
from groupmem.memory.notes.mentions import Mention
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.reading import Reading, Sentence, Span
from groupmem.types import Record

if TYPE_CHECKING:
    from groupmem.memory.notes.records import Notes

Mode = Literal["about", "reported", "quoted"]

_SAYS = (
    r"(?:says?|said|told|tells|asked|asks|wrote|writes|mentioned|mentions|confirmed|confirms|claims?|claimed|reckons?|"
    r"reckoned|thinks?|thought|believes?|believed|insists?|insisted|argues?|argued|reports?|reported|announced|"
    r"suggested|suggests|proposed|proposes|admitted|replied|answered|promised|warned|explained)"
)
_SAID_AFTER = re.compile(
    r"(?:'s|’s)?\s*(?:\([^)]*\)\s*)?(?:(?:also|just|already|once|then) )?"
    rf"(?:{_SAYS}\b(?!\s+(?:by|from)\b)|(?:put|puts|has|had) it\b)",
    re.IGNORECASE,
)
_ACCORDING = re.compile(
    r"\b(?:according to|as per|per|quoting|citing|in the words of|heard from|from what)\s+(?:@|the\s+)?$", re.IGNORECASE
)
_SAID_BEFORE = re.compile(rf"[,\"”]\s*(?:as\s+)?{_SAYS}\s+@?$", re.IGNORECASE)
_REACH = 40  # characters before a name in which it can be made a source
_VERB_NEXT = re.compile(r"(?:'s|’s)?\s+(?:[a-z]+ly |also |just |still |now |really |always |never )?(?P<verb>[a-z']+)")
_ABOUT_VERBS = word_set("""
agree disagree differ think want need own lead like love hate is isn't was wasn't are has hasn't had will won't
would wouldn't can can't could should must may might wants want wanted needs needed prefers prefer preferred
likes liked loves loved hates hated owns owned leads led handles handled does doesn't did didn't works worked
moved moves left joined joins takes took runs ran knows knew lives lived goes went gets got keeps kept thinks
feels felt agreed disagrees approved approves signed asked refuses refused decided plans planned uses used holds
held drives drove
""")
_THIRD = word_set("she he they her his their him them she's he's they're she'd he'd they'd she'll he'll they'll")
_YOU_SAID = re.compile(rf"\byou(?:'ve|’ve)? (?:also |just |already |once )?{_SAYS}\b", re.IGNORECASE)
_ROW = re.compile(r"\s*(?:,|,?\s*(?:and|&|or))\s*@?")
_QUOTED_PERSON = re.compile(r"[ \t]*>\s*<?@(?P<name>[\w.:-]{1,64})>?")


class Claim(Record, frozen=True, kw_only=True, gc=False):
    """Who answers for what one sentence, or a quoted line, says (`span`).

    `holder` is the person whose claim it is: the author, or in reported speech and quotes the person it is reported of
    (None where the name fits nobody or several). `reported_by` is then the author. `about` are the people it is made
    about, `source_name` the name by which the holder is given.
    """

    span: Span
    mode: Mode
    holder: str | None
    reported_by: str | None = None
    about: tuple[str, ...] = ()
    source_name: str | None = None


def find_claims(reading: Reading, author: str, mentions: Sequence[Mention], directory: Directory) -> tuple[Claim, ...]:
    """The claims that are not simply the author's own: about people, passed on from people, and quoted lines.

    A sentence without a claim here is the author's, in the first person or about things.
    """
    found: list[Claim] = []
    for sentence in reading.sentences if mentions else ():
        inside = [mention for mention in mentions if sentence.holds(mention.span)]
        claim = _claim(sentence, author, inside) if inside else None
        if claim is not None:
            found.append(claim)
    found.extend(_quoted(reading.text, span, author, directory) for span in reading.quotes)
    return tuple(found)


def spoken_of(notes: Notes) -> str | None:
    """The person of whom a message speaks: whose words it passes on, whom it states something about, or else the only
    one whom it names other than to call them. None where that is nobody but the author."""
    if not notes.mentions and not notes.claims:
        return None
    for claim in notes.claims:
        others = [person for person in (claim.holder, *claim.about) if person not in (None, notes.author)]
        if claim.mode != "quoted" and others:
            return others[0]
    named = {each.person for each in notes.mentions if each.person is not None and not each.addressed}
    named.discard(notes.author)
    return named.pop() if len(named) == 1 else None


def _quoted(text: str, span: Span, author: str, directory: Directory) -> Claim:
    """A quoted line; a platform's reply quote names whom it quotes ("> <@mira> ...")."""
    named = _QUOTED_PERSON.match(text, *span)
    name = named["name"] if named else None
    candidates = directory.candidates(name) if name else ()
    holder = candidates[0] if len(candidates) == 1 else None
    return Claim(span=span, mode="quoted", holder=holder, reported_by=author, source_name=name)


def _claim(sentence: Sentence, author: str, mentions: list[Mention]) -> Claim | None:
    span = sentence.start, sentence.end
    source = next((mention for mention in mentions if _speaks(sentence, mention)), None)
    about = _subjects(sentence, [mention for mention in mentions if mention is not source])
    if source is None:
        return Claim(span=span, mode="about", holder=author, about=about) if about else None
    if not about and source.person and not _THIRD.isdisjoint(sentence.words):
        about = (source.person,)
    return Claim(
        span=span, mode="reported", holder=source.person, reported_by=author, about=about, source_name=source.name
    )


def _speaks(sentence: Sentence, mention: Mention) -> bool:
    """Whether the sentence passes on what the mentioned person said."""
    text = sentence.text
    first, last = mention.span[0] - sentence.start, mention.span[1] - sentence.start
    if mention.addressed and mention.how != "at":
        return _YOU_SAID.search(text) is not None
    if _SAID_AFTER.match(text, last):
        return True
    return bool(
        _ACCORDING.search(text, max(0, first - _REACH), first)
        or _SAID_BEFORE.search(text, max(0, first - _REACH), first)
    )


def _subjects(sentence: Sentence, mentions: list[Mention]) -> tuple[str, ...]:
    """Who the sentence is about: a verb follows the name, or it is somebody's ("Priya's plan"), or one of a row."""
    found: list[str | None] = []
    following: Mention | None = None
    for mention in reversed(mentions):
        last = mention.span[1] - sentence.start
        in_row = following is not None and _ROW.fullmatch(sentence.text, last, following.span[0] - sentence.start)
        if not mention.addressed and (in_row or _is_subject(sentence.text, last)):
            found.append(mention.person)
            following = mention
    return tuple(dict.fromkeys(person for person in reversed(found) if person))


def _is_subject(text: str, last: int) -> bool:
    if text[last : last + 2] in ("'s", "’s"):
        return True
    follows = _VERB_NEXT.match(text, last)
    return follows is not None and (follows["verb"] in _ABOUT_VERBS or follows["verb"].endswith(("s", "ed")))
