"""Keeps the last result of every isolated system, by version, in a page (`pytest --installed --tested FILE`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from isolated_cells import Peer

from groupmem.lab.systems.isolated.adapter import adapter_names, find_adapter
from groupmem.lab.systems.isolated.environment import installed

HEAD = """# Systems, as last tested

`make test-systems` holds every adapter that is installed to [the contract](systems.md#what-every-system-is-held-to) of
systems in processes of their own, over loopback, with a stand-in for the chat model and MiniLM for embeddings, and
writes its result here. A row stays until the same version is tested again.

| system | version | Python | environment | passed | not applicable | failed | tested |
|---|---|---|---|---|---|---|---|
"""
_ROW = re.compile(r"^\| `(?P<system>[^`]+)` \| (?P<version>[^|]+) \|.*$", re.MULTILINE)


class Tested:
    """A plugin of pytest that collects the outcomes of tests with a peer, and adds them to the page at the end."""

    def __init__(self, page: Path) -> None:
        self._page = page
        self._outcomes: dict[str, dict[str, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> object:
        report: pytest.TestReport = yield
        peer = getattr(item, "callspec", None) and item.callspec.params.get("peer")  # type: ignore[attr-defined]
        if isinstance(peer, Peer) and (report.when == "call" or report.outcome != "passed"):
            of_peer = self._outcomes.setdefault(str(peer), {})
            if of_peer.get(item.name) != "failed":
                of_peer[item.name] = report.outcome
        return report

    def pytest_sessionfinish(self) -> None:
        before = self._page.read_text(encoding="utf-8") if self._page.exists() else ""
        rows = {system: row_of(system, outcomes) for system, outcomes in self._outcomes.items()}
        self._page.write_text(merged(before, rows.values()), encoding="utf-8")


def merged(page: str, rows: Iterable[str]) -> str:
    """The page with these rows in the place of those of the same systems and versions."""
    kept = {key(row): row for row in (match.group() for match in _ROW.finditer(page))}
    kept |= {key(row): row for row in rows}
    return HEAD + "".join(f"{kept[name]}\n" for name in sorted(kept))


def key(row: str) -> tuple[str, str]:
    match = _ROW.fullmatch(row)
    assert match is not None, row
    return match["system"], match["version"]


def row_of(system: str, outcomes: Mapping[str, str]) -> str:
    failed = sorted(test for test, outcome in outcomes.items() if outcome == "failed")
    passed, skipped = (list(outcomes.values()).count(outcome) for outcome in ("passed", "skipped"))
    told = "; ".join(failed).replace("|", "/") or "0"
    cells = (*_environment(system.partition(":")[0]), passed, skipped, told, f"{datetime.now(UTC):%Y-%m-%d}")
    return f"| `{system}` | {' | '.join(map(str, cells))} |"


def _environment(name: str) -> tuple[str, str, str]:
    """Version, Python, and size of the environment."""
    if name not in adapter_names():
        return "example", "–", "–"
    adapter = find_adapter(name)
    environment = installed(adapter)
    assert environment is not None
    return adapter.manifest.version, environment.python, f"{environment.installed_bytes / 1e6:,.0f} MB"
