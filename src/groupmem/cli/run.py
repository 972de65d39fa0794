"""groupmem run: systems on a benchmark, under one protocol, to a leaderboard."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import typer

from groupmem.cli import options as opt
from groupmem.cli.console import Console, JsonOption, QuietOption, print_object

if TYPE_CHECKING:
    from groupmem.lab.records import RunFolder


@opt.shares_arguments
def run(
    asked: opt.Asked,
    errata: opt.Errata = None,
    concurrency: opt.Concurrency = 8,
    question_concurrency: opt.QuestionConcurrency = 2,
    question_timeout: opt.QuestionTimeout = 900.0,
    no_cache: opt.NoCache = False,
    no_ingest_cache: opt.NoIngestCache = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Run memory systems on a benchmark and print the leaderboard.

    All is kept in a run folder. Killed, interrupted, at its budget or waiting for a
    batch: the same command goes on where it stopped. Exit code 1 where a system failed.
    """
    from groupmem.lab.runs.engine import RunOptions
    from groupmem.lab.runs.engine import run as carry_out
    from groupmem.lab.runs.kept.cache import default_ingest_cache
    from groupmem.lab.runs.stages.own import OwnAnswers
    from groupmem.models.cache import default_cache_path

    options = RunOptions(
        out=asked.out,
        data_dir=asked.data,
        errata=errata,
        caps=asked.caps,
        concurrency=concurrency,
        cache_path=None if no_cache else default_cache_path(),
        ingest_cache=None if no_ingest_cache else default_ingest_cache(),
        own=OwnAnswers(concurrency=question_concurrency, timeout_s=question_timeout or None),
        prices=asked.prices,
        progress=Console(quiet=quiet),
    )
    with redirect_stdout(sys.stderr):  # what a system prints is no result
        folder = carry_out(asked.spec, options)
    if folder.read_run().facts:
        _write_records(folder)
    _show(folder, json=json)
    if any(cell.status == "failed" for cell in folder.cells()):
        raise typer.Exit(1)


def _write_records(folder: RunFolder) -> None:
    from groupmem.lab.reports.beam import write_records

    write_records(folder)


def _show(folder: RunFolder, *, json: bool) -> None:
    from groupmem.lab.reports import leaderboard, page_console, render_text, run_object

    if json:
        print_object(run_object(folder))
        return
    render_text(leaderboard(folder), page_console())
    print(f"run: {folder.path}")
    if folder.read_run().facts:
        print(f"its tables as the benchmark's own: groupmem report {folder.path} --like beam")
