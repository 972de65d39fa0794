"""docs/synthesis.md maps every key of the policy to a test that is there, and names what the files hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from groupmem.lab.synthesis.base import FactKind
from groupmem.lab.synthesis.content import plan_content
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.phrases import PHRASED
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffolding import build_scaffold
from groupmem.lab.synthesis.structure import draw_structure
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


def test_the_pack_of_the_page_gives_a_corpus(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "museum.toml").write_text(block, encoding="utf-8")
    pack, policy = load_pack(tmp_path / "museum.toml"), load_policy()
    scaffold = build_scaffold(pack, policy, 0)
    slots = draw_structure(scaffold, policy, 300, 0)
    story = plan_content(scaffold, policy, slots, 0)
    assert {fact.kind for fact in story.facts} == set(get_args(FactKind))


def test_every_key_of_the_matter_is_explained() -> None:
    table = PAGE[PAGE.index("| key | reads after |") :]
    for key in (*PHRASED, "scopes", "deliverables"):
        assert f"`{key}`" in table
