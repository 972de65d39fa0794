"""What tokens cost, and where nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError
from groupmem.models.names import parse_model_name
from groupmem.models.prices import Prices
from groupmem.models.targets import Target, resolve
from groupmem.types import Usage

MILLION = Usage(calls=1, input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=500_000)


def target(name: str) -> Target:
    return resolve(parse_model_name(name))


def test_the_list_prices_of_the_paper_ship() -> None:
    prices = Prices()
    assert prices.cost_usd(target("openai:gpt-4o-mini"), MILLION) == pytest.approx(0.15 + 0.60)
    embedded = Usage(calls=1, input_tokens=1_000_000)
    assert prices.cost_usd(target("openai:text-embedding-3-large"), embedded) == pytest.approx(0.13)


def test_other_prices_are_looked_up_with_their_discount_for_cached_input() -> None:
    assert Prices().cost_usd(target("openai:gpt-5"), MILLION) == pytest.approx(1.25 / 2 + 0.125 / 2 + 10)


def test_batch_files_cost_less() -> None:
    for model in ("gpt-5", "gpt-4o-mini"):
        batch, live = (Prices().cost_usd(target(name), MILLION) for name in (f"batch:{model}@d", f"openai:{model}"))
        assert batch == pytest.approx((live or 0) / 2)


@pytest.mark.parametrize(
    "name",
    [
        "openai:no-such-model",
        "openai:qwen3@http://127.0.0.1:8000/v1",
        "openai:gpt-5@http://127.0.0.1:8000/v1",
        "ollama:llama3.1@http://10.0.0.5:11434/v1",
        "ollama:qwen3:480b-cloud",
        "batch:no-such-model@d",
    ],
)
def test_an_unknown_price_is_unknown_and_not_zero(name: str) -> None:
    assert Prices().cost_usd(target(name), MILLION) is None


@pytest.mark.parametrize("name", ["ollama:llama3.1", "scripted:replies.jsonl"])
def test_what_runs_here_costs_nothing(name: str) -> None:
    assert Prices().cost_usd(target(name), MILLION) == 0.0


@pytest.mark.parametrize("missing", ["input_tokens", "output_tokens"])
def test_unknown_tokens_have_an_unknown_cost(missing: str) -> None:
    usage = Usage(**{"calls": 1, "input_tokens": 5, "output_tokens": 5, missing: None})
    assert Prices().cost_usd(target("openai:gpt-4o-mini"), usage) is None
    assert Prices().cost_usd(target("scripted:f"), usage) == 0.0


def test_a_file_of_ones_own_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    known = '["gpt-4o-mini"]\ninput = 1\noutput = 2\ncached = 0\n'
    path.write_text(known + '["qwen3"]\ninput = 0\n["batch:qwen3"]\ninput = 9\n')
    prices = Prices(path)
    assert prices.cost_usd(target("openai:gpt-4o-mini"), MILLION) == pytest.approx(2.5)
    assert prices.cost_usd(target("openai:qwen3@http://127.0.0.1:8000/v1"), MILLION) == 0.0
    assert prices.cost_usd(target("batch:qwen3@d"), MILLION) == pytest.approx(9)
    embedded = Usage(calls=1, input_tokens=1_000_000)
    assert prices.cost_usd(target("openai:text-embedding-3-large"), embedded) == pytest.approx(0.13)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[qwen3", "prices.toml: "),
        ('["qwen3"]\noutput = 1\n', "input"),
        ('["qwen3"]\ninput = 1\ninptu = 2\n', "inptu"),
        ('["qwen3"]\ninput = "1"\n', "input"),
        ("[gpt-4.1]\ninput = 1\n", "quoted"),
        ("qwen3 = 1\n", "prices.toml"),
        ('["qwen3"]\ninput = -1\n', ">= 0"),
    ],
)
def test_a_file_that_is_no_price_list(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        Prices(path)


def test_no_price_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Prices(tmp_path / "none.toml")


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.none() | st.integers(0, 10**7))
def test_a_cost_is_never_below_zero_and_no_cache_makes_it_dearer(fresh: int, out: int, cached: int | None) -> None:
    usage = Usage(input_tokens=fresh, output_tokens=out, cached_tokens=cached)
    full = Usage(input_tokens=fresh, output_tokens=out)
    for name in ("openai:gpt-5", "openai:gpt-4o-mini"):
        cost, most = (Prices().cost_usd(target(name), tokens) or 0.0 for tokens in (usage, full))
        assert 0.0 <= cost <= most + 1e-12
