"""groupmem report: the leaderboard of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from groupmem.cli.console import JsonOption
from groupmem.errors import InputError

if TYPE_CHECKING:
    from groupmem.lab.reports import Leaderboard

Format = Literal["text", "markdown", "tsv", "json", "latex"]
By = Literal["category", "unit"]
Like = Literal["paper", "beam"]

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, finished or not.")]


def report(
    run: RunArgument,
    form: Annotated[Format, typer.Option("--format", help="How the report is written.")] = "text",
    by: Annotated[By | None, typer.Option(help="Break the figures down by this; category where not said.")] = None,
    like: Annotated[
        Like | None,
        typer.Option(
            help="Print the tables of a source instead: paper, those of GroupMemBench, or beam, those of the memory "
            "harness on BEAM, whose record is then written into the run folder."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the leaderboard (with --like, cost against accuracy) into this SVG file.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print the leaderboard of a run: retrieval, accuracy, time, size and model use, with intervals."""
    from groupmem.lab.records import RunFolder
    from groupmem.lab.reports import leaderboard

    if json and form not in ("text", "json"):
        raise InputError(f"--json and --format {form} exclude each other; name one of them")
    if by is not None and (json or form == "json"):
        raise InputError("--by has no effect on JSON, which holds every unit and category; leave it out")
    if like is not None and (json or by is not None or form in ("json", "tsv")):
        raise InputError("--like prints tables of its own: leave out --by, --json and the formats json and tsv")
    board = leaderboard(RunFolder(run))
    if like == "beam":
        _write_records(run)
    if figure is not None:
        _draw(board, figure, like)
    if out is None and form == "text" and not json:
        _print_text(board, by or "category", like)
    else:
        _deliver(_written(board, "json" if json else form, by or "category", like), out)


def _write_records(run: Path) -> None:
    from groupmem.lab.records import RunFolder
    from groupmem.lab.reports.beam import write_records

    write_records(RunFolder(run))


def _draw(board: Leaderboard, path: Path, like: Like | None) -> None:
    from groupmem.lab.reports.figure import write_figure
    from groupmem.lab.reports.tradeoff import write_tradeoff

    (write_figure if like is None else write_tradeoff)(board, path)


def _print_text(board: Leaderboard, by: By, like: Like | None) -> None:
    from groupmem.lab.reports import page_console, render_text

    render_text(board, page_console(), by, like)


def _written(board: Leaderboard, form: Format, by: By, like: Like | None) -> str:
    from groupmem.lab.reports import report_object, text_of, to_latex, to_markdown, to_tsv

    if form == "json":
        return msgspec.json.encode(report_object(board)).decode() + "\n"
    if form == "tsv":
        return to_tsv(board, by)
    writers = {"text": text_of, "markdown": to_markdown, "latex": to_latex}
    return writers[form](board, by, like)


def _deliver(text: str, out: Path | None) -> None:
    from groupmem.files import write_atomic

    if out is None:
        print(text, end="")
    else:
        write_atomic(out, text.encode())
