"""A record as a line of JSON that is read back as what it was."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from typing import Any

import msgspec

from groupmem.errors import InputError
from groupmem.types import Record


def as_row(record: Record) -> dict[str, Any]:
    """The fields of a record by name, those with their default value left out."""
    defaults = _defaults(type(record))
    row = msgspec.structs.asdict(record)
    return {name: value for name, value in row.items() if name not in defaults or value != defaults[name]}


def encode_line(row: Mapping[str, Any]) -> bytes:
    """The line. Raises InputError, naming the row's id, for a value that would come back as another or not at all."""
    name = row.get("id")
    if not name:
        raise InputError("a record without an id cannot be written")
    try:
        return msgspec.json.encode(_exact(row)) + b"\n"
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be written as JSON: {error}") from error


def _exact(value: Any) -> Any:
    """The value in types that JSON knows. Raises ValueError or TypeError for what JSON would change silently."""
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is no JSON number")
        return value
    if isinstance(value, datetime):
        return _with_whole_minutes(value)
    if isinstance(value, Record):
        return _exact(as_row(value))
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is not text")
    return key


def _with_whole_minutes(moment: datetime) -> datetime:
    """The same instant with an offset of whole minutes: RFC 3339 knows no seconds in an offset."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError(f"{moment.isoformat()} has no zone; times are aware")
    return moment.astimezone(UTC) if offset.total_seconds() % 60 else moment


@cache
def _defaults(kind: type[Record]) -> Mapping[str, Any]:
    return {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(kind)
        if not field.required
    }
