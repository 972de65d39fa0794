"""groupmem show: one question of a run, and what each system made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from groupmem.cli.console import JsonOption, print_object


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The id of a question.")],
    system: Annotated[
        list[str] | None, typer.Option("--system", "-s", help="Only this system; may be repeated.")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="The unit, where several have a question of this id.")] = None,
    json: JsonOption = False,
) -> None:
    """Show one question: asker, gold, evidence, what each system returned and answered, and the judge's words."""
    from groupmem.lab.records import RunFolder
    from groupmem.lab.reports import page_console, print_question, view_question

    view = view_question(RunFolder(run), question, unit=unit, systems=system or ())
    if json:
        print_object(view)
    else:
        print_question(view, page_console())
