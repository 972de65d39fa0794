"""The sets of BEAM: the memory set, its lite part, and the whole tiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from groupmem.lab.benchmarks.base import BenchmarkMetadata, DataFile, Grade
from groupmem.lab.benchmarks.beam import agentic, grading, manifest, pins
from groupmem.lab.benchmarks.beam.checks import check_probes, check_sessions, check_slices
from groupmem.lab.benchmarks.beam.layouts import ChatSource, json_chats, parquet_chats
from groupmem.lab.benchmarks.beam.reading import CHANNEL, read_messages, read_questions, without_filler
from groupmem.lab.benchmarks.files import DataFiles, open_files, present_files
from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.benchmarks.shared import BaseBenchmark, UnitContent, UnitSource
from groupmem.lab.judging.judge import Judge
from groupmem.lab.sessions import NUMBER, session_documents
from groupmem.prompts import Prompts
from groupmem.readers.base import SENTENCES
from groupmem.types import Answer, Channel, Conversation, Person, Question

TERMS = (
    "The BEAM data is under CC BY-SA 4.0 by the dataset card of its authors (Mohammad Tavakoli et al., arXiv "
    "2510.27246). What stands beside this file quotes it: whoever shares it names them, says what was changed, and "
    "shares it under the same licence. The code of BEAM is under MIT, that of groupmem under its own licence."
)


def _metadata(name: str, title: str, **more: Any) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        title=title,
        licence="CC BY-SA 4.0 by the dataset card of its authors; the repository states none",
        source=pins.REPOSITORY,
        revision=pins.REPOSITORY_REVISION,
        citation="Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs, arXiv 2510.27246",
        profile="rubric",
        trace_terms=TERMS,
        **more,
    )


def _files(tier: str, numbers: Sequence[str]) -> tuple[DataFile, ...]:
    return tuple(file for number in numbers for file in pins.json_files(tier, number))


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, count + 1))


def _tier_metadata(tier: str, numbers: Sequence[str], parquet: tuple[DataFile, ...] = ()) -> BenchmarkMetadata:
    """A tier is fetched as its parquet where that is pinned, else as the files of the repository."""
    return _metadata(
        f"beam:{tier}",
        f"BEAM: all conversations of the {tier} tier",
        files=parquet or _files(tier, numbers),
        expected={"units": len(numbers), "questions": 20 * len(numbers)},
    )


class BeamSet(BaseBenchmark):
    """Conversations of one tier in either layout; one unit is one conversation ("conv17"), its questions are
    "conv17:<ability>:<index>"."""

    tier: ClassVar[str] = "100K"
    mode: ClassVar[str] = "full"
    numbers: ClassVar[tuple[str, ...]] = pins.CONVERSATIONS
    parquet: ClassVar[tuple[DataFile, ...]] = (pins.PARQUET,)
    parquet_pattern: ClassVar[str | None] = None
    whole_answers = True
    judge_profile = grading.PROFILE
    judge_prompts = grading.PROMPTS
    known_bad: ClassVar[Mapping[str, str]] = pins.KNOWN_BAD

    @classmethod
    def locate(cls, folder: Path, unit: str | None, unpinned: bool) -> DataFiles:
        """The JSON of the repository where any of it is there, else the parquet of the data set."""
        json = _files(cls.tier, cls.numbers if unit is None else (unit.removeprefix("conv"),))
        if not present_files(folder, json, None) and present_files(folder, cls.parquet, cls.parquet_pattern):
            return open_files(cls.metadata, folder, cls.parquet, cls.parquet_pattern, unpinned)
        return open_files(cls.metadata, folder, json, None, unpinned)

    @classmethod
    def declared(cls, unit: str | None) -> tuple[DataFile, ...]:
        return cls.metadata.files if unit is None else _files(cls.tier, (unit.removeprefix("conv"),))

    def sources(self) -> Iterator[UnitSource]:
        for chat in self._chats():
            if chat.number in self.numbers:
                yield UnitSource(f"conv{chat.number}", partial(self._content, chat))

    def grade(self, question: Question, answer: Answer, judge: Judge) -> Grade:
        return grading.grade(question, answer, judge)

    def facts(self) -> Mapping[str, Any]:
        return manifest.facts(self.mode, self.units())

    def judge_load(self, question: Question, prompts: Prompts) -> Load:
        return grading.judge_load(question, prompts)

    def agent_loads(self, system: str, conversation: Conversation) -> AgentLoads | None:
        profile = agentic.PROFILES.get(self.mode)
        return agentic.loads(profile, conversation) if profile and system == agentic.SYSTEM else None

    def agent_caps(self, system: str) -> AgentCaps | None:
        profile = agentic.PROFILES.get(self.mode)
        return profile.caps if profile and system == agentic.SYSTEM else None

    @property
    def strict(self) -> bool:
        """Whether sums are to be held: not where files were read that are not the pinned ones."""
        return self.tier == "100K" and self.files.state.status == "pinned"

    def _chats(self) -> Iterator[ChatSource]:
        (first, *_) = self.files.paths
        if first.endswith(".parquet"):
            for path in self.files.paths:
                yield from parquet_chats(self.files.folder / path)
        else:
            yield from json_chats(self.files, self.tier, self.numbers, self.metadata.name)

    def _content(self, chat: ChatSource) -> UnitContent:
        unit, raw = f"conv{chat.number}", chat.read()
        messages = read_messages(raw.sessions)
        if self.tier == "100K":
            messages = without_filler(chat.number, messages, strict=self.strict)
        conversation = Conversation(
            id=unit,
            messages=tuple(messages),
            people=(Person(id="user"), Person(id="assistant", is_bot=True)),
            channels=(Channel(id=CHANNEL),),
        )
        questions = tuple(read_questions(unit, raw.probes))
        if raw.renumbered:
            questions = tuple(msgspec.structs.replace(question, evidence=()) for question in questions)
        if self.strict:
            check_sessions(unit, session_documents(unit, conversation.messages))
            check_probes(questions)
        return self.chosen(conversation, questions)

    def chosen(self, conversation: Conversation, questions: tuple[Question, ...]) -> UnitContent:
        """The part of a conversation that the set is about."""
        sessions = {message.extra[NUMBER] for message in conversation.messages}
        return UnitContent(conversation, questions, counts={SENTENCES["naive_times"]: len(sessions)})


class BeamLite(BeamSet):
    """Two questions on three messages of one conversation, cut out of its sessions: a smoke test, no sample."""

    mode = "lite"
    numbers = (pins.LITE_CONVERSATION,)
    metadata = _metadata(
        "beam:lite",
        "BEAM: the lite memory set, three messages of one conversation",
        files=_files("100K", numbers),
        expected={"units": 1, "messages": 3, "questions": 2},
    )

    def chosen(self, conversation: Conversation, questions: tuple[Question, ...]) -> UnitContent:
        messages = tuple(message for message in conversation.messages if message.id in pins.LITE_MESSAGES)
        if self.strict:
            check_slices(session_documents(conversation.id, messages))
        asked = tuple(question for question in questions if question.id in pins.LITE_QUESTIONS)
        return super().chosen(msgspec.structs.replace(conversation, messages=messages), asked)


class Beam(BeamSet):
    """The memory set: five conversations, two questions for each of ten abilities in each."""

    unit_names = tuple(f"conv{number}" for number in pins.CONVERSATIONS)
    metadata = _metadata(
        "beam",
        "BEAM: the five conversations of the full memory set, 100K tier",
        files=_files("100K", pins.CONVERSATIONS),
        expected={"units": 5, "messages": 1_254, "questions": 100},
    )


class BeamTier(BeamSet):
    """All conversations of a tier. Nobody has published sums of single files of it, but for the 100K parquet; what is
    known of bad rubrics is of the 100K tier, for conversations of all tiers are numbered from 1."""

    mode = "tier"
    parquet: ClassVar[tuple[DataFile, ...]] = ()
    known_bad: ClassVar[Mapping[str, str]] = {}

    def facts(self) -> Mapping[str, Any]:
        return {"mode": self.tier}


class Beam100K(BeamTier):
    tier, numbers, parquet = "100K", _numbers(20), (pins.PARQUET,)
    known_bad = pins.KNOWN_BAD
    metadata = _tier_metadata(tier, numbers, parquet)


class Beam500K(BeamTier):
    tier, numbers = "500K", _numbers(35)
    parquet_pattern = "data/500K-*.parquet"
    metadata = _tier_metadata(tier, numbers)


class Beam1M(BeamTier):
    tier, numbers = "1M", _numbers(35)
    parquet_pattern = "data/1M-*.parquet"
    metadata = _tier_metadata(tier, numbers)


class Beam10M(BeamTier):
    tier, numbers = "10M", _numbers(10)
    parquet_pattern = "data/10M-*.parquet"
    metadata = _tier_metadata(tier, numbers)


SETS: Mapping[str, type[BeamSet]] = {
    "full": Beam,
    "lite": BeamLite,
    **{kind.tier: kind for kind in (Beam100K, Beam500K, Beam1M, Beam10M)},
}
"""The sets by what follows "beam:"; `beam` alone is the full one."""
