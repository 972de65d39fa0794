"""The sample that a model wrote in batch waves: whole, of the prompts of today, and made again from its answers."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groupmem.cli.console import Console
from groupmem.errors import PendingError
from groupmem.lab.synthesis.making import Order, make_corpus, read_provenance
from groupmem.lab.synthesis.pack_file import load_pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.scaffold import VOICES
from groupmem.lab.synthesis.truth import FactLine
from groupmem.lab.synthesis.writers.instructions import SCENARIOS
from groupmem.models.session import Models
from groupmem.prompts import Prompts

SAMPLE = Path(__file__).parents[3] / "examples" / "synthesis-batch-sample"
CORPUS = SAMPLE / "corpus"
AGAIN = "have the sample answered again, as examples/synthesis-batch-sample/README.md says"


def rows(pattern: str) -> list[dict[str, Any]]:
    """The lines of the batch files of this kind, wave after wave."""
    files = sorted((SAMPLE / "batch").glob(pattern))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def texts() -> dict[str, str]:
    corpus = json.loads((CORPUS / "corpus.json").read_text(encoding="utf-8"))
    return {row["msg_node"]: row["content"] for channel in corpus.values() for row in channel}


def facts() -> list[FactLine]:
    return [msgspec.json.decode(line, type=FactLine) for line in (CORPUS / "facts.jsonl").read_bytes().splitlines()]


def phase_of(request: dict[str, Any]) -> str:
    """The name of the phase that a request is about."""
    asked = next(turn["content"] for turn in request["body"]["messages"] if turn["role"] == "user")
    named = re.search(r'^(?:PHASE\n"|Phase: )(.+?)(?:" \(| \(| of )', asked, re.MULTILINE)
    assert named is not None, asked
    return named[1]


def test_the_prompts_are_those_that_the_sample_was_made_with() -> None:
    files = {path.name: path for path in (SCENARIOS, VOICES)}
    now = {
        name: hashlib.sha256(files[name].read_bytes()).hexdigest() if name in files else Prompts().load(name).sha256
        for name in read_provenance(CORPUS).prompts
    }
    changed = [name for name, then in read_provenance(CORPUS).prompts.items() if now[name] != then]
    assert not changed, (
        f"changed since the sample was answered: {', '.join(changed)}. It shows nothing about them: {AGAIN}"
    )


def test_the_sample_is_made_again_from_its_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = read_provenance(CORPUS)
    monkeypatch.chdir(tmp_path)  # the name of the writer names its folder from here
    shutil.copytree(SAMPLE / "batch", "batch")
    order = Order(
        pack=load_pack(SAMPLE / "library.toml"),
        policy=load_policy(CORPUS / "policy.json"),
        messages=made.messages,
        writer=made.writer,
        seed=made.seed,
    )
    try:
        make_corpus(order, Path("corpus"), Console(quiet=True), lambda path: Models(log_path=path, cache_path=None))
    except PendingError as pending:
        pytest.fail(f"the plan or the prompts ask for something else than they did ({pending}): {AGAIN}")
    for path in sorted(CORPUS.iterdir()):
        again, kept = (tmp_path / "corpus" / path.name).read_bytes(), path.read_bytes()
        if path.name == "phase_memory.jsonl":  # notes stand in the order in which the phases came to them
            again, kept = b"".join(sorted(again.splitlines())), b"".join(sorted(kept.splitlines()))
        assert again == kept, path.name


def test_every_message_was_answered_by_the_model_and_every_fact_stands_in_its_messages() -> None:
    answered = {row["response"]["body"]["choices"][0]["message"]["content"] for row in rows("responses-*.jsonl")}
    written = texts()
    assert len(written) >= 60
    assert set(written.values()) <= answered
    assert read_provenance(CORPUS).unstated == 0
    for fact in facts():
        assert fact.stated_in
        assert all(mention.surface in written[mention.message] for mention in fact.mentions)


def test_every_request_went_out_once_and_was_answered_once() -> None:
    asked, answered = rows("requests-*.jsonl"), rows("responses-*.jsonl")
    ids = [row["custom_id"] for row in asked]
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == sorted(row["custom_id"] for row in answered)
    for file in sorted((SAMPLE / "batch").glob("requests-*.jsonl")):
        phases = [phase_of(row) for row in rows(file.name)]
        assert len(set(phases)) == len(phases), f"{file.name} asks twice for the same phase"


def test_the_numbers_of_its_page_are_those_of_its_files() -> None:
    page = (SAMPLE / "README.md").read_text(encoding="utf-8")
    waves = len(list((SAMPLE / "batch").glob("requests-*.jsonl")))
    usage = [row["response"]["body"]["usage"] for row in rows("responses-*.jsonl")]
    bodies = [row["body"]["messages"] for row in rows("requests-*.jsonl")]
    lists = sum('"sub_issues"' in body[0]["content"] for body in bodies)
    ledgers = sum(body[0]["content"].startswith("You keep the ledger") for body in bodies)
    again = sum(len(body) > 2 for body in bodies)
    tokens = [sum(each[name] for each in usage) for name in ("prompt_tokens", "completion_tokens")]
    assert f"{waves} waves with {len(bodies)} requests: {len(texts())} messages, {again} of them sent back" in page
    assert f"{lists} lists of sub-issues, {ledgers} ledgers" in page
    assert f"{tokens[0]:,} tokens asked and {tokens[1]:,} answered" in page
    assert f"All {len(facts())} facts stand" in page


def test_the_messages_that_the_page_shows_are_in_the_corpus() -> None:
    page = (SAMPLE / "README.md").read_text(encoding="utf-8").split("## How it reads")[1]
    quoted = " ".join(line.removeprefix(">").strip() for line in page.splitlines() if line.startswith(">"))
    shown = [each.split(": ", 1)[1].strip() for each in quoted.split("**")[2::2]]
    written = {" ".join(text.split()) for text in texts().values()}
    assert len(shown) > 10
    assert not [text for text in shown if text not in written]
