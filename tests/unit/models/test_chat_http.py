"""Chat over real HTTP: what a server may do, and what becomes of it."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from groupmem.errors import ModelError
from groupmem.models.base import Account, ChatMessage, ChatModel, ChatRequest
from groupmem.models.openai_chat import complete_with_room
from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models
from support.asking import ask
from support.openai_server import OpenAIServer, Reply, error

Open = Callable[..., Models]


def chat(open_models: Open, server: OpenAIServer, model: str = "gpt-4o-mini", **fields: Any) -> ChatModel:
    return open_models(**fields).chat(f"openai:{model}@{server.url}", Account(run="trial"))


def test_a_reply_with_its_usage(open_models: Open) -> None:
    with OpenAIServer([Reply("Final: Mira")]) as server:
        reply = chat(open_models, server).complete(ask("who?", max_tokens=64, temperature=0.2))
    assert (reply.text, reply.finish_reason, reply.reasoning, reply.parsed) == ("Final: Mira", "stop", "", None)
    usage = reply.usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 100, 10)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (20, 4)
    assert usage.cost_usd == pytest.approx((100 * 0.15 + 10 * 0.60) / 1e6)
    sent = server.requests[0].body
    assert sent == {
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": "who?"}],
        "max_tokens": 64,
        "temperature": 0.2,
    }


def test_a_reasoning_model_gets_room_and_no_temperature(open_models: Open) -> None:
    with OpenAIServer([Reply("x")]) as server:
        model = chat(open_models, server, "gpt-5")
        model.complete(ask("q", max_tokens=500, temperature=1.0))
        model.complete(ask("q", max_tokens=500, attempt=1))
    first, second = (request.body for request in server.requests)
    assert "temperature" not in first and "max_tokens" not in first
    assert first["max_completion_tokens"] == 500 + 4_096
    assert second["max_completion_tokens"] == 500 + 8_192


# -- what passes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        error(429, "slow down"),
        error(500, "inner trouble"),
        error(503, "overloaded"),
        error(408, "too slow"),
        error(409, "conflict"),
        Reply(closed=True),
        Reply("never whole", cut=True),
        Reply("never whole", broken=True),
        Reply(body=[]),
        Reply(body={}),
        Reply(body={"choices": []}),
        Reply(body={"choices": [{"finish_reason": "stop"}]}),
        Reply(body={"error": {"message": "upstream failed", "code": 502}}),
        Reply(text="half", finish_reason="error"),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body}-{reply.closed}-{reply.cut}-{reply.broken}",
)
def test_what_passes_is_tried_again(open_models: Open, waits: list[float], bad: Reply) -> None:
    with OpenAIServer([bad, bad, bad, Reply("at last")]) as server:
        models = open_models()
        reply = models.chat(f"openai:gpt-4o-mini@{server.url}", Account()).complete(ask("q"))
    assert reply.text == "at last"
    assert waits == [0.5, 1.0, 2.0]
    assert models.totals().failed_calls == 3
    assert models.usage().calls == 1


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ({"Retry-After": "7"}, 7, 7),
        ({"Retry-After": "0"}, 0, 0),
        ({"retry-after-ms": "1500"}, 1.5, 1.5),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0, 0),
        ({"Retry-After": "soon"}, 0.5, 0.5),
    ],
)
def test_the_server_says_how_long_to_wait(
    open_models: Open, waits: list[float], header: dict[str, str], low: float, high: float
) -> None:
    limited = Reply(status=429, headers=header, body={"error": {"message": "slow down"}})
    with OpenAIServer([limited, Reply("ok")]) as server:
        assert chat(open_models, server).complete(ask("q")).text == "ok"
    assert len(waits) == 1 and low <= waits[0] <= high


def test_the_server_says_until_when_to_wait(open_models: Open, waits: list[float]) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    limited = Reply(status=429, headers={"Retry-After": moment}, body={"error": {"message": "slow down"}})
    with OpenAIServer([limited, Reply("ok")]) as server:
        assert chat(open_models, server).complete(ask("q")).text == "ok"
    assert len(waits) == 1 and 100 <= waits[0] <= 200


def test_a_wait_without_end_is_not_waited(open_models: Open, waits: list[float]) -> None:
    limited = error(429, "daily limit", Retry_After="86400")
    with OpenAIServer([limited]) as server, pytest.raises(ModelError, match="86,400 s"):
        chat(open_models, server).complete(ask("q"))
    assert waits == [] and len(server.requests) == 1


def test_what_never_passes_ends_after_six_tries(open_models: Open, waits: list[float]) -> None:
    said = r"HTTP 500.*inner trouble.*6 tries"
    with OpenAIServer([error(500, "inner trouble")]) as server, pytest.raises(ModelError, match=said):
        chat(open_models, server).complete(ask("q"))
    assert len(server.requests) == 6 and len(waits) == 5
    assert waits == sorted(waits)


def test_nobody_listens(open_models: Open) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    models = open_models()
    with pytest.raises(ModelError, match="is the server running"):
        models.chat(f"openai:qwen3@http://127.0.0.1:{port}/v1", Account()).complete(ask("q"))


def test_a_server_that_is_too_slow() -> None:
    never = threading.Event()
    policy = RetryPolicy(tries=2, timeout_seconds=0.05, sleep=lambda _: None)
    with (
        OpenAIServer([Reply("late", until=never)]) as server,
        Models(log_path=None, cache_path=None, retry=policy) as models,
    ):
        with pytest.raises(ModelError, match=r"no answer .* within 0\.05 s"):
            models.chat(f"openai:qwen3@{server.url}", Account()).complete(ask("q"))
        never.set()


# -- what does not -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (error(400, "max_tokens is not supported"), "max_tokens is not supported"),
        (error(401, "Incorrect API key provided: sk-12**34"), "GROUPMEM_API_KEY_127_0_0_1"),
        (error(403, "region"), "refused the key"),
        (error(404, "The model `gpt-4o-mini` does not exist", "model_not_found"), "no model 'gpt-4o-mini'"),
        (error(422, "bad field"), "bad field"),
        (Reply(status=404, body={"detail": "Not Found: /v2/chat"}), "Not Found: /v2/chat"),
        (Reply(status=404, body={"error": "pull it first"}), "pull it first"),
        (Reply(status=404, body="<html>nothing here</html>"), "nothing here"),
        (error(429, "You exceeded your quota", "insufficient_quota"), "no credit"),
    ],
    ids=lambda value: str(getattr(value, "status", "")),
)
def test_what_will_not_pass_is_said_at_once(open_models: Open, waits: list[float], bad: Reply, said: str) -> None:
    with OpenAIServer([bad]) as server, pytest.raises(ModelError, match=said) as caught:
        chat(open_models, server).complete(ask("q"))
    assert len(server.requests) == 1 and waits == []
    assert "sk-12" not in str(caught.value)


def test_a_page_instead_of_an_api(open_models: Open) -> None:
    with OpenAIServer([Reply(body="<html>it works</html>")]) as server, pytest.raises(ModelError, match="/v1"):
        chat(open_models, server).complete(ask("q"))


# -- replies that are replies ------------------------------------------------------------------------------------------


def test_cut_off_with_nothing_to_show(open_models: Open) -> None:
    cut_off = Reply("", finish_reason="length", reasoning_content="first I must")
    with OpenAIServer([cut_off]) as server:
        reply = chat(open_models, server).complete(ask("q", max_tokens=16))
    assert (reply.text, reply.finish_reason, reply.reasoning) == ("", "length", "first I must")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(None, refusal="I cannot help with that."), "I cannot help with that."),
        (Reply("", finish_reason="content_filter"), ""),
        (error(400, "The prompt was filtered", "content_filter"), ""),
    ],
)
def test_refusals(open_models: Open, reply: Reply, text: str) -> None:
    with OpenAIServer([reply]) as server:
        got = chat(open_models, server).complete(ask("q", response_schema={"type": "object"}))
    assert (got.finish_reason, got.text, got.parsed) == ("refusal", text, None)


def test_usage_that_the_server_keeps_to_itself_is_unknown(open_models: Open) -> None:
    with OpenAIServer([Reply("x", usage=None), Reply("y")]) as server:
        models = open_models()
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", Account())
        usage = model.complete(ask("a")).usage
        model.complete(ask("b"))
    assert usage.calls == 1 and usage.input_tokens is None and usage.cost_usd is None
    assert models.usage().calls == 2 and models.usage().input_tokens is None and models.paid_usd() is None


def test_a_schema_is_sent_and_its_reply_parsed(open_models: Open) -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "number"}},
        "required": ["score"],
        "additionalProperties": False,
    }
    with OpenAIServer([Reply('<think>hm</think>\n```json\n{"score": 4}\n```'), Reply('{"score": ')]) as server:
        model = chat(open_models, server)
        whole = model.complete(ask("rate", response_schema=schema))
        half = model.complete(ask("rate again", response_schema={"type": "object", "properties": {"score": {}}}))
    assert whole.parsed == {"score": 4} and whole.reasoning == "hm"
    assert half.parsed is None and half.text == '{"score": '
    formats = [request.body["response_format"]["json_schema"] for request in server.requests]
    assert formats[0]["schema"] == schema
    assert [form["strict"] for form in formats] == [True, False]


# -- room --------------------------------------------------------------------------------------------------------------


def test_room_is_doubled_once(open_models: Open) -> None:
    with OpenAIServer([Reply("Fin", finish_reason="length"), Reply("Final: no")]) as server:
        reply = complete_with_room(chat(open_models, server), ask("q", max_tokens=16))
    assert [request.body["max_tokens"] for request in server.requests] == [16, 32]
    assert (reply.text, reply.finish_reason) == ("Final: no", "stop")
    assert (reply.usage.calls, reply.usage.input_tokens) == (2, 200)


def test_what_is_cut_off_again_is_returned(open_models: Open) -> None:
    with OpenAIServer([Reply("Fin", finish_reason="length")]) as server:
        reply = complete_with_room(chat(open_models, server), ask("q", max_tokens=16))
        uncapped = complete_with_room(chat(open_models, server), ask("q"))
    assert reply.finish_reason == uncapped.finish_reason == "length"
    assert len(server.requests) == 3


# -- keys and addresses ------------------------------------------------------------------------------------------------


def test_a_key_goes_to_its_own_host_only(open_models: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-home")
    with OpenAIServer([Reply("x")]) as server:
        chat(open_models, server).complete(ask("a"))
        monkeypatch.setenv("GROUPMEM_API_KEY_127_0_0_1", "local-key")
        chat(open_models, server).complete(ask("a"))
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        open_models().chat("openai:gpt-4o-mini", Account()).complete(ask("a"))
    stranger, own, openai = (request.headers for request in server.requests)
    assert "sk-openai" not in str(stranger) and "org-home" not in str(stranger)
    assert own["authorization"] == "Bearer local-key"
    assert (openai["authorization"], openai["openai-organization"]) == ("Bearer sk-openai", "org-home")


def test_no_proxy_stands_before_loopback(open_models: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with OpenAIServer([Reply("direct")]) as server:
        assert chat(open_models, server).complete(ask("a")).text == "direct"


def test_azure_calls_its_deployment(open_models: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer([Reply("x")]) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
        with pytest.raises(ModelError, match="AZURE_OPENAI_API_KEY"):
            open_models().chat("azure:judge=gpt-5", Account())
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "azure-key")
        reply = open_models().chat("azure:judge=gpt-5", Account()).complete(ask("q", max_tokens=10))
    request = server.requests[0]
    assert request.path == "/openai/deployments/judge/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == "azure-key" and "max_completion_tokens" in request.body
    assert reply.usage.cost_usd == pytest.approx((80 * 1.25 + 20 * 0.125 + 10 * 10) / 1e6)


def test_any_text_can_be_sent(open_models: Open) -> None:
    text = "決定 👩‍👩‍👧 שלום \u200b <|endoftext|> \ud800 \x00"
    with OpenAIServer(lambda request: Reply(request.last_message)) as server:
        reply = chat(open_models, server).complete(
            ChatRequest(messages=(ChatMessage(role="system", content="s"), ChatMessage(role="user", content=text)))
        )
    assert reply.text == text.replace("\ud800", "?")


def test_the_client_and_the_price_lists_are_loaded_by_the_first_call_alone() -> None:
    code = "import sys, groupmem.lab.runs.engine; sys.exit(not {'openai', 'genai_prices'}.isdisjoint(sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
