"""The arguments that `run` and `plan` share: what is to be run, and what it may take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from groupmem.lab.records import RunSpec
    from groupmem.lab.runs.plan import Caps
    from groupmem.models.prices import Prices

DEFAULT_LIMIT = 10
UNREAD_DEPTH = 100
DEFAULT_SYSTEMS = ["bm25", "bm25-stemmed", "dense", "hybrid"]

Target = Annotated[
    str, typer.Argument(help="A benchmark (sample, groupmembench:Finance, locomo, ...) or a folder in its layout.")
]
Systems = Annotated[
    list[str],
    typer.Option(
        "--system",
        "-s",
        help="A memory system, its options behind a colon (dense:embedding=minilm), an official package "
        "(groupmem systems list), a class or a command of your own (mine.py:MyMemory, 'cmd:node memory.js'), or a "
        "reference row (abstain, no-memory, full-context, oracle). May be repeated.",
    ),
]
ReaderName = Annotated[
    str | None,
    typer.Option("--reader", help="The model that answers (openai:gpt-5). Without it a run measures retrieval."),
]
JudgeName = Annotated[str | None, typer.Option("--judge", help="The model that judges the answers.")]
Limit = Annotated[
    int | None,
    typer.Option(
        help="Ranks that a system is asked for and a reader is handed. "
        "Default: 10; where nobody reads, 100 are asked for."
    ),
]
Types = Annotated[
    str | None, typer.Option("--types", help="Only questions of these types, with commas between: temporal,abstention")
]
Questions = Annotated[int | None, typer.Option("--questions", help="Only so many questions, drawn with --seed.")]
Seed = Annotated[int, typer.Option(help="Seed of the draw and of the systems.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="The run folder; the same command with the same folder goes on with it.")
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of the data sets. Default: GROUPMEM_DATA, else the user's data folder."),
]
Unpinned = Annotated[
    bool, typer.Option("--unpinned", help="Read data that is not the pinned; the record and the tables say so.")
]
Errata = Annotated[
    Path | None,
    typer.Option("--errata", help="Questions whose gold is wrong (groupmem questions audit): both scores are shown."),
]
AppendAnswers = Annotated[
    bool, typer.Option("--append-answers", help="Each answer joins the history before the next question.")
]
PromptFolder = Annotated[
    Path | None, typer.Option("--prompts", help="A folder of prompt texts that are laid over the built-in ones.")
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="How the judge is called: paper, published (as in the published scripts of GroupMemBench), or beam. "
        "Default: what the benchmark's authors do.",
    ),
]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", min=0, help="Cap on dollars over all starts of the run.")]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", min=0, help="Cap on model calls.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", min=0, help="Cap on tokens, input and output.")]
PriceFile = Annotated[Path | None, typer.Option("--prices", help="A TOML file of prices in USD per million tokens.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Model calls that are under way at a time.")]
QuestionConcurrency = Annotated[
    int,
    typer.Option("--question-concurrency", min=1, help="Questions under way at a time, where a system answers itself."),
]
QuestionTimeout = Annotated[
    float,
    typer.Option(
        "--question-timeout", min=0, help="Seconds that a system's own answer may take; 0: as long as it likes."
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither use nor fill the cache of replies of this user.")]

NoIngestCache = Annotated[
    bool,
    typer.Option("--no-ingest-cache", help="Neither use nor keep the finished ingests of this user (groupmem cache)."),
]


class Asked(NamedTuple):
    """What was asked for on the command line: the run, where it and its data lie, and what it may take."""

    spec: RunSpec
    out: Path | None
    data: Path | None
    caps: Caps
    prices: Prices


def ask(
    target: Target,
    systems: Systems = DEFAULT_SYSTEMS,
    reader: ReaderName = None,
    judge: JudgeName = None,
    limit: Limit = None,
    types: Types = None,
    questions: Questions = None,
    seed: Seed = 0,
    out: Out = None,
    data: DataFolder = None,
    unpinned: Unpinned = False,
    append_answers: AppendAnswers = False,
    prompts: PromptFolder = None,
    profile: Profile = None,
    max_usd: MaxUsd = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
) -> Asked:
    """What the shared arguments mean. Raises InputError for a price file that cannot be read."""
    from groupmem.lab.benchmarks.registry import default_judge
    from groupmem.lab.records import RunSpec
    from groupmem.lab.runs.plan import Caps
    from groupmem.models.prices import Prices

    spec = RunSpec(
        benchmark=target,
        systems=tuple(systems),
        limit=DEFAULT_LIMIT if limit is None else limit,
        depth=UNREAD_DEPTH if limit is None and reader is None and judge is None else None,
        reader=reader,
        judge=judge,
        judge_profile=profile or default_judge(target).name,
        categories=tuple(part.strip() for part in (types or "").split(",") if part.strip()),
        sample_questions=questions,
        seed=seed,
        unpinned=unpinned,
        append_answers=append_answers,
        prompts=str(prompts) if prompts else None,
    )
    return Asked(spec, out, data, Caps(usd=max_usd, calls=max_calls, tokens=max_tokens), Prices(prices))


def shares_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is an `Asked` takes the arguments of `ask` in its place, then its own."""
    shared = signature(ask, eval_str=True).parameters
    own = list(signature(command, eval_str=True).parameters.values())[1:]

    @wraps(command)
    def called(**given: Any) -> None:
        command(ask(**{name: given.pop(name) for name in shared}), **given)

    parameters = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in (*shared.values(), *own)]
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
