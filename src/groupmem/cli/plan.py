"""groupmem plan: what a run is going to take, before a cent is spent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from groupmem.cli import options as opt
from groupmem.cli.console import JsonOption, print_object

if TYPE_CHECKING:
    from groupmem.lab.reports.table import Table
    from groupmem.lab.runs.plan import Plan


@opt.shares_arguments
def plan(asked: opt.Asked, no_ingest_cache: opt.NoIngestCache = False, json: JsonOption = False) -> None:
    """Estimate the calls, tokens and dollars of a run that is given the same arguments; nothing is called or written.

    What the run folder holds already is left out. Ends with exit code 4 where `groupmem run` would refuse the caps.
    """
    from groupmem.lab.records import RunFolder
    from groupmem.lab.runs.estimate import make_plan
    from groupmem.lab.runs.kept.cache import default_ingest_cache
    from groupmem.lab.runs.plan import check_caps, spent_by
    from groupmem.lab.runs.prepare import prepare

    prepared = prepare(asked.spec, asked.data, planning=True)
    folder = asked.out or prepared.default_folder
    kept = None if no_ingest_cache else default_ingest_cache()
    made = make_plan(prepared, folder, asked.prices, asked.caps, kept)
    if json:
        print_object(_object(made))
    else:
        _show(made)
    check_caps(made, spent_by(RunFolder(folder)))


def _object(made: Plan) -> dict[str, Any]:
    """The object of `groupmem plan --json`: the plan, and its total."""
    import msgspec

    total = made.total
    return {
        **msgspec.to_builtins(made),
        "total": {"calls": total.calls, "tokens": total.tokens, "cost_usd": total.usd},
    }


def _show(made: Plan) -> None:
    from groupmem.lab.reports import page_console, print_table

    print_table(_table(made), page_console())


def _table(made: Plan) -> Table:
    from groupmem.lab.judging.verdict import REPLY_TOKENS
    from groupmem.lab.reports.table import Column, Section, Table, counted

    total = made.total
    rows = [(s.stage, s.model, s.calls, s.input_tokens, s.output_tokens, s.cost_usd) for s in made.stages]
    sums = ("total", "", total.calls, sum(s.input_tokens for s in made.stages), _outputs(made), total.usd)
    unplanned = (f"not in it: what {', '.join(made.unplanned)} call by themselves",) if made.unplanned else ()
    sizes = (counted(made.questions, "question"), counted(made.units, "unit"), counted(made.cells, "cell"))
    return Table(
        title=f"{made.benchmark}: {', '.join(sizes)}, in {made.run}",
        columns=(
            Column(header="stage", text=True),
            Column(header="model", text=True),
            Column(header="calls"),
            Column(header="input tokens"),
            Column(header="output tokens"),
            Column(header="USD", decimals=2),
        ),
        sections=(Section(title="", rows=(*rows, sums)),),
        notes=(
            f"replies are taken to have {REPLY_TOKENS} tokens; a model that thinks writes more",
            *unplanned,
            *_agent_notes(made),
        ),
        keys=2,
    )


def _agent_notes(made: Plan) -> Iterator[str]:
    """Of systems that the benchmark has figures of: what they were reckoned from, and the caps."""
    from groupmem.lab.reports.table import counted

    if not made.chunks:
        return
    total, chunks = sum(made.chunks.values()), ", ".join(f"{unit} {count:,}" for unit, count in made.chunks.items())
    yield f"{total:,} chunks ({chunks}); tokens of an agent are counted as input, for only their sum is known"
    if made.kept_ingests:
        yield f"{counted(made.kept_ingests, 'ingest')} of earlier runs left out: kept, so nothing of it is paid again"
    parts = [f"{part:,} {name}" for name in ("calls", "tokens") if (part := getattr(made.cap, name)) is not None]
    by_user = f" ({' and '.join(made.cap.overridden)} overridden)" if made.cap.overridden else ""
    yield f"cap: {', '.join(parts)}{by_user}"


def _outputs(made: Plan) -> int:
    return sum(stage.output_tokens for stage in made.stages)
