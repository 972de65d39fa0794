"""The promise about size: a domain of 30,000 messages, read, indexed and asked 200 questions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def printed(script: str, *arguments: object) -> str:
    command = [sys.executable, str(BENCHMARKS / script), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_30_000_messages_and_200_questions_take_less_than_a_minute_and_a_gigabyte() -> None:
    measured = json.loads(printed("lexical.py", "--json", "--system", "bm25"))
    assert (measured["messages"], measured["questions"]) == (30_000, 200)
    row = measured["rows"]["bm25"]
    assert row["total s"] < 60
    assert row["peak MB"] < 1024
    assert row["R@10"] > 0.5


def test_systems_of_one_formula_find_the_same() -> None:
    rows = json.loads(printed("lexical.py", "--json", "--messages", 800, "--questions", 40))["rows"]
    assert rows["bm25-okapi"]["R@10"] == rows["rank-bm25"]["R@10"]
    assert rows["bm25"]["R@10"] == rows["bm25s"]["R@10"]


def test_the_table_shows_every_system_and_its_ratio() -> None:
    shown = printed("lexical.py", "--messages", 300, "--questions", 5, "--system", "bm25", "--system", "bm25s")
    assert "300 messages, 5 questions" in shown
    assert "bm25s : bm25" in shown


def test_a_domain_file_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name, seed in (("first", 7), ("again", 7), ("other", 8)):
        printed("domain_file.py", tmp_path / name, "--messages", 50, "--questions", 3, "--seed", seed)
    contents = {name: (tmp_path / name / "Synthetic.json").read_bytes() for name in ("first", "again", "other")}
    assert contents["first"] == contents["again"] != contents["other"]
    assert len(json.loads(contents["first"])) == 8


@pytest.mark.parametrize("arguments", [("--system", "bm52"), ("--messages", "many")])
def test_unusable_arguments_are_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as raised:
        printed("lexical.py", *arguments)
    assert raised.value.returncode == 2
