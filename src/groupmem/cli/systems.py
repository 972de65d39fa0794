"""groupmem systems: official packages as memory systems, each in an environment of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groupmem.cli.console import Console, JsonOption, QuietOption, print_object

if TYPE_CHECKING:
    from groupmem.lab.systems.isolated.environment import Environment
    from groupmem.lab.systems.isolated.inventory import Finding

app = typer.Typer(help="List, install, examine and remove official memory systems.", no_args_is_help=True)

Names = Annotated[list[str], typer.Argument(help="Systems or services: mem0, hindsight, postgres, ...")]
MB = 1_000_000


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """Every system that can be installed, with versions and sizes, and whether it is.

    --json: {"systems": [{"name", "kind", "title", "version", "needs", "installed", "download_bytes",
    "installed_bytes", "folder"}]}
    """
    from groupmem.lab.systems.isolated.inventory import listed

    lines = listed()
    if json:
        print_object({"systems": lines})
        return
    print(f"{'system':<18} {'state':<10} {'disk':>9}  release, what it is, what it needs")
    for line in lines:
        state = "installed" if line.installed else "-"
        size = f"{line.installed_bytes / MB:,.0f} MB"
        needs = f"  needs {', '.join(line.needs)}" if line.needs else ""
        print(f"{line.name:<18} {state:<10} {size:>9}  {line.version}  {line.title}{needs}")


@app.command()
def install(
    names: Names,
    source: Annotated[
        Path | None, typer.Option("--from", help="A git checkout that holds the pinned commit, where one is needed.")
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Build the environments of systems, and of the services that they need.

    Interrupted or killed, it leaves nothing half done. --json: {"installed": [{"name",
    "key", "python", "packages", "installed_bytes", "seconds", "checkout"}]}
    """
    from groupmem.lab.systems.isolated.adapter import find_installable
    from groupmem.lab.systems.isolated.checkout import check_checkout
    from groupmem.lab.systems.isolated.environment import installed
    from groupmem.lab.systems.isolated.install import install as build
    from groupmem.lab.systems.isolated.official import parts_of

    console = Console(quiet=quiet)
    parts = {part.built_from.name: part for name in names for part in parts_of(find_installable(name))}
    if not any(part.built_from.manifest.checkout for part in parts.values()):
        check_checkout(find_installable(names[0]), source)
    built: list[Environment] = []
    for part in parts.values():
        checkout = source if part.built_from.manifest.checkout else None
        if installed(part) is None:
            check_checkout(part.built_from, checkout)
            manifest = part.built_from.manifest
            console.note(
                f"{part.name}: {manifest.version}, about {manifest.download_mb:,.0f} MB to fetch, "
                f"{manifest.installed_mb:,.0f} MB on the disk"
            )
        built.append(build(part, checkout, console.task))
    if json:
        print_object({"installed": built})
        return
    for record in built:
        print(f"{record.name}: {record.installed_bytes / MB:,.0f} MB, {record.seconds:,.0f} s, Python {record.python}")


@app.command()
def doctor(
    names: Annotated[list[str] | None, typer.Argument(help="Default: all systems that are installed.")] = None,
    json: JsonOption = False,
) -> None:
    """Say what systems lack and how to mend it; those that lack nothing are started once.

    Exit code 1 where there is a problem. --json: {"findings": [{"name", "problem", "remedy", "detail"}]}
    """
    from groupmem.lab.systems.isolated.adapter import find_installable
    from groupmem.lab.systems.isolated.inventory import examine, listed

    wanted = names or [line.name for line in listed() if line.installed]
    findings = [finding for name in wanted for finding in examine(find_installable(name))]
    if json:
        print_object({"findings": findings})
    else:
        _print_findings(findings)
    if any(finding.problem for finding in findings):
        raise typer.Exit(1)


@app.command()
def remove(
    names: Names,
    outdated: Annotated[bool, typer.Option("--outdated", help="Only environments of earlier versions.")] = False,
    json: JsonOption = False,
) -> None:
    """Remove the environments of systems, and say which others share them.

    --json: {"removed": ["FOLDER", ...], "freed_bytes"}
    """
    from groupmem.lab.systems.isolated.adapter import find_installable, sharing
    from groupmem.lab.systems.isolated.environment import environments_of
    from groupmem.lab.systems.isolated.environment import outdated as earlier
    from groupmem.lab.systems.isolated.install import remove as remove_folders

    which = earlier if outdated else environments_of
    adapters = [find_installable(name) for name in dict.fromkeys(names)]
    found = list(dict.fromkeys(folder for adapter in adapters for folder in which(adapter)))
    for adapter in adapters:
        others = [name for name in sharing(adapter) if name not in names]
        if others and which(adapter):
            Console(quiet=False).note(f"{adapter.name}: its environment is that of {', '.join(others)} too")
    freed = remove_folders(found)
    if json:
        print_object({"removed": [str(folder) for folder in found], "freed_bytes": freed})
        return
    if not found:
        print(f"nothing to remove: {', '.join(names)} {'has no earlier version' if outdated else 'is not installed'}")
        return
    print(f"removed {len(found)} environment{'s' if len(found) > 1 else ''}, {freed / MB:,.0f} MB")


def _print_findings(findings: list[Finding]) -> None:
    if not findings:
        print("no system is installed; `groupmem systems list` shows which there are")
    for finding in findings:
        print(f"{finding.name}: {finding.problem or 'runs'}{f' ({finding.detail})' if finding.detail else ''}")
        if finding.remedy:
            print(f"  {finding.remedy}")
