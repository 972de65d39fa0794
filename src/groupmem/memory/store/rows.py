"""Messages as rows of the database, and back."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import numpy as np

from groupmem.memory.notes.dates import day_term
from groupmem.memory.notes.records import Notes
from groupmem.memory.store.base import Noted, Rows
from groupmem.memory.store.database import Stored, restored, stored
from groupmem.memory.store.labels import Labels
from groupmem.memory.store.late import LateRows
from groupmem.types import Message

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (naive on purpose: local times are counted from it)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_READ = """
    SELECT m.row, m.thread, m.id, c.id, m.author, m.role, m.phase, m.topic, m.sent_at, m.sent_offset, m.position,
        m.is_bot, t.text, t.reply_to, t.thread, t.edited_at, t.edited_offset, t.extra, t.notes
    FROM messages m JOIN texts t ON t.row = m.row JOIN channels c ON c.channel = m.channel
    WHERE m.deleted = 0 AND m.row IN (SELECT value FROM json_each(?))
"""
_notes_decoder = msgspec.json.Decoder(Notes)
_extra_decoder = msgspec.json.Decoder(dict[str, Any])
_notes_encoder = msgspec.json.Encoder()


def numbers_json(numbers: Iterable[int] | Rows) -> str:
    """A list of numbers as one value of a statement, to be read by `json_each`."""
    return str(numbers.tolist() if isinstance(numbers, np.ndarray) else list(numbers))


def micros(moment: datetime) -> tuple[int, int]:
    """Microseconds since 1970 in UTC, and the offset of the zone in microseconds. A naive time is read as UTC."""
    if moment.tzinfo is UTC:
        offset, since = None, moment - _EPOCH_UTC
    else:
        offset, since = moment.utcoffset(), moment.replace(tzinfo=None) - _EPOCH
    local_us = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    offset_us = offset // _MICROSECOND if offset else 0
    return local_us - offset_us, offset_us


def moment_of(time_us: int, offset_us: int) -> datetime:
    """The aware time that `micros` was given."""
    if not offset_us:
        return _EPOCH_UTC + timedelta(microseconds=time_us)
    zone = timezone(timedelta(microseconds=offset_us))
    return (_EPOCH + timedelta(microseconds=time_us + offset_us)).replace(tzinfo=zone)


def count_words(text: str) -> int:
    """How many runs without spaces a text has."""
    return len(text.split())


def readable(text: str) -> str:
    """The text for models and analysers: half surrogate pairs become replacement characters, one for one."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)


def text_values(message: Message, notes: Notes) -> dict[str, Any]:
    """The columns of `texts`."""
    edited_at, edited_offset = micros(message.edited_at) if message.edited_at else (None, None)
    return {
        "text": stored(message.text),
        "reply_to": None if message.reply_to is None else stored(message.reply_to),
        "source_thread": None if message.thread is None else stored(message.thread),
        "edited_at": edited_at,
        "edited_offset": edited_offset,
        "extra": _encode_extra(message.extra) if message.extra else None,
        "notes": _notes_encoder.encode(notes),
        "days": " ".join(dict.fromkeys(map(day_term, notes.dates))) if notes.dates else None,
    }


def _encode_extra(extra: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(extra)
    except (UnicodeEncodeError, TypeError):  # half a surrogate pair, or a value that JSON has not
        return json.dumps(dict(extra), default=str).encode()


def _decode_extra(extra: bytes) -> Mapping[str, Any]:
    try:
        return _extra_decoder.decode(extra)
    except msgspec.DecodeError:  # half a surrogate pair again
        return dict(json.loads(extra))


def encode_notes(notes: Notes) -> bytes:
    return _notes_encoder.encode(notes)


def decode_notes(value: bytes) -> Notes:
    return _notes_decoder.decode(value)


def read_noted(connection: sqlite3.Connection | LateRows, labels: Labels, rows: Iterable[int]) -> Iterator[Noted]:
    """The messages of these rows with their notes, in no order; those deleted meanwhile are left out."""
    for values in connection.execute(_READ, (numbers_json(rows),)):
        yield _noted(values, labels)


def _noted(values: tuple[Any, ...], labels: Labels) -> Noted:
    (row, thread, source, channel, author, role, phase, topic, sent_at, sent_offset, position) = values[:11]
    (is_bot, text, reply_to, source_thread, edited_at, edited_offset, extra, notes) = values[11:]
    message = Message(
        id=restored(source),
        channel=restored(channel),
        author=labels.text(author) or "",
        text=restored(text),
        sent_at=None if sent_at is None else moment_of(sent_at, sent_offset),
        position=position,
        role=labels.text(role),
        reply_to=_optional(reply_to),
        thread=_optional(source_thread),
        phase=labels.text(phase),
        topic=labels.text(topic),
        edited_at=None if edited_at is None else moment_of(edited_at, edited_offset),
        is_bot=bool(is_bot),
        extra={} if extra is None else _decode_extra(extra),
    )
    return Noted(row=row, thread=thread, message=message, notes=decode_notes(notes))


def _optional(value: Stored | None) -> str | None:
    return None if value is None else restored(value)
