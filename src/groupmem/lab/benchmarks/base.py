"""What a benchmark is: metadata, units, and how an answer is graded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, Protocol

from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.judging.judge import Judge, JudgeProfile
from groupmem.prompts import Prompts
from groupmem.readers.base import QuarantinedRow
from groupmem.types import Answer, Conversation, Question, Record, Verdict

UNPINNED = "unknown: recorded at the first fetch"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BRANCHES = ("main", "master", "HEAD", "latest")


class DataFile(Record, frozen=True, kw_only=True):
    """One file of a data set. `path` is relative to the folder of the set, with forward slashes.

    `sha256` is its pinned checksum in hex, or `UNPINNED` where nobody knows one. Raises ValueError for any other
    checksum, and for a path that leads out of the folder.
    """

    path: str
    url: str | None = None
    sha256: str = UNPINNED
    size_bytes: int | None = None

    def __post_init__(self) -> None:
        parts = PurePosixPath(self.path).parts
        if not parts or parts[0] == "/" or ".." in parts or "\\" in self.path:
            raise ValueError(f"{self.path!r} is not a path within the folder of the set")
        if self.sha256 != UNPINNED and not _SHA256.fullmatch(self.sha256):
            raise ValueError(f"{self.path}: {self.sha256!r} is no sha256")


class BenchmarkMetadata(Record, frozen=True, kw_only=True):
    """What must be known of a data set before it is used; one test walks over all of them.

    `revision` is a commit or a version, never a branch. `expected` holds counts of the whole set ("units", "messages",
    "questions"), checked when every file is there. `trace_terms` are what whoever shares the trace of a run must know,
    where its runs keep one. Raises ValueError for a branch, and for a path that is there twice.
    """

    name: str
    title: str
    licence: str
    source: str
    revision: str
    citation: str
    files: tuple[DataFile, ...] = ()
    expected: Mapping[str, int] = {}
    profile: Literal["verdict", "rubric"] = "verdict"
    notes: str = ""
    trace_terms: str = ""

    def __post_init__(self) -> None:
        if self.revision in _BRANCHES:
            raise ValueError(f"{self.name}: the revision is the branch {self.revision!r}, which moves")
        paths = [file.path for file in self.files]
        if len(set(paths)) < len(paths):
            raise ValueError(f"{self.name}: a path is there twice")


class DataState(Record, frozen=True, kw_only=True):
    """How the files that were read compare with the pinned ones; the record of a run and every table say so."""

    status: Literal["pinned", "unpinned", "bundled", "local"]
    files: Mapping[str, str] = {}
    """sha256 by file name, of what was really read."""


class Grade(Record, frozen=True, kw_only=True):
    """The grade of one answer. `verdict` decides accuracy; `scores` are further measures by name (rubric, F1)."""

    verdict: Verdict
    scores: Mapping[str, float] = {}
    flags: tuple[str, ...] = ()


class Repair(Record, frozen=True, kw_only=True):
    """Gold that was mended or dropped by rule: which question, what it said, what became of it."""

    question: str
    was: str
    became: str


class Unit(Protocol):
    """One corpus with its questions: a GroupMemBench domain, a LoCoMo conversation, a BEAM chat."""

    @property
    def id(self) -> str: ...

    def conversation(self) -> Conversation:
        """May read it anew: a caller that needs it again keeps it."""
        ...

    def questions(self) -> tuple[Question, ...]: ...


class Benchmark(Protocol):
    """A set of units under one licence and one way of grading."""

    @property
    def metadata(self) -> BenchmarkMetadata: ...

    @property
    def state(self) -> DataState: ...

    @property
    def repairs(self) -> tuple[Repair, ...]: ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know of the data: rows set aside, times without a zone, unexpected counts."""
        ...

    @property
    def set_aside(self) -> tuple[QuarantinedRow, ...]:
        """The rows that could not be used."""
        ...

    def units(self) -> Iterator[Unit]: ...

    def grade(self, question: Question, answer: Answer, judge: Judge) -> Grade: ...

    @property
    def whole_answers(self) -> bool: ...

    @property
    def judge_profile(self) -> JudgeProfile: ...

    @property
    def judge_prompts(self) -> tuple[str, ...]: ...

    def judge_load(self, question: Question, prompts: Prompts) -> Load: ...

    def agent_loads(self, system: str, conversation: Conversation) -> AgentLoads | None: ...

    def agent_caps(self, system: str) -> AgentCaps | None: ...

    def facts(self) -> Mapping[str, Any]: ...
