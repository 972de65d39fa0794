"""What the gateway refuses: malformed bodies, other hosts, other people's cells."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError
from groupmem.models.gateway import Gateway, GatewayCell
from groupmem.models.gateway.asked import read_body, read_chat_request, read_embedding_request
from groupmem.models.gateway.problems import ApiError
from groupmem.models.session import Models
from support.gateway import served, user
from support.openai_server import OpenAIServer, Reply


@pytest.fixture
def cell(cell_of: Any, open_models: Any) -> Iterator[GatewayCell]:
    with OpenAIServer([Reply("x")]) as server:
        yield cell_of(open_models(), served(server), "minilm")


def post(cell: GatewayCell, content: Any, path: str = "/chat/completions", **headers: str) -> httpx.Response:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return httpx.post(f"{cell.base_url}{path}", content=body, headers=headers, trust_env=False)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no JSON"),
        (b'{"messages": ', "no JSON"),
        (b"\xff\xfe{}", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        ([], "no JSON object"),
        ({}, "missing required field `messages`"),
        ({"messages": []}, "$.messages"),
        ({"messages": "hello"}, "$.messages"),
        ({"messages": [{"content": "no role"}]}, "role"),
        ({"messages": [{"role": "robot", "content": ""}]}, "$.messages[0].role"),
        ({"messages": [{"role": "user", "content": 5}]}, "$.messages[0].content"),
        ({"messages": user("q"), "n": 2}, "n is 2"),
        ({"messages": user("q"), "n": "two"}, "$.n"),
        ({"messages": user("q"), "stream": "yes"}, "$.stream"),
        ({"messages": user("q"), "max_tokens": 0}, "$.max_tokens"),
        ({"messages": user("q"), "tools": {}}, "$.tools"),
        ({"messages": user("q"), "response_format": "json"}, "$.response_format"),
    ],
    ids=str,
)
def test_a_malformed_chat_is_refused_with_what_is_wrong(cell: GatewayCell, content: Any, says: str) -> None:
    answer = post(cell, content)
    assert answer.status_code == 400
    problem = answer.json()["error"]
    assert says in problem["message"] and problem["type"] == "invalid_request_error"
    assert [failure.status for failure in cell.failures()] == [400]
    assert cell.take_lost() == ()


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(json.dumps).map(str.encode))
def test_no_body_breaks_the_reading(content: bytes) -> None:
    for read in (read_chat_request, read_embedding_request):
        with pytest.raises(ApiError) as caught:
            read(read_body(content))
        assert caught.value.status == 400


def test_half_a_character_is_sent_on_as_a_question_mark(open_models: Any, cell_of: Any) -> None:
    with OpenAIServer([Reply("x")]) as server:
        cell = cell_of(open_models(), served(server))
        answer = post(cell, b'{"messages": [{"role": "user", "content": "half \\ud83d"}]}')
    assert answer.status_code == 200
    assert server.requests[0].last_message == "half ?"


def test_a_number_of_any_size_is_no_trouble(cell: GatewayCell) -> None:
    body = b'{"messages": [{"role": "user", "content": "q"}], "seed": ' + b"9" * 400 + b"}"
    assert post(cell, body).status_code == 200
    cell.check()


def test_routes_that_are_not_there(cell: GatewayCell) -> None:
    for path in ("/completions", "/responses", "/images/generations"):
        answer = post(cell, {}, path)
        assert answer.status_code == 404
        assert "answers POST /chat/completions and /embeddings" in answer.json()["error"]["message"]
    assert httpx.get(f"{cell.base_url}/chat/completions", trust_env=False).status_code == 405


def test_a_body_without_end_is_refused(cell: GatewayCell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groupmem.models.gateway.app.MOST_BYTES", 1_000)
    answer = post(cell, {"messages": user("x" * 2_000)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_long")
    assert post(cell, {"messages": user("short")}).status_code == 200


def test_only_loopback_names_are_answered(cell: GatewayCell) -> None:
    body = {"messages": user("q")}
    port = urlsplit(cell.base_url).port
    assert post(cell, body, Host=f"localhost:{port}").status_code == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example"):
        assert post(cell, body, Host=host).status_code == 403, host


def test_nothing_listens_beyond_loopback(gateway_of: Any, open_models: Any) -> None:
    gateway: Gateway = gateway_of(open_models())
    port = urlsplit(gateway.url).port or 0
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass


def test_a_cell_is_known_to_those_who_were_given_its_url(gateway_of: Any, open_models: Any) -> None:
    gateway: Gateway = gateway_of(open_models())
    first, second = (gateway.open_cell(name, chat=None, embedding="minilm") for name in ("a", "b"))
    assert len({first.base_url, second.base_url}) == 2
    body = {"input": "x"}
    for url in (f"{gateway.url}/cells/a/v1", f"{gateway.url}/v1", first.base_url[:-4] + "x/v1"):
        assert httpx.post(f"{url}/embeddings", json=body, trust_env=False).status_code == 404
    assert post(first, body, "/embeddings").status_code == 200
    first.close()
    closed = post(first, body, "/embeddings")
    assert (closed.status_code, closed.json()["error"]["code"]) == (404, "no_cell")
    assert post(second, body, "/embeddings").status_code == 200


def test_a_step_is_a_short_word(cell: GatewayCell) -> None:
    url = f"{cell.path_url('In valid')}/embeddings"
    assert httpx.post(url, json={"input": "x"}, trust_env=False).status_code == 400


def test_a_port_that_is_taken(open_models: Any, gateway_of: Any) -> None:
    models: Models = open_models()
    port = urlsplit(gateway_of(models).url).port or 0
    with pytest.raises(InputError, match=f"port {port} .*port 0 takes a free one"):
        Gateway(models, run="r2", port=port)


def test_a_closed_gateway_is_gone(open_models: Any) -> None:
    with Gateway(open_models(), run="r1") as gateway:
        cell = gateway.open_cell("a", chat=None, embedding="minilm")
        assert post(cell, {"input": "x"}, "/embeddings").status_code == 200
    with pytest.raises(httpx.ConnectError):
        post(cell, {"input": "x"}, "/embeddings")
