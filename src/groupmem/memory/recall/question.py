"""What a question asks for, read from its words alone and the same for every kind of conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Literal

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.dates import DateNote, find_dates
from groupmem.memory.notes.mentions import Mention, find_mentions, find_roles
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.reading import Reading, Span, read
from groupmem.memory.recall.places import Labels, channels_in, phases_in

Ask = Literal["when", "current", "former", "advice"]

# How the answer is to be written is no part of what is asked.
_FORMAT = re.compile(
    r"\([^()]*(?:Y{2,4}|\b(?:format|e\.g\.|give the|list|name (?:all|them|both)|in words|answer)\b)[^()]*\)|"
    r"(?<=[.?!])\s+(?:please )?(?:give|answer|write|state|express|use|name) "
    r"(?:the|your|me|it|in|with|only|both|all|them)\b[^.?!]*[.?!]*\s*$",
    re.IGNORECASE,
)
_SIZES = "many|much|long|often|far|high|big|large|heavy|old|wide|tall"
_TIMES = "date|day|time|year|month|week|hour|weekday|evening|morning"
# The sort of answer that is asked for: its words are in no message that answers.
_SORT = re.compile(
    rf"\b(?:what|which|whose)\s+(?:\w+\s+){{0,2}}?(?:(?:{_TIMES}|number|amount|kind|type|sort|thing|name|person)s?|people)\b"
    rf"(?:\s+of\b)?|\bhow (?:{_SIZES})\b(?:\s+(?:times|days|weeks|hours|minutes))?",
    re.IGNORECASE,
)
_PATTERNS: dict[Ask, str] = {
    "when": rf"when|(?:what|which)\s+(?:\w+\s+){{0,2}}?(?:{_TIMES})s?|how long ago|since when|Y{{4}}",
    "current": r"now|current(?:ly)?|today's?|these days|at the moment|as things stand|still|latest|final(?:ly)?|"
    r"in the end|after all|eventually|nowadays",
    "advice": r"(?:can|could|would|will) you (?:\w+ ){0,2}?"
    r"(?:suggest|recommend|help|show|give|explain|tell|walk|write|make|plan|find)|"
    r"(?:how|what|which|where) (?:\w+ ){0,3}?(?:should|can|could|do|would) (?:i|we|you (?:suggest|recommend|advise))|"
    r"any (?:tips|advice|ideas|suggestions|recommendations)|what are (?:some|the different|the best|good)|"
    r"i(?:'m| am) looking (?:to|for)",
    "former": r"original(?:ly)?|former(?:ly)?|previous(?:ly)?|used to|at first|initial(?:ly)?|"
    r"before (?:that|it|this|the change)",
}
_ASKS = {ask: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for ask, pattern in _PATTERNS.items()}
# Who asks for advice has perhaps said before how they want it.
_STANDING = dict.fromkeys(content_terms("always never prefer"), 0.5)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was understood.

    `meaning` is what is compared by meaning: no names of participants, no instructions. `terms` are the words that are
    looked up. `people` are the ids that a name in the question fits, also where it fits several; `roles` the roles
    named. `channels` and `phases` are where it places what it asks for, `hinted` phases whose name merely stands in it.
    `speaker` is who says "I". `period` is a time that is named, in seconds since 1970.
    """

    text: str
    meaning: str
    terms: dict[str, float]
    asks: frozenset[Ask]
    people: frozenset[str]
    roles: frozenset[str]
    mentions: tuple[Mention, ...]
    speaker: str | None
    channels: frozenset[str]
    phases: frozenset[str]
    hinted: frozenset[str]
    period: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the asker can be taken to refer to. `humans` are the visible authors who are no bots."""

    directory: Directory
    asker: str | None
    humans: tuple[str, ...]
    channels: Labels
    phases: Labels
    now: datetime | None


def understand(question: str, around: Surroundings) -> Asked:
    """Reads a question. Relative dates in it are resolved against `around.now`, the time of asking."""
    reading = read(question)
    mentions = find_mentions(reading, around.directory)
    roles = find_roles(reading, around.directory)
    dates, _ = find_dates(reading.sentences, around.now)
    phases, channels = phases_in(question, around.phases), channels_in(question, around.channels)
    placed = [place for place in phases if place.certain] + channels
    apart = [place.span for place in placed] + [mention.span for mention in mentions if mention.candidates]
    plain = _clean(_FORMAT.sub(" ", _without(question, apart))) or question
    terms = content_terms(_SORT.sub(" ", plain)) or content_terms(plain)
    asks = frozenset(ask for ask, pattern in _ASKS.items() if pattern.search(question))
    weighted = dict.fromkeys(terms, 1.0)
    if "advice" in asks:
        weighted = _STANDING | weighted
    return Asked(
        text=question,
        meaning=plain,
        terms=weighted,
        asks=asks,
        people=frozenset(person for mention in mentions for person in mention.candidates),
        roles=frozenset(role for mention in roles for role in mention.roles),
        mentions=mentions,
        speaker=_speaker(reading, around),
        channels=frozenset(place.label for place in channels),
        phases=frozenset(place.label for place in phases if place.certain),
        hinted=frozenset(place.label for place in phases if not place.certain),
        period=_period(dates),
    )


def _without(text: str, spans: Sequence[Span]) -> str:
    """`text` without what stands at `spans`, and without possessive endings there."""
    for start, end in _apart(spans):
        owned = _POSSESSIVE.match(text, end)
        text = text[:start] + text[owned.end() if owned else end :]
    return text


def _apart(spans: Sequence[Span]) -> list[Span]:
    """The spans from the last to the first, those that overlap as one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined[::-1]


def _clean(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _speaker(reading: Reading, around: Surroundings) -> str | None:
    """Who says "I": the asker; where nobody knows who asks, the only human who is there."""
    if not _FIRST_PERSON.search(reading.body):
        return None
    if around.asker is not None:
        return around.asker
    return around.humans[0] if len(around.humans) == 1 else None


def _period(dates: Sequence[DateNote]) -> tuple[float, float] | None:
    """The days that the question names, from the first to the last; open where a preposition says so."""
    if not dates:
        return None
    start = datetime.combine(min(date.start for date in dates), time.min, UTC).timestamp()
    end = datetime.combine(max(date.end for date in dates), time.max, UTC).timestamp()
    relations = {date.relation for date in dates}
    if relations & {"before", "by", "until"}:
        return float("-inf"), end
    if relations & {"after", "since", "from"}:
        return start, float("inf")
    return start, end
