"""Fields of a raw row. Each function raises BadRow with a reason that names the field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from groupmem.readers.base import BadRow, Ledger
from groupmem.readers.documents import numbered_lines

Row = Mapping[str, Any]

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]|$)")


def json_rows(path: Path, ledger: Ledger) -> Iterator[tuple[str, Row]]:
    """Where ("line 3") and value of each line that is a JSON object; every other line is quarantined."""
    for number, line in numbered_lines(path):
        where = f"line {number}"
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            ledger.quarantine(path, where, f"broken line: {error}", line)
            continue
        if isinstance(value, dict):
            yield where, value
        else:
            ledger.quarantine(path, where, "not a JSON object", line)


def identifier(row: Row, field: str) -> str:
    """A required id; a whole number is taken as its digits."""
    value = optional_identifier(row, field)
    if value is None:
        raise BadRow(f"missing field {field}")
    return value


def optional_identifier(row: Row, field: str) -> str | None:
    """An id, or None where the field is absent, null or empty."""
    value = row.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return optional_text(row, field) or None


def text(row: Row, field: str) -> str:
    """A required text, which may be empty."""
    value = optional_text(row, field)
    if value is None:
        raise BadRow(f"missing field {field}")
    return value


def optional_text(row: Row, field: str) -> str | None:
    value = row.get(field)
    if value is not None and not isinstance(value, str):
        raise BadRow(f"{field} is not text: {value!r}")
    return value


def flag(row: Row, field: str) -> bool:
    """A truth value; False where the field is absent or null."""
    value = row.get(field)
    if value is not None and not isinstance(value, bool):
        raise BadRow(f"{field} is neither true nor false: {value!r}")
    return bool(value)


def identifiers(row: Row, field: str) -> tuple[str, ...]:
    """A list of ids; empty where the field is absent or null."""
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRow(f"{field} is not a list: {value!r}")
    return tuple(identifier({field: item}, field) for item in value)


def time(row: Row, field: str, ledger: Ledger) -> datetime | None:
    """An ISO 8601 time, aware: one without a zone is read as UTC and counted. None where absent, null or empty."""
    value = row.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not _ISO_DATE.match(value):
        raise BadRow(f"{field} is not an ISO 8601 time: {value!r}")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise BadRow(f"{field} is not an ISO 8601 time: {value!r} ({error})") from error
    return aware(moment, ledger)


def aware(moment: datetime, ledger: Ledger) -> datetime:
    """`moment` with a zone: UTC where it has none, which is counted."""
    if moment.tzinfo is not None:
        return moment
    ledger.count("naive_times")
    return moment.replace(tzinfo=UTC)


def is_unicode(value: msgspec.Struct) -> bool:
    """Whether every text in `value` can be written as UTF-8: a lone surrogate cannot."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True


def rest(row: Row, known: frozenset[str]) -> dict[str, Any]:
    """The fields that have no place of their own."""
    return {name: value for name, value in row.items() if name not in known}
