"""docs/runs.md says what is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from replay_support import CommandLine, reading_server

from groupmem.errors import BudgetError, GroupMemError, PendingError
from groupmem.lab.judging.verdict import REPLY_TOKENS
from groupmem.lab.runs.reference import REFERENCE_ROWS, WINDOW

DOCS = (Path(__file__).parents[2] / "docs" / "runs.md").read_text(encoding="utf-8")


def test_its_commands_run(groupmem: CommandLine) -> None:
    commands = re.findall(r"^    groupmem (.+)$", DOCS, re.MULTILINE)
    assert len(commands) == 3
    Path("prices.toml").write_text('["door-reader"]\ninput = 1.0\noutput = 1.0\n')
    with reading_server() as (_, models):
        for command in commands:
            local = command.replace("openai:gpt-5", models[1])
            ended = groupmem(*shlex.split(local), "--prices", "prices.toml")
            assert ended.code == 0, ended.err


def test_its_reference_rows_are_all_there_are() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \|", DOCS, re.MULTILINE)) == set(REFERENCE_ROWS)
    assert f"full-context:tokens={WINDOW.default}" in DOCS
    assert f"{REPLY_TOKENS}\ntokens" in DOCS


@pytest.mark.parametrize("error", [GroupMemError, PendingError, BudgetError])
def test_its_exit_codes_are_those_of_the_errors(error: type[GroupMemError]) -> None:
    codes = dict(re.findall(r"^\| (\d+) \| (.+) \|$", DOCS, re.MULTILINE))
    word = {GroupMemError: "error", PendingError: "batch", BudgetError: "cap"}[error]
    assert word in codes[str(error.exit_code)]


def test_the_fields_of_a_plan_are_described(groupmem: CommandLine) -> None:
    with reading_server() as (_, models):
        shown = groupmem("plan", "sample", *models, "--json").object
    described = DOCS.partition("## `groupmem plan --json`")[2]
    for name in {*shown, *shown["stages"][0], *shown["total"]}:
        assert f"`{name}`" in described
    promised = described.partition("One object: ")[2].partition("A stage has")[0]
    assert set(re.findall(r"`(\w+)`", promised)) == set(shown)


def test_the_files_of_a_folder_are_listed(groupmem: CommandLine) -> None:
    with reading_server() as (_, models):
        groupmem("run", "sample", "--system", "bm25", "--questions", 3, *models, "--out", "run")
    listed = DOCS.partition("## The folder")[2]
    written = {path.relative_to("run").as_posix() for path in Path("run").rglob("*") if path.is_file()}
    for path in written:
        assert path.replace("/sample", "/<unit>", 1).replace("/bm25", "/<system>") in listed
