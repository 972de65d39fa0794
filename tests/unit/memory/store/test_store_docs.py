"""What docs/engine-store.md shows is what works, and its numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from groupmem.cli import app
from groupmem.memory.index import chunks, lexical, postings
from groupmem.memory.store import compaction, generations, lock, segments

PAGE = (Path(__file__).parents[4] / "docs" / "engine-store.md").read_text("utf-8")


def test_its_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listing = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert listing is not None
    names: dict[str, Any] = {}
    exec(listing[1], names)  # noqa: S102  (our own page)
    assert names["seen_by_mira"][0].text == "The audit is on Monday."
    assert [passage.text for passage in names["seen_by_tomas"]] == ["Any news on the audit?"]
    assert {path.name for path in tmp_path.iterdir()} >= {"team.db", "team.db.index"}


def test_its_commands_are_commands() -> None:
    named = set(re.findall(r"groupmem (\w+) FILE", PAGE))
    assert named == {"compact", "rebuild", "reembed"}
    assert named <= {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (r"segment of ([\d,]+) entries", segments.TAIL_ENTRIES),
        (r"vectors of (\d+) messages", generations.BATCH_MESSAGES),
        (r"messages up to ([\d,]+) beyond", generations.MOST_TAIL),
        (r"when (\d+) messages, and five in a hundred", compaction.LEAST_DELETED),
        (r"count up to (\d+)", postings.MOST_COUNTED),
        (r"length up to ([\d,]+)", postings.LONGEST),
        (r"one for every (\d+) words", chunks.CHUNK_UNITS),
        (r"at most (\d+), and counts", chunks.MOST_CHUNKS),
        (r"k1 ([\d.]+)", lexical.K1),
    ],
)
def test_its_numbers_are_those_of_the_code(words: str, value: float) -> None:
    found = re.search(words, re.sub(r"\s+", " ", PAGE))
    assert found is not None, words
    assert float(found[1].replace(",", "")) == value


def test_the_shares_and_times_in_words() -> None:
    assert compaction.DELETED_SHARE == 0.05
    assert lock.WAIT_SECONDS == 10
