"""All readers, and which of them a path is for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from groupmem.errors import InputError
from groupmem.readers import groupmembench, irc, jsonl
from groupmem.readers.base import Loaded


class Format(NamedTuple):
    """One chat format: how it is recognised, how it is read, and what a user must have for it."""

    name: str
    expects: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path], Loaded]


FORMATS: tuple[Format, ...] = (
    Format("groupmem JSONL", jsonl.EXPECTS, jsonl.recognises, jsonl.read),
    Format("annotated IRC logs", irc.EXPECTS, irc.recognises, irc.read),
    Format("GroupMemBench layout", groupmembench.EXPECTS, Path.is_dir, groupmembench.read),
    Format("GroupMemBench domain file", groupmembench.EXPECTS_FILE, groupmembench.recognises_file, groupmembench.read),
)


def read_any(path: Path) -> Loaded:
    """Reads a conversation in whichever format it is.

    Raises InputError where the path does not exist, no reader knows it (the message lists what is expected), or its
    reader can make nothing of it.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist")
    for format_ in FORMATS:
        if format_.recognises(path):
            return format_.read(path)
    expected = "; ".join(f"{format_.expects} ({format_.name})" for format_ in FORMATS)
    raise InputError(f"{path} is no conversation that can be read. Expected one of: {expected}")
