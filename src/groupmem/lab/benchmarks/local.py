"""A conversation of one's own as a benchmark: a folder in the published layout, a domain file, or a JSONL file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from groupmem.errors import InputError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState
from groupmem.lab.benchmarks.files import DataFiles, sha256_of
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource, from_loaded
from groupmem.readers import jsonl
from groupmem.readers.groupmembench import find_layout
from groupmem.readers.registry import read_any
from groupmem.types import Question


class LocalBenchmark(BaseBenchmark):
    """One unit, named after the folder or file."""

    def __init__(self, path: Path) -> None:
        """Raises InputError where there is nothing to read at `path`."""
        state = DataState(status="local", files={name: sha256_of(file) for name, file in _files(path).items()})
        super().__init__(DataFiles(folder=path, paths=tuple(state.files), state=state, complete=True))
        self.metadata = BenchmarkMetadata(
            name=_name(path),
            title=f"local: {_name(path)}",
            licence="not stated",
            source=str(path),
            revision="local",
            citation="",
        )

    def sources(self) -> Iterator[UnitSource]:
        yield UnitSource(_name(self.files.folder), partial(read_content, self.files.folder))


def read_content(path: Path) -> UnitContent:
    """What any reader makes of a path, as the content of a unit."""
    content = from_loaded(read_any(path))
    return content._replace(notes=(*content.notes, *_solvers(content.questions)))


def _solvers(questions: Iterable[Question]) -> Iterator[str]:
    """The systems that questions of `groupmem questions make` were chosen to defeat; first wordings were not chosen."""
    chosen = Counter(
        str(question.extra["solver"])
        for question in questions
        if "solver" in question.extra and "raw" not in question.extra.get("flags", ())
    )
    for solver, number in chosen.items():
        yield f"{number} questions were kept because {solver} failed on them: its row is low by construction"


def folder_files(folder: Path) -> dict[str, Path]:
    """The files that are read of a folder in the published layout, by their path within it."""
    layout = find_layout(folder)
    optional = [path for path in (layout.people, layout.channels) if path is not None]
    return {path.relative_to(folder).as_posix(): path for path in (layout.corpus, *layout.questions, *optional)}


def _files(path: Path) -> dict[str, Path]:
    if path.is_dir():
        return folder_files(path)
    if not path.is_file():
        raise InputError(f"{path} does not exist")
    beside = jsonl.questions_path(path)
    return {file.name: file for file in (path, beside) if file.is_file()}


def _name(path: Path) -> str:
    resolved = path.resolve()
    return resolved.name if resolved.is_dir() else resolved.stem
