"""Makes the plan of a run.

Prompts are counted as they will be sent, with messages of the conversation in place of what a system will find, and the
gold in place of the answer. Only the length of replies is assumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from pathlib import Path
from typing import NamedTuple

from groupmem.lab.benchmarks.loads import Load
from groupmem.lab.judging.verdict import REPLY_TOKENS
from groupmem.lab.records import AnswerLine, RecalledLine, RunFolder
from groupmem.lab.runs.agents import agent_cells, agent_loads, is_agent, spend_cap
from groupmem.lab.runs.cell import starts_over
from groupmem.lab.runs.kept.cache import IngestCache
from groupmem.lab.runs.kept.cell import kept_already
from groupmem.lab.runs.plan import NO_CAPS, Caps, Plan, PlannedStage, StagePlan
from groupmem.lab.runs.prepare import Prepared
from groupmem.lab.runs.reader import Reader
from groupmem.lab.runs.roster import Entry, make_entry
from groupmem.lab.runs.unit import RunUnit
from groupmem.models.names import parse_embedding_name, parse_model_name
from groupmem.models.openai_embedding import TEXTS_PER_CALL
from groupmem.models.prices import Prices
from groupmem.models.targets import Target, resolve
from groupmem.text import count_tokens
from groupmem.types import Passage, Question, Usage


class _Load(NamedTuple):
    """Calls of one stage to one model. `target` None: nobody knows where it is, nor what it costs."""

    stage: PlannedStage
    model: str
    target: Target | None
    calls: int
    input_tokens: float
    output_tokens: int = 0


class _Cell(NamedTuple):
    """A cell with what is on record for it."""

    unit: RunUnit
    entry: Entry
    recalled: Mapping[str, RecalledLine]
    answers: Mapping[str, AnswerLine]
    judged: frozenset[str]

    @property
    def unrecalled(self) -> list[Question]:
        return [question for question in self.unit.questions if question.id not in self.recalled]

    @property
    def unanswered(self) -> list[Question]:
        return [question for question in self.unit.questions if question.id not in self.answers]

    @property
    def unjudged(self) -> list[Question]:
        return [question for question in self.unit.questions if question.id not in self.judged]


def make_plan(
    prepared: Prepared, folder: Path, prices: Prices, caps: Caps = NO_CAPS, ingest_cache: Path | None = None
) -> Plan:
    """What a run of `prepared` in `folder` still has to do. Raises InputError for a wrong model name."""
    benchmark, spec = prepared.benchmark, prepared.spec
    cells = list(_cells(prepared, RunFolder(folder)))
    is_kept = kept_already(spec, prepared.prompts, IngestCache(ingest_cache) if ingest_cache else None)
    agents = list(agent_cells(benchmark, spec.systems, prepared.units, RunFolder(folder), is_kept))
    loads = (
        *_embedding_loads(cells),
        *_reader_loads(prepared, cells),
        *_judge_loads(prepared, cells),
        *(
            _Load(found.stage, found.model, found.target, *_figures(found.load))
            for found in agent_loads(agents, spec.judge)
        ),
    )
    return Plan(
        run=str(folder),
        benchmark=benchmark.metadata.name,
        units=len(prepared.units),
        questions=prepared.questions,
        cells=len(cells) + len(agents),
        stages=tuple(_stages(loads, prices)),
        unplanned=tuple(dict.fromkeys(cell.entry.row.name for cell in cells if _calls_by_itself(cell.entry))),
        chunks={cell.unit.id: cell.loads.chunks for cell in agents},
        kept_ingests=sum(cell.kept for cell in agents),
        cap=spend_cap(benchmark, spec.systems, caps),
    )


def _cells(prepared: Prepared, folder: RunFolder) -> Iterator[_Cell]:
    for unit in prepared.units:
        for name in prepared.spec.systems:
            if is_agent(prepared.benchmark, name):
                continue
            entry = make_entry(name, unit)
            if starts_over(folder.read_cell(unit.id, name), entry.row):
                yield _Cell(unit, entry, {}, {}, frozenset())
                continue
            judged = frozenset(folder.verdicts(unit.id, name))
            yield _Cell(unit, entry, folder.recalled(unit.id, name), folder.answers(unit.id, name), judged)


def _calls_by_itself(entry: Entry) -> bool:
    return entry.chat is not None or (entry.row.traits.answers and not entry.row.traits.reference)


def _embedding_loads(cells: list[_Cell]) -> Iterator[_Load]:
    """Embedding costs nothing where it runs here, so such models are left out."""
    for cell in cells:
        name = cell.entry.embedding
        target = resolve(parse_embedding_name(name)) if name else None
        if target is None or target.free or not cell.unrecalled:
            continue
        sizes = cell.unit.sizes
        yield _Load(
            "ingest", target.name, target, ceil(sizes.messages / TEXTS_PER_CALL), sizes.mean_text * sizes.messages
        )
        queries = sum(count_tokens(question.text) for question in cell.unrecalled)
        yield _Load("recall", target.name, target, len(cell.unrecalled), queries)


def _reader_loads(prepared: Prepared, cells: list[_Cell]) -> Iterator[_Load]:
    if prepared.spec.reader is None:
        return
    target = resolve(parse_model_name(prepared.spec.reader))
    reader = Reader(prompts=prepared.prompts, whole=prepared.benchmark.whole_answers)
    for cell in cells:
        for question in () if cell.entry.row.traits.answers else cell.unanswered:
            context = _context_tokens(prepared, cell, question)
            frame = reader.request(question, (Passage(text=""),) if context else ())
            prompt = sum(count_tokens(turn.content) for turn in frame.messages)
            yield _Load("answer", target.name, target, 1, prompt + context, REPLY_TOKENS)


def _judge_loads(prepared: Prepared, cells: list[_Cell]) -> Iterator[_Load]:
    if prepared.spec.judge is None:
        return
    target = resolve(parse_model_name(prepared.spec.judge))
    for cell in cells:
        if prepared.spec.reader is not None or cell.entry.row.traits.answers:
            for question in cell.unjudged:
                load = prepared.benchmark.judge_load(question, prepared.prompts)
                yield _Load("judge", target.name, target, load.calls, load.input_tokens, load.output_tokens)


def _context_tokens(prepared: Prepared, cell: _Cell, question: Question) -> float:
    line = cell.recalled.get(question.id)
    if line is not None:
        return line.context_tokens
    return cell.entry.row.expected_tokens(question, prepared.spec.limit, cell.unit.sizes)


def _stages(loads: Iterable[_Load], prices: Prices) -> Iterator[StagePlan]:
    """Loads of one stage and one model are one line of the plan."""
    by_model: defaultdict[tuple[PlannedStage, str, Target | None], list[_Load]] = defaultdict(list)
    for load in loads:
        if load.calls:
            by_model[load.stage, load.model, load.target].append(load)
    for (stage, model, target), same in by_model.items():
        usage = Usage(
            calls=sum(load.calls for load in same),
            input_tokens=round(sum(load.input_tokens for load in same)),
            output_tokens=sum(load.output_tokens for load in same),
        )
        yield StagePlan(
            stage=stage,
            model=model,
            calls=usage.calls,
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            cost_usd=prices.cost_usd(target, usage) if target else None,
        )


def _figures(load: Load) -> tuple[int, int, int]:
    return load.calls, load.input_tokens, load.output_tokens
