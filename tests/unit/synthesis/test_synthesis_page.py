"""docs/synthesis.md maps every key of the policy to a test that is there, and names what the files hold."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.truth import FactLine

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "synthesis.md").read_text(encoding="utf-8")
ROWS = [line.split("|") for line in PAGE.splitlines() if re.search(r"`test_\w+\.py::", line)]


def test_every_key_of_the_policy_is_in_the_table_once() -> None:
    keys = [f"{group}.{name}" for group, names in msgspec.to_builtins(load_policy()).items() for name in names]
    listed = [key for row in ROWS for key in re.findall(r"`([\w ]+\.[\w ]+)`", row[2])]
    assert sorted(listed) == sorted(keys)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].strip())
def test_the_test_of_a_row_is_there(row: list[str]) -> None:
    (named,) = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row[3])
    assert f"def {named[1]}(" in (HERE / named[0]).read_text(encoding="utf-8")


def test_every_field_of_a_fact_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", PAGE))
    assert set(FactLine.__struct_fields__) <= explained
