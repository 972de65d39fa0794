"""The journal of a corpus in the making: what is written already, so that a killed run goes on where it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from groupmem.errors import InputError
from groupmem.lab.synthesis.base import Stated, Written
from groupmem.types import Record


class Line(Record, frozen=True, kw_only=True):
    """One written message; `slot` is its index."""

    slot: int
    text: str
    stated: tuple[Stated, ...] = ()


class Journal:
    """Append-only JSONL. A last line that a killed process left unfinished is cut when the journal is opened."""

    def __init__(self, path: Path, *, flush_every: int = 1) -> None:
        self._path = path
        self._flush_every = flush_every
        self._waiting = 0
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def read(self) -> Iterator[tuple[int, Written]]:
        """What is there, after mending the end. Raises InputError, naming the line, for a line that is none."""
        if not self._path.is_file():
            return
        self._mend()
        decoder = msgspec.json.Decoder(Line)
        with self._path.open("rb") as file:
            for number, row in enumerate(file, start=1):
                try:
                    line = decoder.decode(row)
                except msgspec.DecodeError as error:
                    raise InputError(f"{self._path}:{number}: {error}; remove {self._path.parent}") from error
                yield line.slot, Written(text=line.text, stated=line.stated)

    def append(self, slot: int, written: Written) -> None:
        """Adds one message; open the journal (`with`) first."""
        if self._file is None:
            raise ValueError("the journal is not open")
        self._file.write(msgspec.json.encode(Line(slot=slot, text=written.text, stated=written.stated)) + b"\n")
        self._waiting += 1
        if self._waiting >= self._flush_every:
            self._file.flush()
            self._waiting = 0

    def _mend(self) -> None:
        with self._path.open("rb+") as file:
            content = file.read()
            if content and not content.endswith(b"\n"):
                file.truncate(content.rfind(b"\n") + 1)
