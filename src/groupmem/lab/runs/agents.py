"""Rows that answer by an agent of their own, where the benchmark knows what one takes.

Such a row is planned without being installed, and a run of it is held to the benchmark's caps, unless the user gives
others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from groupmem.lab.benchmarks.base import Benchmark
from groupmem.lab.benchmarks.loads import AgentCaps, AgentLoads, Load
from groupmem.lab.records import RunFolder
from groupmem.lab.runs.plan import Caps, PlannedStage
from groupmem.lab.runs.unit import RunUnit
from groupmem.lab.systems.registry import parse_spec
from groupmem.models.budget import SpendCap
from groupmem.models.names import parse_model_name
from groupmem.models.targets import Target, resolve


class AgentLoad(NamedTuple):
    """Calls of one stage of a row to its model. `target` None: the user has not said which, so its price is unknown."""

    stage: PlannedStage
    model: str
    target: Target | None
    load: Load


class AgentCell(NamedTuple):
    """One such row on one unit, with what is still to be done; `kept`: its ingest is there already."""

    unit: RunUnit
    system: str
    loads: AgentLoads
    ingests: bool
    kept: bool
    unanswered: int
    unjudged: int


def is_agent(benchmark: Benchmark, system: str) -> bool:
    """Whether the benchmark knows what this row takes, by the name that is before its options."""
    return _caps_of(benchmark, system) is not None


def agent_cells(
    benchmark: Benchmark,
    systems: Sequence[str],
    units: Sequence[RunUnit],
    folder: RunFolder,
    is_kept: Callable[[RunUnit, str], bool],
) -> Iterator[AgentCell]:
    """Every such row on every unit. What a failed cell holds is worth nothing, for it starts over; an ingest that
    `is_kept` is not made again."""
    for unit in units:
        for system in (name for name in systems if is_agent(benchmark, name)):
            loads = benchmark.agent_loads(parse_spec(system).name, unit.conversation)
            if loads is None:
                continue
            found = folder.read_cell(unit.id, system)
            failed = found is not None and found.status == "failed"
            recalled, answered, judged = (
                set() if failed else set(lines(unit.id, system))
                for lines in (folder.recalled, folder.answers, folder.verdicts)
            )
            asked = {question.id for question in unit.questions}
            left = bool(asked - (recalled & answered))
            kept = left and is_kept(unit, system)
            yield AgentCell(unit, system, loads, left and not kept, kept, len(asked - answered), len(asked - judged))


def agent_loads(cells: Sequence[AgentCell], judge: str | None) -> Iterator[AgentLoad]:
    """The loads of the cells by stage. Without a judge of the run, the agent's own model is taken for it, as the source
    does."""
    for cell in cells:
        model, target = _model_of(cell.system)
        judging, judging_target = (judge, resolve(parse_model_name(judge))) if judge else (model, target)
        if cell.ingests:
            yield AgentLoad("ingest", model, target, cell.loads.ingest)
        yield AgentLoad("answer", model, target, _times(cell.loads.answer, cell.unanswered))
        yield AgentLoad("judge", judging, judging_target, _times(cell.loads.judge, cell.unjudged))


def spend_cap(benchmark: Benchmark, systems: Sequence[str], given: Caps) -> SpendCap:
    """The cap of a run: what the user gave, and for calls and tokens else what its rows may take together."""
    known = [caps for system in systems if (caps := _caps_of(benchmark, system)) is not None]
    if not known:
        return SpendCap(calls=given.calls, tokens=given.tokens, usd=given.usd)
    return SpendCap(
        calls=sum(caps.calls for caps in known) if given.calls is None else given.calls,
        tokens=sum(caps.tokens for caps in known) if given.tokens is None else given.tokens,
        usd=given.usd,
        overridden=tuple(name for name in ("calls", "tokens") if getattr(given, name) is not None),
    )


def _caps_of(benchmark: Benchmark, system: str) -> AgentCaps | None:
    """None for a class of the user's, whatever its name."""
    spec = parse_spec(system)
    return benchmark.agent_caps(spec.name) if spec.path is None else None


def _model_of(system: str) -> tuple[str, Target | None]:
    spec = parse_spec(system)
    chat = spec.options.get("chat")
    return (chat, resolve(parse_model_name(chat))) if chat else (f"{spec.name}, its model", None)


def _times(load: Load, count: int) -> Load:
    return Load(
        calls=load.calls * count, input_tokens=load.input_tokens * count, output_tokens=load.output_tokens * count
    )
