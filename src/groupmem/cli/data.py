"""groupmem data: which data sets there are, fetching them, and checking what lies there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object
from groupmem.errors import DataError

if TYPE_CHECKING:
    from groupmem.lab.benchmarks.inventory import ListedSet, VerifiedSet
    from groupmem.lab.benchmarks.shared import BaseBenchmark

TIMEOUT_S = 60.0

app = typer.Typer(help="List, fetch and verify data sets.", no_args_is_help=True)

FolderOption = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of the data sets. Default: GROUPMEM_DATA, else the user's data folder."),
]


@app.command("list")
def list_(data: FolderOption = None, json: JsonOption = False) -> None:
    """Name, licence, and what is there of each data set.

    --json: {"folder", "benchmarks": [{"name", "title", "licence", "source", "revision", "pinned", "bundled", "files",
    "present"}]}
    """
    from groupmem.lab.benchmarks.inventory import list_sets
    from groupmem.lab.benchmarks.places import data_root

    root = data_root(data)
    listed = list_sets(root)
    if json:
        print_object({"folder": str(root), "benchmarks": listed})
        return
    print(f"data sets in {root}")
    for item in listed:
        print(f"{item.name:<14} {_here(item):<16} {'pinned' if item.pinned else 'unpinned':<9} {item.licence}")


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(help="Data sets, or units of them: locomo, groupmembench:Finance.")],
    data: FolderOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Download data sets from their official sources; what was cut off goes on where it stopped.

    --json: {"folder", "fetched": {name: [{"path", "action": "fetched" or "kept", "sha256", "size_bytes"}]}}
    """
    import httpx

    from groupmem.lab.benchmarks.fetch import Fetcher
    from groupmem.lab.benchmarks.places import data_root

    root, console = data_root(data), Console(quiet=quiet)
    wanted = [_parse(name) for name in names]
    fetched = {}
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT_S) as client:
        for name, (kind, unit) in zip(names, wanted, strict=True):
            console.note(f"{kind.metadata.title}. Licence: {kind.metadata.licence}")
            fetcher = Fetcher(root / name.partition(":")[0], client, task=console.task)
            fetched[name] = [fetcher.fetch(file) for file in kind.declared(unit)]
    if json:
        print_object({"folder": str(root), "fetched": fetched})
        return
    for name, files in fetched.items():
        for file in files:
            print(f"{name}  {file.action:<8} {file.size_bytes / 1e6:8.1f} MB  {file.sha256}  {file.path}")


@app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets. Default: all that are there.")] = None,
    data: FolderOption = None,
    json: JsonOption = False,
) -> None:
    """Compare checksums, and read every message and question once. Exits with 1 where a file is not as it should be.

    --json: {"folder", "benchmarks": [{"name", "status", "files": [{"path", "sha256", "standing", "should_be",
    "size_bytes"}], "counts", "warnings"}]}
    """
    from groupmem.lab.benchmarks.inventory import verify_sets
    from groupmem.lab.benchmarks.places import data_root

    root = data_root(data)
    verified = list(verify_sets(root, names or ()))
    if json:
        print_object({"folder": str(root), "benchmarks": verified})
    else:
        _print_verified(root, verified)
    if any(item.status == "wrong" for item in verified):
        raise typer.Exit(DataError.exit_code)


def _here(item: ListedSet) -> str:
    if item.bundled:
        return "bundled"
    if set(item.present) <= set(item.files):
        return f"{len(item.present)} of {len(item.files)} files"
    return f"{len(item.present)} other files"


def _parse(target: str) -> tuple[type[BaseBenchmark], str | None]:
    """The set and the unit that `target` names. Raises UnknownNameError, and DataError for a set without files."""
    from groupmem.lab.benchmarks.registry import find_set

    kind, unit = find_set(target)
    if not kind.metadata.files:
        raise DataError(f"{target.partition(':')[0]} comes with the package: there is nothing to fetch")
    return kind, unit


def _print_verified(root: Path, verified: list[VerifiedSet]) -> None:
    print(f"data sets in {root}")
    if not verified:
        print("none is there; `groupmem data list` shows which there are, `groupmem data fetch NAME` fetches one")
    for item in verified:
        counts = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in (item.counts or {}).items())
        print(f"{item.name}: {item.status}{f'; {counts}' if counts else ''}")
        for file in item.files:
            expected = f", should be {file.should_be}" if file.standing == "differs" else ""
            print(f"  {file.standing:<10} {file.path}  {file.sha256}{expected}")
        for warning in item.warnings:
            print(f"  note: {warning}")
