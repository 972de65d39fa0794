"""The sample: a small hand-written group conversation that comes with the package."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Self

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState
from groupmem.lab.benchmarks.files import DataFiles, sha256_of
from groupmem.lab.benchmarks.local import folder_files, read_content
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitSource

SAMPLE = Path(str(files("groupmem").joinpath("data", "sample")))


class Sample(BaseBenchmark):
    """One unit, "sample"."""

    unit_names = ("sample",)
    metadata = BenchmarkMetadata(
        name="sample",
        title="The bundled sample: a small hand-written group conversation",
        licence="Apache-2.0",
        source="bundled with groupmem",
        revision="1",
        citation="groupmem",
    )

    @classmethod
    def open(cls, folder: Path, *, unit: str | None = None, unpinned: bool = False) -> Self:
        """The bundled sample, wherever data sets lie."""
        cls.check_unit(unit)
        state = DataState(
            status="bundled", files={name: sha256_of(file) for name, file in folder_files(SAMPLE).items()}
        )
        return cls(DataFiles(folder=SAMPLE, paths=tuple(state.files), state=state, complete=True), unit)

    def sources(self) -> Iterator[UnitSource]:
        yield UnitSource("sample", partial(read_content, self.files.folder))
