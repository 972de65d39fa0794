"""Conversations for property tests: any Unicode, missing times, every kind of optional field."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from groupmem.types import Channel, Conversation, Message, Person, Question

texts = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ["", "會議改到週五", "اجتماع", "👩‍👩‍👧‍👦", "zero\u200bwidth", 'line\u2028break\nand \\ quote "', "\x00"]
)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
optional_texts = st.none() | texts
_first, _last = datetime.fromisoformat("1900-01-01"), datetime.fromisoformat("2200-01-01")


def _with_fixed_offset(moment: datetime) -> datetime:
    """The instant with its offset alone: Python holds a time in a repeated hour of a named zone equal to no other."""
    return moment.astimezone(timezone(moment.utcoffset() or timedelta()))


times = st.none() | st.datetimes(_first, _last, timezones=st.timezones()).map(_with_fixed_offset)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(texts, json_values, max_size=3)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Conversation, tuple[Question, ...]]:
    people_ids = draw(st.lists(names, unique=True, max_size=3))
    channel_ids = draw(st.lists(names, unique=True, min_size=1, max_size=3))
    message_ids = draw(st.lists(names, unique=True, min_size=1, max_size=6))
    question_ids = draw(st.lists(names, unique=True, max_size=3))
    return Conversation(
        id=draw(names),
        messages=tuple(draw(_message(name, channel_ids)) for name in message_ids),
        people=tuple(draw(_person(name)) for name in people_ids),
        channels=tuple(draw(_channel(name)) for name in channel_ids),
    ), tuple(draw(_question(name)) for name in question_ids)


def _message(name: str, channels: list[str]) -> st.SearchStrategy[Message]:
    return st.builds(
        Message,
        id=st.just(name),
        channel=st.sampled_from(channels),
        author=names,
        text=texts,
        sent_at=times,
        position=st.integers(0, 5),
        role=optional_texts,
        reply_to=optional_texts,
        thread=optional_texts,
        phase=optional_texts,
        topic=optional_texts,
        edited_at=times,
        is_bot=st.booleans(),
        extra=extras,
    )


def _person(name: str) -> st.SearchStrategy[Person]:
    aliases = st.lists(texts, max_size=2).map(tuple)
    return st.builds(Person, id=st.just(name), name=optional_texts, role=optional_texts, aliases=aliases, extra=extras)


def _channel(name: str) -> st.SearchStrategy[Channel]:
    members: st.SearchStrategy[Any] = st.none() | st.lists(texts, max_size=2).map(tuple)
    return st.builds(Channel, id=st.just(name), name=optional_texts, members=members, extra=extras)


def _question(name: str) -> st.SearchStrategy[Question]:
    return st.builds(
        Question,
        id=st.just(name),
        text=texts,
        answer=optional_texts,
        category=texts,
        asker=optional_texts,
        asked_at=times,
        evidence=st.lists(texts, max_size=2).map(tuple),
        twin=optional_texts,
        known_bad=optional_texts,
        extra=extras,
    )
