"""GroupMemory and `groupmem ask` with a chat model: by name or as it is, through batch files, and without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from groupmem import GroupMemory
from groupmem.cli import app
from groupmem.errors import PendingError
from groupmem.memory.assistance import Assistance
from groupmem.models.session import Models
from groupmem.types import Channel, Person, passage_ids
from support.assisting import ACCOUNT, Prompt, playing, read_prompt
from support.openai_server import OpenAIServer
from support.recall_talk import said

QUESTION = "when does the harbour gate open?"
LAST_FIRST = {
    "decompose": {"lookups": []},
    "verify": {"replaced": []},
    "rerank": lambda prompt: {"order": [len(prompt.blocks["messages"])]},
}

ALL = Assistance(decompose=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "team.db"
    with GroupMemory(path, embedding=None) as memory:
        memory.set_people([Person(id="u1", name="Mira"), Person(id="u2", name="Tomas")])
        memory.set_channels([Channel(id="board", members=("u1",))])
        memory.add(
            said(
                ("u1", "The harbour gate opens at six."),
                ("u2", "The harbour gate of the old pier stays shut."),
                ("u1", "The harbour gate code is 4711.", {"channel": "board"}),
                ("u2", "Bring boots for the harbour walk."),
            )
        )
    return path


def recalled(path: Path, **options: Any) -> tuple[list[str], dict[str, int]]:
    with GroupMemory(path, embedding=None, **options) as memory:
        return passage_ids(memory.recall(QUESTION, asker="u2").passages), memory.model_counts()


def test_without_a_model_none_is_called(path: Path) -> None:
    found, counts = recalled(path)
    assert found[0] == "m1" and "m3" not in found and counts == {}


def test_a_model_by_name_helps(path: Path) -> None:
    plain, _ = recalled(path)
    with OpenAIServer(playing(LAST_FIRST)) as server:
        found, counts = recalled(path, model=f"openai:gpt-4o-mini@{server.url}", assistance=ALL)
    assert found == [plain[-1], *plain[:-1]]
    assert counts == {"decompose calls": 1, "rerank calls": 1}
    assert all("4711" not in request.last_message for request in server.requests)


def test_each_use_can_be_left_out(path: Path) -> None:
    with OpenAIServer(playing(LAST_FIRST)) as server:
        _, counts = recalled(
            path, model=f"openai:gpt-4o-mini@{server.url}", assistance=Assistance(decompose=False, verify=False)
        )
    assert counts == {"rerank calls": 1}


def test_a_server_that_is_gone_costs_nothing_but_its_help(path: Path) -> None:
    plain, _ = recalled(path)
    with OpenAIServer() as server:
        gone = f"openai:gpt-4o-mini@{server.url}"
    found, counts = recalled(path, model=gone, assistance=Assistance(decompose=False))
    assert found == plain
    assert counts["rerank failed"] == 1


def test_batch_files_are_waited_for_and_gone_on_with(path: Path, tmp_path: Path) -> None:
    name = f"batch:gpt-5@{tmp_path / 'waves'}"

    def start() -> list[str]:
        with Models(log_path=None, cache_path=None) as models:
            try:
                return recalled(path, model=models.chat(name, ACCOUNT), assistance=ALL)[0]
            except PendingError:
                models.flush_batches()
                raise

    for wave in (1, 2):  # whether it needs lookups, then the order
        with pytest.raises(PendingError, match="1 requests in"):
            start()
        _answer(tmp_path / "waves", wave)
    plain, _ = recalled(path)
    assert start() == [plain[-1], *plain[:-1]]


def _answer(folder: Path, wave: int) -> None:
    request = json.loads((folder / f"requests-{wave:04}.jsonl").read_text())
    prompt: Prompt = read_prompt(request["body"])
    given = LAST_FIRST[prompt.task]
    text = json.dumps(given(prompt) if callable(given) else given)
    body = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}
    line = {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}
    (folder / f"{wave}-output.jsonl").write_text(json.dumps(line) + "\n")


def ask(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["ask", QUESTION, "--as", "Tomas", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_ask_says_what_the_model_did_and_took(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with OpenAIServer(playing(LAST_FIRST)) as server:
        model = ("--memory", str(path), "--model", f"openai:gpt-4o-mini@{server.url}")
        page = ask(*model)
        assert page.index("Bring boots") < page.index("opens at six")
        assert "model:\n  put first: m4\n  1 call, 100 tokens in, 10 out, 0.0000 USD" in page
        told = msgspec.json.decode(ask(*model, "--json"))
        assert len(server.requests) == 1  # the second time they came from the cache
    assert told["assisted"] == {"put_first": ["m4"]}
    assert told["usage"]["calls"] == 1


def test_ask_says_where_the_model_failed(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('{"match": "", "reply": "I would rather talk"}\n')
    plain, page = ask("-m", str(path)), ask("-m", str(path), "--model", f"scripted:{script}")
    assert page.startswith(plain.rstrip())
    assert "not used, the rest is as it is without: rerank: malformed" in page


def test_ask_without_a_model_is_as_it_was(path: Path) -> None:
    assert "model:" not in ask("-m", str(path))
    assert "assisted" not in ask("-m", str(path), "--json")
