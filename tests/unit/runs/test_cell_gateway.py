"""A cell's calls over the gateway: each block answers for its own."""

from __future__ import annotations

import pytest
from openai import APIStatusError, OpenAI

from groupmem.errors import ModelError
from groupmem.lab.runs.gateway import CellGateway, RunGateway
from groupmem.models.session import Models
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error


def refuses_bad_ones(request: RecordedRequest) -> Reply:
    return error(401, "not today") if request.last_message == "bad" else Reply("good")


def ask(cell: CellGateway, text: str) -> None:
    access = cell.access
    with OpenAI(base_url=access.base_url, api_key=access.api_key, max_retries=0) as client:
        client.chat.completions.create(model=access.chat_model, messages=[{"role": "user", "content": text}])


def test_a_failed_call_is_told_once_by_the_block_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with OpenAIServer(refuses_bad_ones) as server, Models(log_path=None, cache_path=None) as models:
        gateway = RunGateway(models, "run")
        cell = gateway.open_cell("unit/system", chat=f"openai:gpt-4o-mini@{server.url}", embedding=None)
        with pytest.raises(APIStatusError), cell.during("answer"):
            ask(cell, "bad")
        with cell.during("answer"):
            ask(cell, "fine")
        with (
            pytest.raises(ModelError, match="1 of its model calls"),
            cell.during("answer"),
            pytest.raises(APIStatusError),
        ):
            ask(cell, "bad")  # swallowed, as packages do
        gateway.close()
