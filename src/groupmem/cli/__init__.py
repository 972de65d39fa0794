"""The command line: one small file a command, each parses, calls and prints; and the one place that handles errors."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from groupmem import __version__
from groupmem.cli import cache, data, questions, synth, systems
from groupmem.cli.ask import ask
from groupmem.cli.compare import compare
from groupmem.cli.console import tell
from groupmem.cli.import_ import import_
from groupmem.cli.plan import plan
from groupmem.cli.quality import quality
from groupmem.cli.report import report
from groupmem.cli.run import run
from groupmem.cli.show import show
from groupmem.cli.upkeep import compact, rebuild, reembed
from groupmem.errors import BudgetError, GroupMemError, PendingError

INTERRUPTED = 130

app = typer.Typer(
    name="groupmem",
    help="Memory for assistants that live in group chats, and the laboratory that measures it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"groupmem {__version__}")
        raise typer.Exit


@app.callback()
def _groupmem(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    pass


for command in (run, plan, report, compare, show, quality, ask, reembed, rebuild, compact):
    app.command()(command)
app.command("import")(import_)
app.add_typer(data.app, name="data")
app.add_typer(synth.app, name="synth")
app.add_typer(questions.app, name="questions")
app.add_typer(systems.app, name="systems")
app.add_typer(cache.app, name="cache")


def main() -> None:
    """The console script. An error that a user can act on is one line on stderr, and its exit code says of what kind:
    1 an error, 2 wrong usage, 3 a batch that waits for its answers, 4 a budget, 130 an interrupt."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without Unicode shows escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except GroupMemError as error:
        label = "" if isinstance(error, BudgetError | PendingError) else "error: "
        sys.exit(_told(f"{label}{error}", error.exit_code))
    except OSError as error:  # a file that may not be read, a full disk
        sys.exit(_told(f"error: {error.filename or 'groupmem'}: {error.strerror or error}", GroupMemError.exit_code))
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            _told("interrupted; the same command resumes", INTERRUPTED)
        raise


def _told(text: str, exit_code: int) -> int:
    tell(text)
    return exit_code
