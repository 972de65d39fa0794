"""What docs/models.md shows is what works."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from groupmem.models.calllog import CallLog, CallRow
from groupmem.models.names import CHAT_NAMES, parse_embedding_name, parse_model_name
from groupmem.models.prices import Prices
from groupmem.models.targets import Target, resolve
from groupmem.types import Usage
from support.asking import ACCOUNT

PAGE = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_its_model_names_are_names() -> None:
    names = re.findall(r"--(?:reader|judge) (\S+)", PAGE)
    assert {parse_model_name(name).provider for name in names} == {"openai", "azure", "ollama", "batch", "scripted"}
    embeddings = re.findall(r"embedding=(\w+:\S+)", PAGE)
    assert [parse_embedding_name(name).provider for name in embeddings] == ["ollama"]


def test_every_kind_of_name_is_in_it() -> None:
    assert all(f"`{name.partition(':')[0]}:" in PAGE for name in CHAT_NAMES)


def test_its_key_variable_is_the_one_that_is_read() -> None:
    name = re.search(r"`(openai:qwen3@https://\S+)`", PAGE)
    assert name is not None
    (variable,) = resolve(parse_model_name(name[1])).key_variables
    assert f"`{variable}`" in PAGE


def test_its_price_file_is_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(block("toml"))
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=1_000_000)
    target = Target(name="x", model="gpt-5", runs="gpt-5", base_url="https://example.org")
    assert Prices(path).cost_usd(target, usage) == pytest.approx(10.125)


def test_its_query_sums_a_log(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    log = CallLog(path)
    row = CallRow(account=ACCOUNT, kind="chat", model="m", base_url="u", request_hash="h", usage=Usage(input_tokens=7))
    log.add(row)
    log.close()
    connection = sqlite3.connect(path)
    (summed,) = connection.execute(block("sql")).fetchall()
    connection.close()
    assert summed == (ACCOUNT.cell, ACCOUNT.phase, 1, 7, 0, 0.0, 0.0, 0, 0)
