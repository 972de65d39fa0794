"""Official packages as memory systems: an adapter and its environment make a program."""

from __future__ import annotations

from groupmem.errors import InputError
from groupmem.lab.systems.isolated.adapter import Adapter, find_adapter, find_installable
from groupmem.lab.systems.isolated.environment import environment_folder, installed
from groupmem.lab.systems.isolated.process import Program
from groupmem.lab.systems.isolated.system import Declaration, IsolatedSystem

SERVICE_NEEDS = frozenset({"postgres", "falkordb"})


def adapter_system(name: str) -> IsolatedSystem:
    """The system of this name, whether or not it is installed.

    Raises UnknownNameError for a name that no adapter has, InputError where there is no Python for it.
    """
    adapter = find_adapter(name)
    manifest = adapter.manifest
    declared = Declaration(
        capabilities=manifest.capabilities,
        needs=manifest.needs,
        prepares=manifest.prepares,
        options=manifest.options,
        chatless=manifest.chatless,
        sha256=adapter.sha256,
    )
    return IsolatedSystem(program_of(adapter), declared)


def check_installed(name: str) -> None:
    """Raises InputError where an environment is lacking that the system of this name needs."""
    lacking = [part.name for part in parts_of(find_adapter(name)) if installed(part) is None]
    if lacking:
        raise InputError(
            f"{name} is not installed: say groupmem systems install {name} (lacking: {', '.join(lacking)})"
        )


def parts_of(adapter: Adapter) -> list[Adapter]:
    """The adapter and the services that it needs: each has an environment of its own."""
    return [adapter, *(find_installable(need) for need in adapter.manifest.needs if need in SERVICE_NEEDS)]


def program_of(adapter: Adapter) -> Program:
    """What is started for an adapter, once its environment is installed."""
    folder = environment_folder(adapter)
    own = {**adapter.manifest.env, "GROUPMEM_ADAPTER": adapter.name}
    if adapter.built_from.manifest.checkout is not None:
        own["GROUPMEM_CHECKOUT"] = str(folder / "checkout")
    return Program(
        name=adapter.name,
        argv=(str(folder / "bin" / "python"), str(adapter.worker_path)),
        environment=own,
        timeouts=adapter.manifest.timeouts,
    )
