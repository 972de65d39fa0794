"""groupmem questions: adversarial questions about a conversation, and the audit of question files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object
from groupmem.cli.options import (
    Concurrency,
    JudgeName,
    MaxCalls,
    MaxTokens,
    MaxUsd,
    NoCache,
    PriceFile,
    PromptFolder,
    ReaderName,
)

if TYPE_CHECKING:
    from groupmem.lab.questions.making import Made
    from groupmem.lab.questions.output import TypeCounts
    from groupmem.lab.questions.records import Category

app = typer.Typer(help="Write hard questions about a conversation, and check question files.", no_args_is_help=True)


@app.command()
def make(
    folder: Annotated[
        Path, typer.Argument(help="What `groupmem synth make` wrote, or with --author any conversation.")
    ],
    per_type: Annotated[int, typer.Option("--per-type", "-n", min=1, help="Questions of each type.")] = 45,
    solver: Annotated[str, typer.Option(help="The memory system that accepted questions defeat.")] = "bm25",
    rounds: Annotated[int, typer.Option(min=1, help="Wordings that are tried of one question at most.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    types: Annotated[str | None, typer.Option("--types", help="Only these types, with commas between.")] = None,
    author: Annotated[
        str | None, typer.Option(help="The model that writes questions about a conversation whose facts are not known.")
    ] = None,
    reader: ReaderName = None,
    judge: JudgeName = None,
    prompts: PromptFolder = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where questions go. Default: into the corpus.")] = None,
    max_usd: MaxUsd = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    prices: PriceFile = None,
    concurrency: Concurrency = 8,
    no_cache: NoCache = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Write questions of six types, each reworded until the solver fails on it.

    Without a model the same corpus and seed give the same questions. Killed, interrupted, at
    its budget or waiting for a batch: the same command goes on where it stopped.

    --json: {"folder", "resumed", "counts"}
    """
    from groupmem.lab.questions.making import make_questions
    from groupmem.lab.questions.order import Order
    from groupmem.models.budget import Budget
    from groupmem.models.cache import default_cache_path
    from groupmem.models.prices import Prices
    from groupmem.models.session import Models

    order = Order(
        per_type=per_type,
        solver=solver,
        rounds=rounds,
        seed=seed,
        categories=_categories(types),
        author=author,
        reader=reader,
        judge=judge,
        prompts=str(prompts) if prompts else None,
    )

    def open_models(log_path: Path) -> Models:
        return Models(
            log_path=log_path,
            cache_path=None if no_cache else default_cache_path(),
            budget=Budget(usd=max_usd, calls=max_calls, tokens=max_tokens),
            prices=Prices(prices),
            concurrency=concurrency,
        )

    made = make_questions(order, folder, out or folder, Console(quiet=quiet), open_models, concurrency)
    _show(made, json=json)


def _categories(types: str | None) -> tuple[Category, ...]:
    from groupmem.errors import UnknownNameError
    from groupmem.lab.questions.records import CATEGORIES

    wanted = [part.strip() for part in (types or "").split(",") if part.strip()]
    for name in wanted:
        if name not in CATEGORIES:
            raise UnknownNameError("question type", name, CATEGORIES)
    return tuple(category for category in CATEGORIES if not wanted or category in wanted)


def _show(made: Made, *, json: bool) -> None:
    if json:
        print_object({"folder": str(made.folder), "resumed": made.resumed, "counts": made.counts})
        return
    print(f"{'type':<18}{'tried':>7}{'accepted':>10}{'twins':>7}{'raw solved':>12}{'rounds':>8}{'yes/no':>8}  refused")
    for counts in made.counts:
        print(_line(counts))
    print(f"questions: {made.folder / 'questions'}")


def _line(counts: TypeCounts) -> str:
    solved = f"{counts.raw_solved}/{counts.raw}"
    refused = ", ".join(f"{reason.replace('_', ' ')} {number}" for reason, number in counts.refused.items())
    return (
        f"{counts.category:<18}{counts.anchors:>7}{counts.accepted:>10}{counts.twins:>7}{solved:>12}"
        f"{counts.mean_rounds:>8.2f}{counts.yes_no:>8}  {refused or '-'}"
    )


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(help="A question file (JSON lines), or a folder that holds questions.")],
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="The conversation. Default: the folder that the file lies in.")
    ] = None,
    errata: Annotated[
        Path | None, typer.Option("--errata", help="Where the findings go, as a file for `groupmem run --errata`.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check questions: gold without support, evidence that is not there, answers given away.

    --json: {"corpus", "questions", "findings", "unreadable"}
    """
    from groupmem.lab.questions.auditing import audit_file
    from groupmem.lab.questions.output import write_lines

    audited = audit_file(file, corpus)
    if errata is not None:
        write_lines(errata, audited.findings)
    if json:
        print_object(audited)
        return
    for finding in audited.findings:
        print(f"{finding.question:<24}{finding.problem.replace('_', ' '):<20}{finding.detail}")
    unreadable = f"; {audited.unreadable} rows could not be read" if audited.unreadable else ""
    print(f"{audited.questions} questions about {audited.corpus}: {len(audited.findings)} findings{unreadable}")
