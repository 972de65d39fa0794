"""The documents about systems say what is there, and their code runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupmem.lab.measures import RETRIEVAL_MEASURES
from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.lab.systems.registry import SYSTEMS, create_system
from groupmem.types import Channel, Message

ROOT = Path(__file__).parents[3]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SYSTEMS_PAGE = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
EXAMPLE, WITH_OPTIONS = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
CHANNELS = (Channel(id="dock"), Channel(id="board", members=("User_2",)))
MESSAGES = [
    Message(id="m1", channel="dock", author="User_1", text="the crane is broken"),
    Message(id="m2", channel="board", author="User_2", text="the crane will be sold"),
    Message(id="m3", channel="dock", author="User_3", text="the crane is fixed"),
]


def opened(spec: str) -> BaseSystem:
    created = create_system(spec)
    created.system.open(Setting(channels=CHANNELS, options=created.options))
    created.system.ingest(MESSAGES)
    created.system.settle()
    return created.system


def found(system: BaseSystem, question: str, asker: str | None) -> list[str]:
    recall = system.recall(question, asker=asker, limit=10, asked_at=None)
    return [source for passage in recall.passages for source in passage.source_ids]


def test_the_first_listing_is_the_example() -> None:
    assert (ROOT / "examples" / "my_memory.py").read_text(encoding="utf-8") == EXAMPLE


def test_the_example_ranks_by_shared_words_and_then_the_latest() -> None:
    system = opened(f"{ROOT / 'examples' / 'my_memory.py'}:MyMemory")
    assert found(system, "is the crane broken?", None) == ["m1", "m3", "m2"]


def test_the_second_listing_heeds_its_option_and_who_may_read_what(tmp_path: Path) -> None:
    path = tmp_path / "latest.py"
    path.write_text(WITH_OPTIONS, encoding="utf-8")
    assert found(opened(f"{path}:Latest"), "crane", "User_2") == ["m3", "m2", "m1"]
    assert found(opened(f"{path}:Latest:own=off"), "crane", "User_2") == ["m3", "m1"]
    assert found(opened(f"{path}:Latest"), "crane", "User_3") == ["m3", "m1"]
    assert found(opened(f"{path}:Latest"), "crane", None) == ["m3", "m1"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_lists_every_system_with_its_options_and_defaults(name: str) -> None:
    row = next(line for line in SYSTEMS_PAGE.splitlines() if line.startswith(f"| `{name}` |"))
    listed = re.findall(r"`(\w+)` \(([^)]*)\)", row.rsplit("|", 2)[1])
    assert listed == [(option.name, option.default) for option in SYSTEMS[name].options]


@pytest.mark.parametrize("measure", RETRIEVAL_MEASURES)
def test_the_page_explains_every_measure(measure: str) -> None:
    assert f"`{measure}`" in SYSTEMS_PAGE or f"`{measure.partition('@')[0]}@k`" in SYSTEMS_PAGE
