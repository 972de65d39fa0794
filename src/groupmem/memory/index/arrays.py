"""Files of named arrays: written once and whole, then mapped into memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groupmem.errors import InputError
from groupmem.files import open_atomic

_MAGIC = b"GMARRAY1"
_ALIGNMENT = 64


class DamagedIndexError(InputError):
    """An index file is not what the database says it is. The messages are safe: they are in the database."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; the messages are safe, make the indexes again with `groupmem rebuild`")


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes all arrays to one file, which is on disk and complete when this returns."""
    places: dict[str, tuple[str, tuple[int, ...], int]] = {}
    offset = 0
    for name, array in arrays.items():
        places[name] = array.dtype.str, array.shape, offset
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({"bytes": offset, "arrays": places}).encode()
    start = -(-(len(_MAGIC) + 8 + len(header)) // _ALIGNMENT) * _ALIGNMENT
    with open_atomic(path) as file:
        file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        for name, array in arrays.items():
            file.seek(start + places[name][2])
            file.write(np.ascontiguousarray(array).data)
        file.truncate(start + offset)


def map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, read when they are touched. Raises DamagedIndexError, or FileNotFoundError."""
    mapped = np.memmap(path, dtype=np.uint8, mode="r") if path.stat().st_size else np.empty(0, dtype=np.uint8)
    head = len(_MAGIC) + 8
    if bytes(mapped[: len(_MAGIC)]) != _MAGIC:
        raise DamagedIndexError(path, "it does not begin as an index file does")
    size = int.from_bytes(bytes(mapped[len(_MAGIC) : head]), "little")
    try:
        header = json.loads(bytes(mapped[head : head + size]))
    except ValueError as error:
        raise DamagedIndexError(path, "its table of contents cannot be read") from error
    start = -(-(head + size) // _ALIGNMENT) * _ALIGNMENT
    if len(mapped) != start + header["bytes"]:
        raise DamagedIndexError(path, f"it holds {len(mapped)} bytes where {start + header['bytes']} were written")
    return {
        name: np.frombuffer(mapped, dtype=dtype, count=prod(shape), offset=start + offset).reshape(shape)
        for name, (dtype, shape, offset) in header["arrays"].items()
    }
