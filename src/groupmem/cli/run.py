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


def run(
    target: opt.Target,
    systems: opt.Systems = opt.DEFAULT_SYSTEMS,
    reader: opt.ReaderName = None,
    judge: opt.JudgeName = None,
    limit: opt.Limit = None,
    types: opt.Types = None,
    questions: opt.Questions = None,
    seed: opt.Seed = 0,
    out: opt.Out = None,
    data: opt.DataFolder = None,
    unpinned: opt.Unpinned = False,
    errata: opt.Errata = None,
    append_answers: opt.AppendAnswers = False,
    prompts: opt.PromptFolder = None,
    profile: opt.Profile = "paper",
    max_usd: opt.MaxUsd = None,
    max_calls: opt.MaxCalls = None,
    max_tokens: opt.MaxTokens = None,
    prices: opt.PriceFile = None,
    concurrency: opt.Concurrency = 8,
    no_cache: opt.NoCache = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Run memory systems on a benchmark and print the leaderboard.

    All is kept in a run folder. Killed, interrupted, at its budget or waiting for a
    batch: the same command goes on where it stopped. Exit code 1 where a system failed.
    """
    from groupmem.lab.runs.engine import RunOptions
    from groupmem.lab.runs.engine import run as carry_out
    from groupmem.lab.runs.plan import Caps
    from groupmem.models.cache import default_cache_path
    from groupmem.models.prices import Prices

    spec = opt.make_spec(
        target=target,
        systems=systems,
        limit=limit,
        reader=reader,
        judge=judge,
        profile=profile,
        types=types,
        questions=questions,
        seed=seed,
        unpinned=unpinned,
        append_answers=append_answers,
        prompts=prompts,
    )
    options = RunOptions(
        out=out,
        data_dir=data,
        errata=errata,
        caps=Caps(usd=max_usd, calls=max_calls, tokens=max_tokens),
        concurrency=concurrency,
        cache_path=None if no_cache else default_cache_path(),
        prices=Prices(prices),
        progress=Console(quiet=quiet),
    )
    with redirect_stdout(sys.stderr):  # what a system prints is no result
        folder = carry_out(spec, options)
    _show(folder, json=json)
    if any(cell.status == "failed" for cell in folder.cells()):
        raise typer.Exit(1)


def _show(folder: RunFolder, *, json: bool) -> None:
    from groupmem.lab.reports import leaderboard, page_console, render_text, run_object

    if json:
        print_object(run_object(folder))
        return
    render_text(leaderboard(folder), page_console())
    print(f"run: {folder.path}")
