"""Caps hold whatever the number of threads, a run stops before it breaks one, and goes on with a higher one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import BudgetError, InputError, ModelError
from groupmem.models.budget import Budget, Charge
from groupmem.models.session import Models
from support.asking import ACCOUNT, ask
from support.openai_server import OpenAIServer, Reply, error

Open = Callable[..., Models]
CALL_USD = (100 * 0.15 + 10 * 0.60) / 1e6


def test_the_cap_is_reached_in_the_middle_and_raised(open_models: Open, tmp_path: Path) -> None:
    log = tmp_path / "calls.sqlite"
    with OpenAIServer([Reply("x")]) as server:
        name = f"openai:gpt-4o-mini@{server.url}"
        first = open_models(log_path=log, budget=Budget(calls=3)).chat(name, ACCOUNT)
        for number in range(3):
            first.complete(ask(f"q{number}"))
        with pytest.raises(BudgetError, match=r"3 of 3 calls used.*same command with a higher cap") as caught:
            first.complete(ask("q3"))
        assert caught.value.exit_code == 4 and len(server.requests) == 3
        with pytest.raises(BudgetError):
            open_models(log_path=log, budget=Budget(calls=3)).chat(name, ACCOUNT).complete(ask("q3"))
        open_models(log_path=log, budget=Budget(calls=4)).chat(name, ACCOUNT).complete(ask("q3"))
    assert len(server.requests) == 4


def test_dollars_are_reserved_at_their_worst_before_sending(open_models: Open) -> None:
    budget = Budget(usd=1000 * 0.6e-6)
    with OpenAIServer([Reply("x")]) as server:
        model = open_models(budget=budget).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        with pytest.raises(BudgetError, match=r"usd used"):
            model.complete(ask("q", max_tokens=1_000))
        assert server.requests == []
        model.complete(ask("q", max_tokens=900))
    assert budget.spent.usd == pytest.approx(CALL_USD)


def test_tokens_count_in_and_out(open_models: Open) -> None:
    budget = Budget(tokens=230)
    with OpenAIServer([Reply("x")]) as server:
        model = open_models(budget=budget).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        model.complete(ask("a", max_tokens=50))
        model.complete(ask("b", max_tokens=50))
        with pytest.raises(BudgetError, match="220 of 230 tokens"):
            model.complete(ask("c", max_tokens=50))


def test_hits_take_nothing(open_models: Open, tmp_path: Path) -> None:
    cache = tmp_path / "cache.sqlite"
    with OpenAIServer([Reply("x")]) as server:
        name = f"openai:gpt-4o-mini@{server.url}"
        open_models(cache_path=cache).chat(name, ACCOUNT).complete(ask("q"))
        budget = Budget(calls=0)
        assert open_models(cache_path=cache, budget=budget).chat(name, ACCOUNT).complete(ask("q")).text == "x"
    assert budget.spent == Charge()


@pytest.mark.parametrize(
    ("trouble", "tokens"),
    [(error(500, "no"), 110), (Reply(closed=True), 110 + 55), (Reply("x", cut=True), 110 + 55)],
    ids=["answered with an error", "lost on the way", "half a reply"],
)
def test_a_try_that_may_have_been_billed_counts_at_its_worst(open_models: Open, trouble: Reply, tokens: int) -> None:
    budget = Budget()
    with OpenAIServer([trouble, Reply("x")]) as server:
        open_models(budget=budget).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT).complete(ask("q", max_tokens=50))
    assert (budget.spent.calls, budget.spent.tokens) == (2, tokens)


def test_usage_that_is_not_told_counts_at_its_worst_also_after_a_restart(open_models: Open, tmp_path: Path) -> None:
    log = tmp_path / "calls.sqlite"
    budget, later = Budget(), Budget()
    with OpenAIServer([Reply("x", usage=None)]) as server:
        models = open_models(log_path=log, budget=budget)
        models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT).complete(ask("q", max_tokens=50))
    open_models(log_path=log, budget=later)
    assert budget.spent == later.spent
    assert budget.spent.tokens == 55 and budget.spent.usd == pytest.approx((5 * 0.15 + 50 * 0.6) / 1e6)


def test_a_dollar_cap_and_an_unknown_price(open_models: Open) -> None:
    with OpenAIServer([Reply("x")]) as server:
        name = f"openai:qwen3@{server.url}"
        with pytest.raises(BudgetError, match="price of the model is not known"):
            open_models(budget=Budget(usd=5)).chat(name, ACCOUNT).complete(ask("q"))
        assert open_models(budget=Budget(calls=5)).chat(name, ACCOUNT).complete(ask("q")).text == "x"


def test_a_call_waits_for_those_in_flight_instead_of_stopping_the_run(open_models: Open) -> None:
    """Room for one worst case only, but for many calls as they really are."""
    go = threading.Event()
    with OpenAIServer([Reply("x", until=go)]) as server, ThreadPoolExecutor(4) as pool:
        models = open_models(budget=Budget(tokens=1_200))
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        asked = [pool.submit(model.complete, ask(f"q{number}", max_tokens=800)) for number in range(4)]
        server.wait_for(1)
        go.set()
        assert [future.result().text for future in asked] == ["x"] * 4
    assert server.most_at_once == 1


def test_caps_hold_with_many_threads(open_models: Open) -> None:
    budget = Budget(calls=10)
    with OpenAIServer([Reply("x")]) as server, ThreadPoolExecutor(8) as pool:
        model = open_models(budget=budget).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        asked = [pool.submit(model.complete, ask(f"q{number}")) for number in range(30)]
        stopped = sum(isinstance(future.exception(), BudgetError) for future in asked)
    assert (len(server.requests), stopped, budget.spent.calls) == (10, 20, 10)


def test_a_failed_call_gives_its_reservation_back(open_models: Open) -> None:
    budget = Budget(tokens=60, calls=2)
    with OpenAIServer([error(400, "no"), Reply("x")]) as server:
        model = open_models(budget=budget).chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)
        with pytest.raises(ModelError):
            model.complete(ask("q", max_tokens=50))
        assert model.complete(ask("q", max_tokens=50)).text == "x"


@pytest.mark.parametrize("caps", [{"usd": -1}, {"calls": -1}, {"tokens": -5}])
def test_no_cap_below_zero(caps: dict[str, int]) -> None:
    with pytest.raises(InputError, match="below zero"):
        Budget(**caps)


charges = st.builds(Charge, calls=st.just(1), tokens=st.integers(0, 50), usd=st.floats(0, 0.1))


@given(st.lists(st.tuples(charges, st.floats(0, 1))), st.integers(0, 200), st.floats(0, 0.5))
def test_what_is_spent_never_breaks_a_cap(calls: list[tuple[Charge, float]], tokens: int, usd: float) -> None:
    """Where a call takes at most what was reserved for it."""
    budget = Budget(tokens=tokens, usd=usd)
    for worst, part in calls:
        try:
            budget.reserve(worst)
        except BudgetError:
            continue
        budget.settle(worst, Charge(1, int(worst.tokens * part), (worst.usd or 0.0) * part))
        assert budget.spent.tokens <= tokens and (budget.spent.usd or 0.0) <= usd
