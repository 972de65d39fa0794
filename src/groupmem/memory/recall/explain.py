"""What recall understood, and why each passage stands where it does."""

from __future__ import annotations

from collections.abc import Mapping

from groupmem.memory.recall.answers import sort_of
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.question import Asked
from groupmem.types import Recall, Record

_SHOWN = 3


class Understood(Record, frozen=True, kw_only=True):
    """What a question was taken to ask. `terms` are the words that were looked up, with their weights; `parts` what was
    looked up by itself; `sort` the sort of answer that is asked for; `others_say` what others call a phrase of the
    asker's role; the rest is named in it."""

    meaning: str
    terms: Mapping[str, float]
    parts: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sort: str | None = None
    speaker: str | None = None
    people: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    others_say: Mapping[str, tuple[str, ...]] = {}


class Reasons(Record, frozen=True, kw_only=True):
    """The score of one passage, and its components, which add up to it (each rounded)."""

    message: str
    channel: str
    score: float
    components: Mapping[str, float]


class Assisted(Record, frozen=True, kw_only=True):
    """What a model changed: the lookups that it broke the question down to, as they were made; the replacements that
    it did not confirm ("new for old", by ids); the messages that it put first, by ids. `failures` are its replies that
    could not be used: the recall is what it is without them."""

    lookups: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    put_first: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class Explanation(Record, frozen=True, kw_only=True):
    """A recall with its reasons, in the order of its passages. `assisted` is None where no model was asked."""

    recall: Recall
    understood: Understood
    reasons: tuple[Reasons, ...]
    assisted: Assisted | None = None


def understood(asked: Asked) -> Understood:
    """The parts of `asked` that a person can check."""
    return Understood(
        meaning=asked.whole.meaning,
        terms=asked.whole.terms,
        parts=tuple(clause.meaning for clause in asked.clauses),
        asks=tuple(sorted(asked.asks)),
        kinds=tuple(sorted(asked.kinds)),
        sort=sort_of(asked.text),
        speaker=asked.speaker,
        people=tuple(sorted(asked.people)),
        roles=tuple(sorted(asked.roles)),
        channels=tuple(sorted(asked.whole.channels)),
        phases=tuple(sorted(asked.whole.phases | asked.hinted)),
        dates=tuple(f"{date.text}: {date.start} to {date.end}" for date in asked.dates),
        quotes=asked.quotes,
        others_say={named.phrase: tuple(each.phrase for each in named.counterparts) for named in asked.named},
    )


def components_at(found: Candidates, place: int) -> dict[str, float]:
    """The components of one candidate that are not 0, the largest first."""
    values = {name: round(float(values[place]), _SHOWN) for name, values in found.components.items()}
    return dict(sorted(((name, value) for name, value in values.items() if value), key=lambda pair: -abs(pair[1])))
