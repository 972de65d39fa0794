"""Vector blocks as files: one pair a channel, appended to, of which the database says how much counts.

What lies beyond the counted part was being written when a process died; the next append overwrites it.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.index.arrays import DamagedIndexError
from groupmem.memory.index.vectors import Block, Bytes, Numbers


class BlockFile:
    """The block of one channel in one generation of vectors, `dimensions` bytes and one entry number a vector.

    `revision` tells the files of a compacted block from those it replaces. `paths` are the vectors and the entries.
    """

    def __init__(self, folder: Path, generation: int, channel: int, revision: int, dimensions: int) -> None:
        stem = f"vectors-{generation}-{channel}-{revision}"
        self.paths = folder / f"{stem}.int8", folder / f"{stem}.entries"
        self._channel = channel
        self._dimensions = dimensions

    def append(self, counted: int, entries: Numbers, vectors: Bytes) -> int:
        """Writes vectors behind the `counted` ones, down to the disk; gives how many count now."""
        _write_behind(self.paths[0], counted * self._dimensions, vectors)
        _write_behind(self.paths[1], counted * 8, entries.astype("<i8"))
        return counted + len(entries)

    def read(self, counted: int) -> Block:
        """The counted vectors. Raises DamagedIndexError for a file that is too short, FileNotFoundError for none."""
        vectors = np.frombuffer(_map(self.paths[0], counted * self._dimensions), dtype=np.int8)
        entries = np.frombuffer(_map(self.paths[1], counted * 8), dtype="<i8")
        return Block(channel=self._channel, entries=entries, vectors=vectors.reshape(counted, self._dimensions))


def _write_behind(path: Path, size: int, content: Bytes | Numbers) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if path.exists() else "w+b") as file:
        if os.fstat(file.fileno()).st_size < size:
            raise DamagedIndexError(path, f"it is shorter than the {size} bytes that were written")
        file.truncate(size)
        file.seek(size)
        file.write(np.ascontiguousarray(content).data)
        file.flush()
        os.fsync(file.fileno())


def _map(path: Path, size: int) -> NDArray[np.uint8]:
    found = path.stat().st_size
    if found < size:
        raise DamagedIndexError(path, f"it holds {found} bytes where {size} were written")
    return np.memmap(path, dtype=np.uint8, mode="r", shape=(size,)) if size else np.empty(0, dtype=np.uint8)
