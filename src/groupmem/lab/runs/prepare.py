"""From a spec to everything that a run, or the plan of one, needs: checked, with no call made and no file written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from groupmem.errors import DataError, InputError
from groupmem.lab.benchmarks.base import Benchmark
from groupmem.lab.benchmarks.registry import open_benchmark
from groupmem.lab.records import PromptUse, RunSpec
from groupmem.lab.runs.agents import is_agent
from groupmem.lab.runs.choose import choose_questions
from groupmem.lab.runs.reader import PROMPT_NAMES, WHOLE_PROMPT_NAMES
from groupmem.lab.runs.roster import Entry, make_entry
from groupmem.lab.runs.spec import check_spec, default_folder
from groupmem.lab.runs.unit import RunUnit
from groupmem.models.calllog import Kind
from groupmem.models.session import Models
from groupmem.prompts import Prompts

ASKED = "questions lie beside a corpus in questions.jsonl, beside NAME.jsonl in NAME.questions.jsonl (docs/format.md)"


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A run that could start. `models` describes every model of it, by the name that the user gave; `named` says which
    are chat models and which embed. `systems` holds the sha256 of the files of users' systems, by name.
    `answers_by_itself`: a system among them does."""

    spec: RunSpec
    benchmark: Benchmark
    units: tuple[RunUnit, ...]
    prompts: Prompts
    models: Mapping[str, str]
    named: tuple[tuple[str, Kind], ...]
    systems: Mapping[str, str]
    system_prompts: tuple[str, ...] = ()
    answers_by_itself: bool = False

    @property
    def questions(self) -> int:
        return sum(len(unit.questions) for unit in self.units)

    @property
    def traced(self) -> bool:
        """Whether the whole of every call is kept: chats are held, under a benchmark that says on which terms."""
        return bool(self.benchmark.metadata.trace_terms) and any(kind == "chat" for _, kind in self.named)

    @property
    def default_folder(self) -> Path:
        return default_folder(self.spec, self.benchmark.metadata.name)

    def prompt_uses(self) -> dict[str, PromptUse]:
        """The prompts that this run can come to use, by name."""
        reading = WHOLE_PROMPT_NAMES if self.benchmark.whole_answers else PROMPT_NAMES
        names = (
            *(reading if self.spec.reader else ()),
            *(self.benchmark.judge_prompts if self.spec.judge else ()),
            *self.system_prompts,
        )
        loaded = (self.prompts.load(name) for name in names)
        return {prompt.name: PromptUse(sha256=prompt.sha256, source=prompt.source) for prompt in loaded}


def prepare(spec: RunSpec, data_dir: Path | None = None, *, planning: bool = False) -> Prepared:
    """Raises InputError (UnknownNameError, DataError) for whatever is wrong with the spec or the data.

    Where one is only `planning`, a system whose needs the benchmark knows need not be installed.
    """
    check_spec(spec)
    prompts = Prompts(Path(spec.prompts) if spec.prompts else None)
    benchmark = open_benchmark(spec.benchmark, data_dir=data_dir, unpinned=spec.unpinned)
    units = choose_questions(benchmark.units(), spec)
    if not units:
        raise DataError("; ".join((f"{spec.benchmark} has no question to ask", *benchmark.warnings, ASKED)))
    agents = [name for name in spec.systems if planning and is_agent(benchmark, name)]
    entries = [make_entry(name, units[0]) for name in spec.systems if name not in agents]
    own = bool(agents) or any(entry.row.traits.answers and not entry.row.traits.reference for entry in entries)
    _check_answers(spec, answers=own or any(entry.row.traits.answers for entry in entries))
    named = tuple(dict.fromkeys(_named_models(spec, entries)))
    return Prepared(
        spec=spec,
        benchmark=benchmark,
        units=units,
        prompts=prompts,
        models={name: Models.describe(name, kind) for name, kind in named},
        named=named,
        system_prompts=tuple(dict.fromkeys(prompt for entry in entries for prompt in entry.prompts)),
        answers_by_itself=own and bool(spec.reader or spec.judge),
        systems={entry.row.name: entry.row.sha256 for entry in entries if entry.row.sha256 is not None},
    )


def _named_models(spec: RunSpec, entries: Sequence[Entry]) -> Iterator[tuple[str, Kind]]:
    for name in (spec.reader, spec.judge, *(entry.chat for entry in entries)):
        if name is not None:
            yield name, "chat"
    for entry in entries:
        if entry.embedding is not None:
            yield entry.embedding, "embedding"


def _check_answers(spec: RunSpec, *, answers: bool) -> None:
    if spec.reader is not None:
        return
    if spec.judge is not None and not answers:
        raise InputError("--judge has nothing to judge: name the model that answers with --reader")
    if spec.append_answers:
        raise InputError("--append-answers has no answers to append: name the model that answers with --reader")
