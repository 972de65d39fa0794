"""groupmem compare: systems against each other on the same questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from groupmem.cli.console import JsonOption, print_object


def compare(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    other: Annotated[
        Path | None, typer.Argument(metavar="[RUN2]", help="A second run: its systems against the same of the first.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="recall@5, recall@10, hit@10, all@10, mrr, ndcg@10, leak@10, value@1 or accuracy.")
    ] = "recall@10",
    baseline: Annotated[
        str | None, typer.Option(help="The system of the first run that all others stand against.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare systems question by question: difference, interval, p-value, wins, ties and losses."""
    from groupmem.lab.records import RunFolder
    from groupmem.lab.reports import compare_runs, compare_systems, comparison_table, page_console, print_table

    if other is None:
        comparison = compare_systems(RunFolder(run), metric, baseline)
    else:
        comparison = compare_runs(RunFolder(run), RunFolder(other), metric, baseline)
    if json:
        print_object(comparison)
    else:
        print_table(comparison_table(comparison), page_console())
