"""What all benchmarks have in common: finding and checking files, reading units one at a time, gold, grading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import msgspec

from groupmem.errors import DataError, UnknownNameError
from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile, DataState, Grade, Repair
from groupmem.lab.benchmarks.files import DataFiles, open_files
from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.judging.judge import PAPER, Judge, JudgeProfile
from groupmem.lab.judging.verdict import PROMPT_NAMES, REPLY_TOKENS, judge_answer, judge_prompt
from groupmem.prompts import Prompts
from groupmem.readers.base import BadRow, Loaded, QuarantinedRow
from groupmem.text import count_tokens
from groupmem.types import Answer, Conversation, Question

T = TypeVar("T")


class UnitContent(NamedTuple):
    """What one unit holds, and what happened to its gold and its rows on the way.

    `counts` are numbers by what they count ("times without a zone, read as UTC"), summed over units; `notes` are
    sentences about this unit alone, `set_aside` the rows that could not be used.
    """

    conversation: Conversation
    questions: tuple[Question, ...]
    repairs: tuple[Repair, ...] = ()
    counts: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    set_aside: tuple[QuarantinedRow, ...] = ()


class UnitSource(NamedTuple):
    """A unit that can be read; nothing is held before `load`, and nothing after."""

    id: str
    load: Callable[[], UnitContent]


class UnitAccount(NamedTuple):
    """What is remembered of a unit that was read."""

    messages: int
    questions: int
    with_evidence: int
    repairs: tuple[Repair, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    set_aside: tuple[QuarantinedRow, ...]


class ReadUnit(NamedTuple):
    """A unit whose questions were read. Its conversation is read again where it is not the last one that was: a set of
    any number of units takes the memory of one."""

    id: str
    asked: tuple[Question, ...]
    read: Callable[[], Conversation]

    def conversation(self) -> Conversation:
        return self.read()

    def questions(self) -> tuple[Question, ...]:
        return self.asked


class BaseBenchmark(ABC):
    """A benchmark is its `metadata` and `sources`; the rest is here.

    `pattern` finds other files of the set where none of the declared ones is there. `unit_names` are the ids of the
    units where they are known before a file is read; then `declared` may leave out the files of other units.
    """

    metadata: BenchmarkMetadata
    pattern: ClassVar[str | None] = None
    unit_names: ClassVar[tuple[str, ...]] = ()
    known_bad: ClassVar[Mapping[str, str]] = {}
    """Reasons by question id: gold that is known to be wrong, laid over the questions of the set."""
    whole_answers: ClassVar[bool] = False
    """Whether a reader's reply is the answer as a whole; else only its last line is."""
    judge_profile: ClassVar[JudgeProfile] = PAPER
    """How its judge is called, unless the user says otherwise."""
    judge_prompts: ClassVar[tuple[str, ...]] = PROMPT_NAMES
    """Names of the prompts that `grade` uses."""

    def __init__(self, files: DataFiles, unit: str | None = None) -> None:
        self.files = files
        self.unit = unit
        self._accounts: dict[str, UnitAccount] = {}
        self._read_whole = False
        self._last: tuple[str, Conversation] | None = None

    @classmethod
    def open(cls, folder: Path, *, unit: str | None = None, unpinned: bool = False) -> Self:
        """Finds and checks the files in the folder of the set.

        Raises DataError where there is nothing, or not the pinned files, and UnknownNameError for a unit that the set
        does not have.
        """
        cls.check_unit(unit)
        benchmark = cls(cls.locate(folder, unit, unpinned), unit)
        names = [source.id for source in benchmark.sources()]
        if not names:
            raise DataError(f"{folder}: {', '.join(benchmark.files.paths)} holds no unit of {cls.metadata.name}")
        twice = [name for name, uses in Counter(names).items() if uses > 1]
        if twice:
            raise DataError(f"{folder}: {twice[0]} is in {', '.join(benchmark.files.paths)} more than once; keep one")
        if unit is not None and unit not in names:
            raise UnknownNameError(f"unit of {cls.metadata.name}", unit, names)
        return benchmark

    @classmethod
    def check_unit(cls, unit: str | None) -> None:
        """Raises UnknownNameError for a unit that is known not to exist before any file is read."""
        if unit is not None and cls.unit_names and unit not in cls.unit_names:
            raise UnknownNameError(f"unit of {cls.metadata.name}", unit, cls.unit_names)

    @classmethod
    def locate(cls, folder: Path, unit: str | None, unpinned: bool) -> DataFiles:
        """The files to read for a unit (None: for all). Raises DataError as `open_files` does."""
        return open_files(cls.metadata, folder, cls.declared(unit), cls.pattern, unpinned)

    @classmethod
    def declared(cls, unit: str | None) -> tuple[DataFile, ...]:
        """The files of the set that are needed for a unit (None: for all)."""
        return cls.metadata.files

    @abstractmethod
    def sources(self) -> Iterator[UnitSource]:
        """The units of the files that are there, in their order."""

    @property
    def state(self) -> DataState:
        return self.files.state

    def units(self) -> Iterator[ReadUnit]:
        """Each unit, read when it is its turn. Raises DataError where a file is not in the layout of the set."""
        for source in self.sources():
            if self.unit in (None, source.id):
                yield self._read(source)
        self._read_whole = True

    @property
    def accounts(self) -> Mapping[str, UnitAccount]:
        """What was read, by unit id; reads the set where that was not done yet."""
        if not self._read_whole:
            for _ in self.units():
                pass
        return self._accounts

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of units, messages, questions, and questions with evidence."""
        accounts = self.accounts.values()
        return {
            "units": len(accounts),
            "messages": sum(account.messages for account in accounts),
            "questions": sum(account.questions for account in accounts),
            "with_evidence": sum(account.with_evidence for account in accounts),
        }

    @property
    def repairs(self) -> tuple[Repair, ...]:
        return tuple(repair for account in self.accounts.values() for repair in account.repairs)

    @property
    def warnings(self) -> tuple[str, ...]:
        sums: Counter[str] = Counter()
        for account in self.accounts.values():
            sums.update(account.counts)
        notes = [f"{name}: {note}" for name, account in self.accounts.items() for note in account.notes]
        return (*notes, *(f"{what}: {number:,}" for what, number in sums.items()), *self._unexpected())

    @property
    def set_aside(self) -> tuple[QuarantinedRow, ...]:
        return tuple(row for account in self.accounts.values() for row in account.set_aside)

    def grade(self, question: Question, answer: Answer, judge: Judge) -> Grade:
        """One verdict against the gold answer; unscored ("no_gold") where the set gives none."""
        flags = ("known_bad",) if question.known_bad else ()
        return Grade(verdict=judge_answer(question, answer, judge), flags=flags)

    def judge_load(self, question: Question, prompts: Prompts) -> Load:
        """What judging one answer is likely to take, were it the gold: the calls of `grade`."""
        prompt = judge_prompt(question, question.answer or "", prompts)
        return Load(calls=1, input_tokens=sum(map(count_tokens, prompt)), output_tokens=REPLY_TOKENS)

    def agent_loads(self, system: str, conversation: Conversation) -> AgentLoads | None:
        """What a system that answers by its own agent takes of a unit; None where nobody knows."""
        return None

    def agent_caps(self, system: str) -> AgentCaps | None:
        """The most that such a system may take of the whole set; None: no cap but the user's."""
        return None

    def facts(self) -> Mapping[str, Any]:
        """What a record says of the set beside its metadata, for runs that have answers."""
        return {}

    def _unexpected(self) -> list[str]:
        if self.unit is not None or not self.files.complete:
            return []
        counts = self.counts
        return [
            f"{self.metadata.name} should have {number} {name} and has {counts[name]}"
            for name, number in self.metadata.expected.items()
            if counts[name] != number
        ]

    def _load(self, source: UnitSource) -> UnitContent:
        try:
            content = source.load()
        except (msgspec.ValidationError, BadRow) as error:
            raise DataError(f"{self.metadata.name}, {source.id}: {error}") from error
        self._last = (source.id, content.conversation)
        return content

    def _conversation(self, source: UnitSource) -> Conversation:
        last = self._last  # once: threads may ask for several units
        return last[1] if last is not None and last[0] == source.id else self._load(source).conversation

    def _read(self, source: UnitSource) -> ReadUnit:
        content = self._load(source)
        ids = {message.id for message in content.conversation.messages}
        mended = [_with_known_evidence(question, ids) for question in content.questions]
        questions = tuple(self._marked(question) for question, _ in mended)
        dropped = tuple(repair for _, repair in mended if repair is not None)
        self._accounts[source.id] = UnitAccount(
            messages=len(content.conversation.messages),
            questions=len(questions),
            with_evidence=sum(bool(question.evidence) for question in questions),
            repairs=(*content.repairs, *dropped),
            counts=content.counts,
            notes=content.notes,
            set_aside=content.set_aside,
        )
        return ReadUnit(source.id, questions, partial(self._conversation, source))

    def _marked(self, question: Question) -> Question:
        reason = self.known_bad.get(question.id)
        return msgspec.structs.replace(question, known_bad=reason) if reason else question


def from_loaded(loaded: Loaded) -> UnitContent:
    """What a reader read, as the content of a unit."""
    report = loaded.report
    return UnitContent(
        loaded.conversation,
        loaded.questions,
        counts=report.counted(),
        notes=report.remarks(),
        set_aside=report.quarantined,
    )


def read_json(path: Path, kind: type[T]) -> T:
    """The JSON value of a file. Raises DataError where it is not of this kind."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not in the layout of its set: {error}") from error


def typed(row: Mapping[str, Any], kind: type[T]) -> T:
    """The fields of a row that matter, checked; `units` turns a ValidationError into a DataError."""
    return msgspec.convert(row, kind)


def _with_known_evidence(question: Question, ids: set[str]) -> tuple[Question, Repair | None]:
    """The question with the evidence that exists, and the repair where some did not."""
    kept = tuple(dict.fromkeys(name for name in question.evidence if name in ids))
    missing = [name for name in question.evidence if name not in ids]
    if not missing:
        return msgspec.structs.replace(question, evidence=kept), None
    repair = Repair(question=question.id, was=", ".join(missing), became="dropped: no message has this id")
    return msgspec.structs.replace(question, evidence=kept), repair
