"""The cache of a user: the same request is paid for once, and one that is under way is waited for."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError, ModelError
from groupmem.models.base import Account, ChatRequest
from groupmem.models.cache import default_cache_path
from groupmem.models.calling import Call
from groupmem.models.flights import Flights
from groupmem.models.names import parse_model_name
from groupmem.models.session import Models
from groupmem.models.targets import resolve
from groupmem.models.wire import chat_body
from support.asking import ACCOUNT, ask
from support.openai_server import OpenAIServer, Reply, error

Open = Callable[..., Models]


def test_a_hit_costs_the_same_and_is_not_paid(open_models: Open, tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "models.sqlite"
    with OpenAIServer([Reply("Final: Mira")]) as server:
        name = f"openai:gpt-4o-mini@{server.url}"
        first, second = open_models(cache_path=cache), open_models(cache_path=cache)
        paid = first.chat(name, ACCOUNT).complete(ask("q"))
        hit = second.chat(name, Account(run="other")).complete(ask("q"))
    assert len(server.requests) == 1
    assert paid == hit
    assert first.paid_usd() == first.usage().cost_usd == second.usage().cost_usd == pytest.approx(2.1e-5)
    assert second.paid_usd() == 0.0
    assert (first.totals().cached_calls, second.totals().cached_calls) == (0, 1)
    assert second.usage(run="other").calls == 1


@pytest.mark.parametrize("reply", [Reply("Fin", finish_reason="length"), Reply(None, refusal="no")])
def test_cut_off_and_refused_replies_are_kept(open_models: Open, tmp_path: Path, reply: Reply) -> None:
    models = open_models(cache_path=tmp_path / "cache.sqlite")
    with OpenAIServer([reply]) as server:
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        assert model.complete(ask("q")) == model.complete(ask("q"))
    assert len(server.requests) == 1


def test_errors_are_not_kept(open_models: Open, tmp_path: Path) -> None:
    models = open_models(cache_path=tmp_path / "cache.sqlite")
    with OpenAIServer([error(400, "not now"), Reply("now")]) as server:
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        with pytest.raises(ModelError):
            model.complete(ask("q"))
        assert model.complete(ask("q")).text == "now"


def test_samples_attempts_and_settings_are_calls_of_their_own(open_models: Open, tmp_path: Path) -> None:
    models = open_models(cache_path=tmp_path / "cache.sqlite")
    with OpenAIServer([Reply("x")]) as server:
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        for fields in ({}, {"sample": 1}, {"attempt": 1}, {"temperature": 0.0}, {"max_tokens": 5}):
            model.complete(ask("q", **fields))
        models.chat(f"openai:other@{server.url}", ACCOUNT).complete(ask("q"))
    assert len(server.requests) == 6
    assert not any({"sample", "attempt"} & set(request.body) for request in server.requests)


def test_without_a_cache_every_call_is_sent(open_models: Open) -> None:
    with OpenAIServer([Reply("x")]) as server:
        model = open_models().chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        model.complete(ask("q"))
        model.complete(ask("q"))
    assert len(server.requests) == 2


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Released once by everybody who waits for a flight of somebody else."""
    semaphore = threading.Semaphore(0)

    class Watched(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            semaphore.release()
            return super().result(timeout)

    monkeypatch.setattr("groupmem.models.flights.Future", Watched)
    return semaphore


@pytest.mark.parametrize("kept", [True, False])
def test_one_flight_for_many_who_ask_the_same(
    open_models: Open, tmp_path: Path, waiting: threading.Semaphore, kept: bool
) -> None:
    landed = threading.Event()
    models = open_models(cache_path=tmp_path / "cache.sqlite" if kept else None)
    with OpenAIServer([Reply("x", until=landed)]) as server, ThreadPoolExecutor(6) as pool:
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        asked = [pool.submit(model.complete, ask("q")) for _ in range(6)]
        for _ in range(5):
            assert waiting.acquire(timeout=10)
        landed.set()
        replies = [future.result() for future in asked]
    assert len(server.requests) == 1
    assert all(reply == replies[0] for reply in replies)
    totals = models.totals()
    assert (totals.usage.calls, totals.cached_calls) == (6, 5)
    assert totals.usage.cost_usd == pytest.approx(6 * 2.1e-5) and totals.paid_usd == pytest.approx(2.1e-5)


def test_a_failed_flight_fails_for_all_and_is_over(waiting: threading.Semaphore) -> None:
    flights: Flights[str] = Flights()
    begun = threading.Event()

    def crash() -> str:
        begun.set()
        assert waiting.acquire(timeout=10)
        raise ModelError("gone")

    with ThreadPoolExecutor(2) as pool:
        leader = pool.submit(flights.run, "k", crash)
        assert begun.wait(10)
        follower = pool.submit(flights.run, "k", lambda: "never made")
        assert isinstance(leader.exception(), ModelError) and isinstance(follower.exception(), ModelError)
    assert flights.run("k", lambda: "made") == ("made", True)


def test_no_more_calls_at_once_than_allowed(open_models: Open) -> None:
    go = threading.Event()
    with OpenAIServer([Reply("x", until=go)]) as server, ThreadPoolExecutor(9) as pool:
        model = open_models(concurrency=3).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        asked = [pool.submit(model.complete, ask(f"q{number}")) for number in range(9)]
        server.wait_for(3)
        go.set()
        for future in asked:
            future.result()
    assert len(server.requests) == 9 and server.most_at_once == 3


def test_only_its_owner_reads_the_cache(open_models: Open, tmp_path: Path) -> None:
    path = tmp_path / "groupmem" / "models.sqlite"
    open_models(cache_path=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_cache_that_cannot_be_used_can_be_done_without(open_models: Open, tmp_path: Path) -> None:
    (tmp_path / "junk").write_text("no database " * 100)
    for path, trouble in ((tmp_path / "junk", "not a model cache"), (tmp_path / "junk" / "c", "cannot be written")):
        with pytest.raises(InputError, match=f"{trouble}.*--no-cache does without"):
            open_models(cache_path=path)


def test_the_cache_is_where_the_desktop_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_path() == tmp_path / "groupmem" / "models.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert os.fspath(default_cache_path()).endswith(".cache/groupmem/models.sqlite")


requests = st.builds(
    ask,
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    max_tokens=st.none() | st.integers(1, 9),
    temperature=st.none() | st.floats(0, 1),
    sample=st.integers(0, 2),
    attempt=st.integers(0, 2),
)


@given(requests, requests)
def test_keys_are_equal_exactly_where_requests_are(left: ChatRequest, right: ChatRequest) -> None:
    target = resolve(parse_model_name("openai:gpt-4o-mini@http://127.0.0.1:1/v1"))

    def key(request: ChatRequest) -> str:
        fields = {"sample": request.sample, "attempt": request.attempt, "account": ACCOUNT}
        return Call(kind="chat", body=chat_body(target, request), **fields).key(target)

    assert (key(left) == key(right)) == (left == right)
    assert key(left) != Call.key(
        Call(kind="chat", body=chat_body(target, left), account=ACCOUNT, sample=left.sample),
        resolve(parse_model_name("openai:gpt-4o-mini@http://127.0.0.1:2/v1")),
    )
