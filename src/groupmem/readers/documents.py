"""Files as readers meet them: one JSON document, or lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from groupmem.errors import InputError
from groupmem.types import Record

_BOM = b"\xef\xbb\xbf"


class Document(Record, frozen=True, kw_only=True):
    """A JSON document. `lenient` where only the standard library could read it: a text may hold a lone surrogate.

    `non_finite` counts NaN and Infinity, which writers leave in files although JSON does not know them; each is kept as
    the text that it was.
    """

    value: Any
    lenient: bool = False
    non_finite: int = 0


def read_document(path: Path) -> Document:
    """The one JSON value in a file. Raises InputError for a file that is missing, empty, not UTF-8 or not JSON."""
    content = read_bytes(path)
    if not content.strip():
        raise InputError(f"{path} is empty")
    try:
        return Document(value=msgspec.json.decode(content))
    except (msgspec.DecodeError, RecursionError):
        return _read_leniently(path, content)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file without a byte order mark. Raises InputError where it cannot be read."""
    try:
        return path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number (from 1) and bytes of each line that is not blank, streamed; only a newline ends a line.

    Raises InputError where the file cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    with file:
        for number, line in enumerate(file, start=1):
            stripped = (line.removeprefix(_BOM) if number == 1 else line).strip()
            if stripped:
                yield number, stripped


def _read_leniently(path: Path, content: bytes) -> Document:
    found: list[str] = []

    def keep_as_text(constant: str) -> str:
        found.append(constant)
        return constant

    try:
        value = json.loads(content.decode("utf-8"), parse_constant=keep_as_text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply to be a conversation") from error
    return Document(value=value, lenient=True, non_finite=len(found))
