"""Conversations that come with the package, each in a folder of its data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Self

from groupmem.lab.benchmarks.base import DataState
from groupmem.lab.benchmarks.files import DataFiles, sha256_of
from groupmem.lab.benchmarks.local import folder_files, read_content
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitSource


def bundled_folder(name: str) -> Path:
    """Where the conversation of this name lies."""
    return Path(str(files("groupmem").joinpath("data", name)))


class Bundled(BaseBenchmark):
    """One unit; unit, benchmark and folder have one name."""

    @classmethod
    def open(cls, folder: Path, *, unit: str | None = None, unpinned: bool = False) -> Self:
        """The conversation of the package, wherever data sets lie."""
        cls.check_unit(unit)
        own = bundled_folder(cls.metadata.name)
        state = DataState(status="bundled", files={name: sha256_of(file) for name, file in folder_files(own).items()})
        return cls(DataFiles(folder=own, paths=tuple(state.files), state=state, complete=True), unit)

    def sources(self) -> Iterator[UnitSource]:
        yield UnitSource(self.metadata.name, partial(read_content, self.files.folder))
