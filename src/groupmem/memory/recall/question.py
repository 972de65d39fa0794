"""What a question is about, read from its words alone and the same for every kind of conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time

from groupmem.memory.analysis import content_terms
from groupmem.memory.notes.dates import DateNote, day_term, find_dates
from groupmem.memory.notes.mentions import Mention, find_mentions, find_roles
from groupmem.memory.notes.people import Directory
from groupmem.memory.notes.reading import Reading, Span, read
from groupmem.memory.notes.statements import StatementKind
from groupmem.memory.recall.asks import Ask, asks_in, kinds_in, without_format, without_sort
from groupmem.memory.recall.parts import split
from groupmem.memory.recall.places import Labels, Place, channels_in, phases_in
from groupmem.memory.store.base import Named

_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b")
_SPACES = re.compile(r"\s+")
_LIST = re.compile(r":\s++(?=[^:;,]*+[;,])")
_SEMICOLON = re.compile(r";")
_COMMA = re.compile(r",\s*+(?:and\s+|or\s+)?")
_QUOTED = re.compile(r"(?<!phase )(?<!phase: )(?<!stage )[\"“«]([^\"“”«»\n]*+)[\"”»]")
_LEAST_ITEMS = 3
_MOST_CLAUSES = 12  # each is looked up by itself; what a longer question says besides is looked up with the whole of it
# Who asks for advice has perhaps said before how they want it.
_STANDING = dict.fromkeys(content_terms("always never prefer"), 0.5)
_NAME_OF_SPEAKER, _NAME_OF_OTHERS = 0.6, 0.3
"""Shares of a full word that a name has. People are named in what others say of them, but also called by name; and a
question by its first word would otherwise find whoever says the name most often."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a question that can be looked up by itself, or the whole of it.

    `meaning` is what is compared by meaning: no names of participants or places, no instructions. `terms` are the words
    that are looked up, in their order; those of `others` stand in no clause, but others say them for one that does.
    `channels` and `phases` are where it places what it asks for. `people` are those whom it names, `days` those that it
    names, as terms of the index.
    """

    meaning: str
    terms: dict[str, float]
    channels: frozenset[str] = frozenset()
    phases: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    days: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was understood.

    `clauses` are its parts, where it has several; `listed` says that they are items of a list, none of which leads to
    another. `people` are the ids that a name in it fits, also where it fits
    several; `roles` the roles named. `hinted` are phases whose name merely stands in it. `speaker` is who says "I".
    `dates` are the times that it names, `quotes` what stands in it in quotation marks. `kinds` are the kinds of
    statements that would answer. `matter` are the words
    of the last sentence or item, which says what is asked. `named` is what others say for the asker's own words.
    """

    text: str
    whole: Clause
    clauses: tuple[Clause, ...]
    listed: bool
    asks: frozenset[Ask]
    kinds: frozenset[StatementKind]
    people: frozenset[str]
    roles: frozenset[str]
    mentions: tuple[Mention, ...]
    speaker: str | None
    hinted: frozenset[str]
    dates: tuple[DateNote, ...]
    quotes: tuple[str, ...]
    matter: tuple[str, ...] = ()
    named: tuple[Named, ...] = ()

    @property
    def hops(self) -> bool:
        """Whether something has to be found first in order to find what is asked."""
        return not self.listed and (bool(self.clauses) or "hop" in self.asks)

    @property
    def turns(self) -> bool:
        """Whether it asks how something is by now, how it was before, or what changed it."""
        return bool(self.asks & {"current", "former", "turn"})

    @property
    def period(self) -> tuple[float, float] | None:
        """The time that is named, in seconds since 1970, from the first day to the last; open where a preposition says
        so."""
        return _period(self.dates)


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
    dates, _ = find_dates(reading.sentences, around.now)
    asks, speaker = asks_in(question), _speaker(reading, around)
    people = frozenset(person for mention in mentions for person in mention.candidates)
    whole = _clause(question, around)
    further = _STANDING if "advice" in asks else {}
    names = _names(around.directory, speaker, people)
    return Asked(
        text=question,
        whole=replace(whole, terms=further | names | whole.terms),
        clauses=_clauses(question, around),
        listed=bool(_items(without_format(question))),
        asks=asks,
        kinds=kinds_in(question),
        people=people,
        roles=frozenset(role for mention in find_roles(reading, around.directory) for role in mention.roles),
        mentions=mentions,
        speaker=speaker,
        hinted=frozenset(place.label for place in phases_in(question, around.phases) if not place.certain),
        dates=dates,
        quotes=tuple(quotes_in(question)),
        matter=_matter(question, around),
    )


def _clause(text: str, around: Surroundings) -> Clause:
    """A text as something to look up: names and places apart."""
    phases = [place for place in phases_in(text, around.phases) if place.certain]
    channels = channels_in(text, around.channels)
    named = [mention for mention in find_mentions(read(text), around.directory) if mention.candidates]
    dates, _ = find_dates(read(text).sentences, around.now)
    apart = [*_spans(phases), *_spans(channels), *(mention.span for mention in named)]
    plain = _clean(without_format(_without(text, apart))) or text
    terms = content_terms(_without_dates(without_sort(plain), around.now)) or content_terms(plain)
    return Clause(
        meaning=plain,
        terms=dict.fromkeys(terms, 1.0),
        channels=frozenset(place.label for place in channels),
        phases=frozenset(place.label for place in phases),
        people=frozenset(person for mention in named for person in mention.candidates),
        days=tuple(dict.fromkeys(map(day_term, dates))),
    )


def _clauses(question: str, around: Surroundings) -> tuple[Clause, ...]:
    """The items of a list, or else what is quoted, described and asked, where that is more than one thing.

    Of very many the first are taken, and the last, which is what is asked.
    """
    plain = without_format(question)
    pieces = _split(plain)
    quotes = [quote for quote in quotes_in(plain) if len(pieces) == 1 or quote not in " ".join(pieces[:-1])]
    parts = _items(plain) or [*quotes, *pieces]
    if len(parts) > _MOST_CLAUSES:
        parts = [*parts[: _MOST_CLAUSES - 1], parts[-1]]
    found = [_clause(part, around) for part in parts] if len(parts) > 1 else []
    found = [clause for clause in found if clause.terms or clause.people or clause.days]
    return tuple(found) if len(found) > 1 else ()


def _matter(question: str, around: Surroundings) -> tuple[str, ...]:
    """The words of the last item or sentence, with the descriptions in it."""
    plain = without_format(question)
    parts = _items(plain) or [sentence.text for sentence in read(plain).sentences]
    clauses = (_clause(part, around) for part in reversed(parts))
    said = next((clause for clause in clauses if clause.terms), None)
    return tuple((said or _clause(question, around)).terms)


def _split(text: str) -> list[str]:
    """The sentences, each without its descriptions, and these before it: what is asked comes last."""
    found: list[str] = []
    for sentence in read(text).sentences:
        parts = split(sentence.text)
        found += [*parts.described, parts.asked]
    return found


def _items(text: str) -> list[str]:
    """The items of a list after a colon, separated by semicolons or else by commas; [] where there is none."""
    head = _LIST.search(text)
    if head is None:
        return []
    listed = text[head.end() :].strip(" .?!")
    for separator in (_SEMICOLON, _COMMA):
        items = [item.strip() for item in separator.split(listed)]
        if len(items) >= _LEAST_ITEMS or (separator is _SEMICOLON and len(items) > 1):
            return items
    return []


def _names(directory: Directory, speaker: str | None, people: frozenset[str]) -> dict[str, float]:
    """The words of the names of people who are asked about, below full weight."""
    weights = dict.fromkeys(sorted(people), _NAME_OF_OTHERS)
    if speaker is not None:
        weights[speaker] = _NAME_OF_SPEAKER
    found: dict[str, float] = {}
    for person_id, weight in weights.items():
        person = directory.person(person_id)
        for term in content_terms((person.name if person else None) or ""):
            found[term] = max(found.get(term, 0.0), weight)
    return found


def quotes_in(text: str) -> list[str]:
    """What stands in quotation marks, where it is more than one word and names no place."""
    return [match[1] for match in _QUOTED.finditer(text) if _SPACES.search(match[1])]


def _without_dates(text: str, now: datetime | None) -> str:
    """A date is compared as a date: its words are not those that a message has for it."""
    dates, durations = find_dates(read(text).sentences, now)
    return _without(text, [*(date.span for date in dates), *(duration.span for duration in durations)])


def _spans(places: Sequence[Place]) -> list[Span]:
    return [place.span for place in places]


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
