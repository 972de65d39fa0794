"""The run folder: what is in it, how it is written, how it is read back.

    run.json                                      RunRecord: spec, versions, hashes
    questions/<unit>.jsonl                        Question, with gold: a report needs nothing but the folder
    quarantine.jsonl                              QuarantinedRow: rows of the data that could not be used, where any
    calls.sqlite                                  every model call
    trace/                                        the whole of every call, and on what terms, where the benchmark says
    cells/<unit>/<system>/cell.json               CellRecord
    cells/<unit>/<system>/recalled.jsonl          RecalledLine, one a question, append-only
    cells/<unit>/<system>/answers.jsonl           AnswerLine
    cells/<unit>/<system>/verdicts.jsonl          VerdictLine
    cells/<unit>/<system>/store/                  the system's own files
    cells/<unit>/<system>/failure.txt             the traceback of a failed cell
    cells/<unit>/<system>/worker.log              what a system in a process of its own said on its way
    run.lock                                      held by the process that writes here
    report/                                       whatever `groupmem report` writes

A line that a killed process left half written is dropped when the file is opened again for appending. Where a question
has several lines, the last one counts: calls that failed at the provider are tried again by the next start. Unit and
system names are percent-encoded to folder names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from groupmem.errors import InputError
from groupmem.files import write_atomic, writing
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataState, Grade, Repair
from groupmem.lab.names import encode_name
from groupmem.models.budget import SpendCap
from groupmem.types import Answer, Passage, Question, Record

RECORD_VERSION = 1
RecordT = TypeVar("RecordT", bound=msgspec.Struct)
Stage = Literal["recalled", "answers", "verdicts"]
AnswerProblem = Literal["truncated", "refused", "provider_error"]


class RunSpec(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the user asked for. Its canonical JSON decides the run's identity: the same spec resumes the same folder.

    `limit` is the number of ranks that a reader is handed, and that a system is asked for, unless `depth` says more:
    where nobody reads, a deeper list makes the reciprocal rank complete and changes no measure at ten.
    """

    benchmark: str
    systems: tuple[str, ...]
    limit: int = 10
    depth: int | None = None
    reader: str | None = None
    judge: str | None = None
    judge_profile: str = "paper"
    categories: tuple[str, ...] = ()
    sample_questions: int | None = None
    seed: int = 0
    unpinned: bool = False
    append_answers: bool = False
    prompts: str | None = None


class PromptUse(Record, frozen=True, kw_only=True):
    """Which text a prompt had: its sha256 in hex, and "built-in", the name of the official text, or a path."""

    sha256: str
    source: str


class RunRecord(Record, frozen=True, kw_only=True, omit_defaults=False):
    """run.json. Hashes are sha256 in hex; `code` holds revision and whether the tree was dirty, where git is there.

    `systems` are the hashes of the files of users' systems, by the name after --system. `facts` is what the benchmark
    says of its set, for runs that have answers. `question_concurrency` and `question_timeout_s` are those under which
    systems answered by themselves, None where none does. `wall_seconds` is for how long the run was at work, over all
    its starts.
    """

    version: int = RECORD_VERSION
    spec: RunSpec
    benchmark: BenchmarkMetadata
    data: DataState
    created_at: str
    groupmem_version: str
    python: str
    packages: Mapping[str, str] = {}
    code: Mapping[str, str] = {}
    prompts: Mapping[str, PromptUse] = {}
    models: Mapping[str, str] = {}
    systems: Mapping[str, str] = {}
    repairs: tuple[Repair, ...] = ()
    warnings: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    spend_cap: SpendCap = SpendCap()
    facts: Mapping[str, Any] = {}
    question_concurrency: int | None = None
    question_timeout_s: float | None = None
    wall_seconds: float = 0.0


class KeptIngest(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The ingest of a cell among those that are kept for later runs: under which key, since when. `reused`: it was
    there already, and what this cell is said to have taken for it was taken then."""

    key: str
    made_at: str
    reused: bool


class CellRecord(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One system on one unit. `failure` says why a failed cell has no results; it is never scored as empty.

    `ranked` False: the row returns nothing in rank order (abstain, no-memory, full-context), and retrieval is not
    measured on it. `sha256` is of the file of a user's system. `store_bytes` is the size of all files that the system
    keeps, `figures` what it counts in its store. `lost_ingest_calls` are the model calls of its ingest that were never
    answered, over all starts that its store is made of. What its calls took is in calls.sqlite, under `cell_name`,
    those of an ingest that was reused too.
    """

    unit: str
    system: str
    status: Literal["ingesting", "ingested", "recalled", "answered", "done", "failed"] = "ingesting"
    reference: bool = False
    answers_by_itself: bool = False
    ranked: bool = True
    sha256: str | None = None
    messages: int = 0
    ingest_seconds: float = 0.0
    lost_ingest_calls: int = 0
    store_bytes: int = 0
    notes: tuple[str, ...] = ()
    figures: Mapping[str, Any] = {}
    kept_ingest: KeptIngest | None = None
    failure: str | None = None


class RecalledLine(Record, frozen=True, kw_only=True):
    """What a system returned for one question.

    `hidden` are the returned ids that the asker may not read; `context_tokens` are o200k tokens of the passages as they
    are handed to the reader; `truncated` counts messages that did not fit. Full-context keeps its passages out of
    the line: they are the conversation itself. `value_at_1` is `groupmem.lab.measures.value_at_1` of the original
    messages behind the passages, None where the question has no value to find.
    """

    question: str
    passages: tuple[Passage, ...] = ()
    support: float | None = None
    latency_ms: float = 0.0
    context_tokens: int = 0
    hidden: tuple[str, ...] = ()
    truncated: int = 0
    value_at_1: float | None = None


class AnswerLine(Record, frozen=True, kw_only=True):
    """The answer to one question; `problem` is set where the reader gave none that can be judged. `latency_ms` is how
    long a row took that answers by itself."""

    question: str
    answer: Answer
    problem: AnswerProblem | None = None
    detail: str = ""
    latency_ms: float | None = None


class VerdictLine(Record, frozen=True, kw_only=True):
    """The grade of one answer."""

    question: str
    grade: Grade


class RunFolder:
    """Reads and writes one run folder. Whole files are replaced atomically; lines are appended, each in one write."""

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
        """Writes them where they are not there as they are: every start comes by here, for every unit."""
        path = self.path / "questions" / f"{encode_name(unit)}.jsonl"
        lines = b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
        if not path.is_file() or path.read_bytes() != lines:
            write_atomic(path, lines)

    def read_questions(self, unit: str) -> tuple[Question, ...]:
        return tuple(read_lines(self.path / "questions" / f"{encode_name(unit)}.jsonl", Question))

    def write_cell(self, cell: CellRecord, *, durable: bool = True) -> None:
        """A state on the way need not be `durable`: after a power cut, the lines say what is still to be done."""
        path = self.cell_path(cell.unit, cell.system) / "cell.json"
        write_atomic(path, msgspec.json.format(msgspec.json.encode(cell), indent=2) + b"\n", durable=durable)

    def discard_cell(self, unit: str, system: str) -> None:
        """Removes the cell and all that it holds."""
        shutil.rmtree(self.cell_path(unit, system), ignore_errors=True)

    def read_cell(self, unit: str, system: str) -> CellRecord | None:
        """The record of a cell that was begun. Raises InputError for one that cannot be read."""
        path = self.cell_path(unit, system) / "cell.json"
        if not path.is_file():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=CellRecord)
        except msgspec.DecodeError as error:
            raise InputError(f"{path}: {error}; remove the folder of the cell, it is then done again") from error

    # -- lines ---------------------------------------------------------------------------------------------------

    def append(self, unit: str, system: str, stage: Stage, line: msgspec.Struct) -> None:
        """Adds one line. Call `mend` once before the first append of a process, and `sync` after the last.

        The line reaches the operating system at once, so a killed process loses nothing; a sync a line would cost
        milliseconds each and only help against a power cut, after which the missing lines are done again.
        """
        path = self.stage_path(unit, system, stage)
        content = msgspec.json.encode(line) + b"\n"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as file:
                file.write(content)

    def sync(self, unit: str, system: str, stage: Stage) -> None:
        """Waits until the lines are on the disk."""
        path = self.stage_path(unit, system, stage)
        if path.is_file():
            with writing(path), path.open("ab") as file:
                os.fsync(file.fileno())

    def mend(self, unit: str, system: str, stage: Stage) -> None:
        """Cuts a last line that was never finished."""
        path = self.stage_path(unit, system, stage)
        if path.is_file():
            content = path.read_bytes()
            if not content.endswith(b"\n"):
                with writing(path):
                    os.truncate(path, content.rfind(b"\n") + 1)

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

    def store_path(self, unit: str, system: str) -> Path:
        return self.cell_path(unit, system) / "store"

    def failure_path(self, unit: str, system: str) -> Path:
        return self.cell_path(unit, system) / "failure.txt"

    def log_path(self, unit: str, system: str) -> Path:
        return self.cell_path(unit, system) / "worker.log"

    @property
    def quarantine_path(self) -> Path:
        return self.path / "quarantine.jsonl"

    @property
    def calls_path(self) -> Path:
        return self.path / "calls.sqlite"

    @property
    def trace_path(self) -> Path:
        return self.path / "trace" / "trace.jsonl.gz"

    def cells(self) -> Iterator[CellRecord]:
        """Every cell that was begun, in the order of the units and systems of the spec."""
        record = self.read_run()
        for unit in record.units:
            for system in record.spec.systems:
                cell = self.read_cell(unit, system)
                if cell is not None:
                    yield cell


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
