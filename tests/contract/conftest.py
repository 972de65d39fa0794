"""Fixtures that open each memory system in a cell of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_cells import SPECS, OpenCell
from isolated_cells import example_peers, installed_peers
from systems_tested import Tested

from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.lab.systems.registry import create_system
from groupmem.types import Channel
from support.copying_chat import CopyingChat
from support.word_vectors import WordVectors


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--system", action="append", help="hold this system to the contract, and no other")
    parser.addoption("--installed", action="store_true", help="hold all adapters that are installed to it")
    parser.addoption("--tested", type=Path, metavar="FILE", help="add the results to this page, by version")


def pytest_configure(config: pytest.Config) -> None:
    page = config.getoption("--tested", default=None)
    if page is not None:
        config.pluginmanager.register(Tested(page))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`spec` is every system; `resumable_spec` and `private_spec` are those that say they can do more. `peer` is every
    system in a process of its own: the example commands, or all that are installed."""
    if "peer" in metafunc.fixturenames:
        peers = installed_peers() if metafunc.config.getoption("--installed", default=False) else example_peers()
        metafunc.parametrize("peer", peers, ids=map(str, peers), scope="module")
    specs = metafunc.config.getoption("--system", default=None) or SPECS
    able = {
        "spec": specs,
        "resumable_spec": [spec for spec in specs if create_system(spec).system.capabilities.resumable],
        "private_spec": [spec for spec in specs if create_system(spec).system.capabilities.visibility],
    }
    for argument, chosen in able.items():
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, chosen, ids=[spec.rpartition("/")[2] for spec in chosen])


@pytest.fixture
def open_cell(tmp_path: Path) -> OpenCell:
    """Opens a system in a store of the test's own; a second call with the same spec finds the store of the first."""

    def open_(spec: str, channels: tuple[Channel, ...] = (), store_dir: Path = tmp_path) -> BaseSystem:
        opened = create_system(spec)
        opened.system.open(
            Setting(
                channels=channels,
                store_dir=store_dir,
                embedding=WordVectors() if opened.embedding else None,
                chat=CopyingChat() if opened.chat else None,
                options=opened.options,
            )
        )
        return opened.system

    return open_


@pytest.fixture
def system(spec: str, open_cell: OpenCell) -> BaseSystem:
    return open_cell(spec)
