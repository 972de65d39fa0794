"""The baselines on the public conversations give the rows that are known of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "retrieval.py"
LEXICAL = ("--system", "bm25", "--system", "bm25-stemmed")


def measured(*arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    command = [sys.executable, str(SCRIPT), "--json", *arguments]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    assert finished.stdout, finished.stderr
    return {(row["benchmark"], row["system"]): row for row in json.loads(finished.stdout)["rows"]}


@pytest.mark.data
def test_lexical_rows_are_the_known_ones(public_data: Callable[[str], Path]) -> None:
    for name in ("locomo", "qmsum", "friendsqa", "beam", "handwritten/technology"):
        public_data(name)
    rows = measured(*LEXICAL)
    assert len(rows) == 8
    for row in rows.values():
        assert row["differences"] == pytest.approx(dict.fromkeys(row["known"], 0), abs=0.001)
    assert rows["handwritten/technology", "bm25"]["measured"]["leak@10"] > 0  # nobody told them who may read what


@pytest.mark.data
def test_dense_rows_are_the_known_ones_but_for_the_precision_of_the_weights(public_data: Callable[[str], Path]) -> None:
    for name in ("locomo", "handwritten/technology"):
        public_data(name)
    # Each system embeds all questions once more: `hybrid` on LoCoMo takes half a minute, and is left to the script.
    rows = measured("--system", "dense", "--benchmark", "locomo", "--benchmark", "handwritten/technology")
    rows |= measured("--system", "hybrid", "--benchmark", "handwritten/technology")
    assert len(rows) == 3
    assert all(row["holds"] for row in rows.values()), {key: row["differences"] for key, row in rows.items()}
