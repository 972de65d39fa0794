"""The run folder: what is in it, how it is written, how it is read back.

    run.json                                      RunRecord: spec, versions, hashes
    questions/<unit>.jsonl                        Question, with gold: a report needs nothing but the folder
    calls.sqlite                                  every model call
    cells/<unit>/<system>/cell.json               CellRecord
    cells/<unit>/<system>/recalled.jsonl          RecalledLine, one a question, append-only
    cells/<unit>/<system>/answers.jsonl           AnswerLine
    cells/<unit>/<system>/verdicts.jsonl          VerdictLine
    report/                                       whatever `groupmem report` writes

A line that a killed process left half written is dropped when the file is opened again for appending. Unit and system
names are percent-encoded to folder names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import quote, unquote

import msgspec

from groupmem.errors import InputError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState, Grade, Repair
from groupmem.types import Answer, Passage, Question, Record

RECORD_VERSION = 1
RecordT = TypeVar("RecordT", bound=msgspec.Struct)
Stage = Literal["recalled", "answers", "verdicts"]


class RunSpec(Record, frozen=True, kw_only=True):
    """What the user asked for. Its canonical JSON decides the run's identity: the same spec resumes the same folder."""

    benchmark: str
    systems: tuple[str, ...]
    limit: int = 10
    reader: str | None = None
    judge: str | None = None
    judge_profile: str = "paper"
    categories: tuple[str, ...] = ()
    sample_questions: int | None = None
    seed: int = 0
    unpinned: bool = False
    append_answers: bool = False
    prompts: str | None = None


class RunRecord(Record, frozen=True, kw_only=True):
    """run.json. Hashes are sha256 in hex; `code` holds revision and whether the tree was dirty, where git is there."""

    version: int = RECORD_VERSION
    spec: RunSpec
    benchmark: BenchmarkMetadata
    data: DataState
    created_at: str
    groupmem_version: str
    python: str
    packages: Mapping[str, str] = {}
    code: Mapping[str, str] = {}
    prompts: Mapping[str, str] = {}
    models: Mapping[str, str] = {}
    repairs: tuple[Repair, ...] = ()
    warnings: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


class CellRecord(Record, frozen=True, kw_only=True):
    """One system on one unit. `failure` says why a failed cell has no results; it is never scored as empty."""

    unit: str
    system: str
    status: Literal["ingesting", "ingested", "recalled", "answered", "done", "failed"] = "ingesting"
    reference: bool = False
    answers_by_itself: bool = False
    messages: int = 0
    ingest_seconds: float = 0.0
    store_bytes: int = 0
    notes: tuple[str, ...] = ()
    failure: str | None = None


class RecalledLine(Record, frozen=True, kw_only=True):
    """What a system returned for one question.

    `hidden` are the returned ids that the asker may not read; `context_tokens` are o200k tokens of the passages as they
    are handed to the reader; `truncated` counts messages that did not fit (full-context).
    """

    question: str
    passages: tuple[Passage, ...] = ()
    support: float | None = None
    latency_ms: float = 0.0
    context_tokens: int = 0
    hidden: tuple[str, ...] = ()
    truncated: int = 0


class AnswerLine(Record, frozen=True, kw_only=True):
    """The answer to one question; `problem` is set where the reader gave none that can be judged."""

    question: str
    answer: Answer
    problem: Literal["truncated", "refused", "provider_error"] | None = None
    detail: str = ""


class VerdictLine(Record, frozen=True, kw_only=True):
    """The grade of one answer."""

    question: str
    grade: Grade


class RunFolder:
    """Reads and writes one run folder. Whole files are replaced atomically; lines are appended and flushed to disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # -- whole files ---------------------------------------------------------------------------------------------

    def write_run(self, record: RunRecord) -> None:
        write_atomic(self.path / "run.json", msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")

    def read_run(self) -> RunRecord:
        """Raises InputError where the folder is no run, or one of a later version."""
        path = self.path / "run.json"
        if not path.is_file():
            raise InputError(f"{self.path} is not a run folder: it has no run.json")
        try:
            record = msgspec.json.decode(path.read_bytes(), type=RunRecord)
        except msgspec.DecodeError as error:
            raise InputError(f"{path}: {error}; the run cannot be read, start it again elsewhere with --out") from error
        if record.version > RECORD_VERSION:
            raise InputError(f"{path}: written by a later groupmem (record version {record.version})")
        return record

    def write_questions(self, unit: str, questions: tuple[Question, ...]) -> None:
        lines = b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
        write_atomic(self.path / "questions" / f"{encode_name(unit)}.jsonl", lines)

    def read_questions(self, unit: str) -> tuple[Question, ...]:
        return tuple(read_lines(self.path / "questions" / f"{encode_name(unit)}.jsonl", Question))

    def write_cell(self, cell: CellRecord) -> None:
        path = self.cell_path(cell.unit, cell.system) / "cell.json"
        write_atomic(path, msgspec.json.format(msgspec.json.encode(cell), indent=2) + b"\n")

    def read_cell(self, unit: str, system: str) -> CellRecord | None:
        path = self.cell_path(unit, system) / "cell.json"
        return msgspec.json.decode(path.read_bytes(), type=CellRecord) if path.is_file() else None

    # -- lines ---------------------------------------------------------------------------------------------------

    def append(self, unit: str, system: str, stage: Stage, line: msgspec.Struct) -> None:
        """Adds one line, flushed to the disk. Call `mend` once before the first append of a process."""
        path = self.stage_path(unit, system, stage)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def mend(self, unit: str, system: str, stage: Stage) -> None:
        """Cuts a last line that was never finished."""
        path = self.stage_path(unit, system, stage)
        if path.is_file():
            content = path.read_bytes()
            if content and not content.endswith(b"\n"):
                write_atomic(path, content[: content.rfind(b"\n") + 1])

    def recalled(self, unit: str, system: str) -> dict[str, RecalledLine]:
        lines = read_lines(self.stage_path(unit, system, "recalled"), RecalledLine)
        return {line.question: line for line in lines}

    def answers(self, unit: str, system: str) -> dict[str, AnswerLine]:
        return {line.question: line for line in read_lines(self.stage_path(unit, system, "answers"), AnswerLine)}

    def verdicts(self, unit: str, system: str) -> dict[str, VerdictLine]:
        lines = read_lines(self.stage_path(unit, system, "verdicts"), VerdictLine)
        return {line.question: line for line in lines}

    # -- places --------------------------------------------------------------------------------------------------

    def cell_path(self, unit: str, system: str) -> Path:
        return self.path / "cells" / encode_name(unit) / encode_name(system)

    def stage_path(self, unit: str, system: str, stage: Stage) -> Path:
        return self.cell_path(unit, system) / f"{stage}.jsonl"

    def cells(self) -> Iterator[CellRecord]:
        """Every cell that was begun, in the order of the units and systems of the spec."""
        record = self.read_run()
        for unit in record.units:
            for system in record.spec.systems:
                cell = self.read_cell(unit, system)
                if cell is not None:
                    yield cell


def encode_name(name: str) -> str:
    """A file name for any name; `decode_name` is its inverse."""
    encoded = quote(name, safe=" =,@+")
    return encoded.replace(".", "%2E") if set(encoded) <= {"."} else encoded


def decode_name(encoded: str) -> str:
    return unquote(encoded)


def read_lines(path: Path, kind: type[RecordT]) -> Iterator[RecordT]:
    """The records of a JSONL file; nothing where there is no file. A last line without its newline is left out."""
    if not path.is_file():
        return
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as error:
                raise InputError(
                    f"{path}:{number}: {error}; remove the line, its question is then done again"
                ) from error


def write_atomic(path: Path, content: bytes) -> None:
    """Replaces the file as a whole: a reader sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
