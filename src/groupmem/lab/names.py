"""How the cells of a run are called, and how a name of any kind becomes a file name."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

MAX_NAME_BYTES = 200


def cell_name(unit: str, system: str) -> str:
    """How a cell is called in the call log, in progress lines and in notices."""
    return f"{unit}/{system}"


def encode_name(name: str) -> str:
    """A file name for any name, and for another name another one. What is too long for a file system ends in a hash."""
    encoded = quote(name, safe=" =,@+")
    if set(encoded) <= {"."}:
        return encoded.replace(".", "%2E")
    if len(encoded) <= MAX_NAME_BYTES:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{encoded[: MAX_NAME_BYTES - len(digest) - 1]}~{digest}"
