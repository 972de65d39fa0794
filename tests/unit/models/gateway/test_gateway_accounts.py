"""Whose call it was, what it cost, and that none is lost or counted twice."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from groupmem.errors import BudgetError, InputError
from groupmem.models.budget import Budget
from groupmem.models.calllog import CallLog
from groupmem.models.gateway import Gateway, GatewayCell
from groupmem.models.session import Models
from support.gateway import ask, served, user
from support.openai_server import OpenAIServer, RecordedRequest, Reply, error

COST = (100 * 0.15 + 10 * 0.60) / 1e6  # of one counted call at gpt-4o-mini's list price


def rows(log: Path, columns: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(log)
    try:
        return connection.execute(f"SELECT {columns} FROM calls ORDER BY id").fetchall()  # noqa: S608
    finally:
        connection.close()


def test_calls_are_booked_on_the_cell_the_phase_and_the_step(
    open_models: Any, cell_of: Any, connect: Any, tmp_path: Path
) -> None:
    log = tmp_path / "calls.sqlite"
    with OpenAIServer([Reply("x")]) as server:
        models: Models = open_models(log_path=log)
        cell: GatewayCell = cell_of(models, served(server), "minilm")
        client, extraction = connect(cell), connect(cell, base_url=cell.path_url("extraction"))
        ask(client, "a")
        ask(extraction, "b")
        extraction.embeddings.create(model="e", input="c")
        cell.phase = "recall"
        client.embeddings.create(model="e", input=["d", "e"])
        cell.phase = "answer"
        ask(client, "f")
    assert rows(log, "run, cell, phase, kind") == [
        ("r1", "unit/peer", "ingest", "chat"),
        ("r1", "unit/peer", "ingest/extraction", "chat"),
        ("r1", "unit/peer", "ingest/extraction", "embedding"),
        ("r1", "unit/peer", "recall", "embedding"),
        ("r1", "unit/peer", "answer", "chat"),
    ]
    assert models.usage("r1", "unit/peer", "ingest").calls == 3
    assert models.usage("r1", "unit/peer", "ingest/extraction").calls == 2
    assert models.usage("r1", "unit/peer").cost_usd == pytest.approx(3 * COST)
    assert models.usage("r1", "unit/peer", "ing").calls == 0


def test_two_hundred_requests_at_once_are_two_hundred_in_the_log(
    open_models: Any, gateway_of: Any, connect: Any, tmp_path: Path
) -> None:
    """Two cells, half of the requests of each alike; every client gets the reply to its own request."""
    log = tmp_path / "calls.sqlite"

    def echo(request: RecordedRequest) -> Reply:
        return Reply(f"re: {request.last_message}")

    with OpenAIServer(echo) as server:
        models: Models = open_models(log_path=log, cache_path=tmp_path / "cache.sqlite", concurrency=16)
        gateway: Gateway = gateway_of(models)
        cells = [gateway.open_cell(f"unit/{name}", chat=served(server), embedding=None) for name in ("a", "b")]
        clients = [connect(cell) for cell in cells]
        texts = [f"message {number}" if number % 2 else "the same for all" for number in range(200)]
        with ThreadPoolExecutor(200) as pool:
            replies = list(pool.map(lambda item: ask(clients[item[0] % 4 // 2], item[1]), enumerate(texts)))
    assert replies == [f"re: {text}" for text in texts]
    assert server.most_at_once <= 16
    for cell in cells:
        totals = models.totals("r1", cell=f"unit/{'ab'[cells.index(cell)]}")
        assert (totals.usage.calls, totals.failed_calls, cell.answered) == (100, 0, {"chat": 100})
        assert totals.usage.input_tokens == 100 * 100
    assert models.usage("r1").cost_usd == pytest.approx(200 * COST)
    # The cells ask the same fifty times: what one has got, the other need not pay for.
    assert len(server.requests) == 100 + 50
    assert models.paid_usd("r1") == pytest.approx(150 * COST)


def test_equal_requests_of_a_session_are_calls_of_their_own_and_come_back_when_it_is_repeated(
    open_models: Any, gateway_of: Any, connect: Any, tmp_path: Path
) -> None:
    """Every request is asked twice, with replies that differ; the second session gets them all from the cache."""
    with OpenAIServer(lambda request: Reply(f"reply {len(server.requests)}")) as server:

        def session(log: str) -> tuple[list[str], Models]:
            models = open_models(log_path=tmp_path / log, cache_path=tmp_path / "cache.sqlite")
            cell = gateway_of(models).open_cell("unit/peer", chat=served(server), embedding=None)
            client = connect(cell)
            return [ask(client, text) for text in ("a", "b", "a", "b", "a")], models

        first, models = session("first.sqlite")
        again, repeated = session("second.sqlite")
        assert len(server.requests) == 5
    assert first == again and len(set(first)) == 5
    assert models.totals().cached_calls == 0
    assert repeated.totals().cached_calls == 5 and repeated.paid_usd() == 0.0
    assert repeated.usage().cost_usd == pytest.approx(5 * COST)


def test_every_field_of_a_request_decides_whether_it_is_the_same(
    open_models: Any, gateway_of: Any, connect: Any, tmp_path: Path
) -> None:
    fields: list[dict[str, Any]] = [{}, {"seed": 1}, {"seed": 2}, {"top_p": 0.5}, {"extra_body": {"min_p": 0.1}}]
    with OpenAIServer([Reply("x")]) as server:
        for _ in range(2):
            models = open_models(cache_path=tmp_path / "cache.sqlite")
            client = connect(gateway_of(models).open_cell("u/s", chat=served(server), embedding=None))
            for field in fields:
                ask(client, "same words", **field)
    assert len(server.requests) == len(fields)


# -- what fails --------------------------------------------------------------------------------------------------------


def test_a_passing_error_is_tried_again_by_the_lab_and_unseen_by_the_package(
    open_models: Any, cell_of: Any, connect: Any, waits: list[float]
) -> None:
    with OpenAIServer([error(429, "slow down", retry_after="3"), error(500, "oops"), Reply("fine")]) as server:
        models: Models = open_models()
        cell: GatewayCell = cell_of(models, served(server))
        assert ask(connect(cell), "q") == "fine"
    assert waits[0] == 3.0 and len(waits) == 2
    totals = models.totals()
    assert (totals.usage.calls, totals.failed_calls) == (1, 2)
    assert cell.failures() == () and cell.take_lost() == ()


def test_a_provider_that_keeps_failing_is_told_once_and_remembered_until_it_answers(
    open_models: Any, cell_of: Any, connect: Any
) -> None:
    replies = [error(503, "down")] * 6 + [Reply("up again")]
    with OpenAIServer(replies) as server:
        cell: GatewayCell = cell_of(open_models(), served(server))
        eager = connect(cell, max_retries=5)  # its own retries are told to rest: the lab has done that
        with pytest.raises(openai.InternalServerError, match="gave up after 6 tries") as caught:
            ask(eager, "q")
        assert len(server.requests) == 6
        assert (caught.value.status_code, caught.value.code) == (502, "provider_failed")
        [failure] = cell.failures()
        assert (failure.phase, failure.status, failure.count) == ("ingest", 502, 1)
        cell.check()
        assert cell.answered == {}
        assert ask(eager, "q") == "up again"
    assert cell.take_lost() == () and cell.answered == {"chat": 1}
    assert len(cell.failures()) == 1


def test_what_was_never_answered_is_lost(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer([error(503, "down")]) as server:
        cell: GatewayCell = cell_of(open_models(), served(server))
        client = connect(cell)
        for text in ("a", "b", "a"):
            with pytest.raises(openai.InternalServerError):
                ask(client, text)
    assert len(cell.take_lost()) == 2 and cell.take_lost() == ()
    assert [failure.count for failure in cell.failures()] == [3]


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (error(400, "tool_choice is wrong"), 400, "provider_refused"),
        (error(400, "maximum context length is 128000 tokens"), 400, "context_length_exceeded"),
        (error(401, "bad key"), 401, "provider_refused"),
        (error(404, "no such model"), 404, "provider_refused"),
        (error(422, "unprocessable"), 422, "provider_refused"),
        (error(429, "no credit", "insufficient_quota"), 502, "provider_failed"),
    ],
)
def test_a_refusal_of_the_provider_is_passed_on_in_its_own_words(
    open_models: Any, cell_of: Any, connect: Any, reply: Reply, status: int, code: str
) -> None:
    with OpenAIServer([reply]) as server:
        cell: GatewayCell = cell_of(open_models(), served(server))
        with pytest.raises(openai.APIStatusError) as caught:
            ask(connect(cell, max_retries=2), "q")
    assert (caught.value.status_code, caught.value.code) == (status, code)
    assert len(server.requests) == 1
    assert [failure.status for failure in cell.failures()] == [status]


def test_a_full_budget_ends_the_cell_whatever_the_package_makes_of_it(
    open_models: Any, cell_of: Any, connect: Any
) -> None:
    with OpenAIServer([Reply("x")]) as server:
        cell: GatewayCell = cell_of(open_models(budget=Budget(calls=2)), served(server), "minilm")
        client = connect(cell, max_retries=3)
        ask(client, "a")
        cell.check()
        ask(client, "b")
        for text in ("c", "a"):
            with pytest.raises(openai.APIStatusError, match="budget is reached") as caught:
                ask(client, text)
            assert (caught.value.status_code, caught.value.code) == (402, "budget_reached")
        with pytest.raises(openai.APIStatusError):  # not even what is free: the package has holes by now
            client.embeddings.create(model="e", input="free")
        assert len(server.requests) == 2
    with pytest.raises(BudgetError, match="2 of 2 calls used"):
        cell.check()


def test_a_stream_that_fails_is_an_error_and_no_stream(open_models: Any, cell_of: Any, connect: Any) -> None:
    with OpenAIServer([error(400, "no")]) as server:
        client = connect(cell_of(open_models(), served(server)))
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model="m", messages=user("q"), stream=True)


def test_a_log_that_cannot_be_written_ends_the_cell(
    open_models: Any, cell_of: Any, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(log: CallLog, row: object) -> None:
        raise InputError("calls.sqlite: the call log cannot be used (disk full)")

    with OpenAIServer([Reply("x")]) as server:
        cell: GatewayCell = cell_of(open_models(), served(server))
        monkeypatch.setattr(CallLog, "add", full)
        with pytest.raises(openai.InternalServerError, match="disk full"):
            ask(connect(cell), "a")
    assert cell.stopped and cell.take_lost() == ()
    with pytest.raises(InputError, match="disk full"):
        cell.check()
