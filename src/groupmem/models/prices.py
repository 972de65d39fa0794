"""What tokens cost: genai-prices, with a file of one's own laid over it."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from groupmem.errors import InputError
from groupmem.models.targets import Target
from groupmem.types import Record, Usage

Usd = Annotated[float, msgspec.Meta(ge=0)]

_MILLION = 1_000_000


class Price(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """USD per million tokens. `cached` None: cached input costs what other input costs."""

    input: Usd
    output: Usd = 0.0
    cached: Usd | None = None


class Prices:
    """Looks up in the user's file, then in the list prices that ship with groupmem, then in genai-prices.

    A file is TOML, one table a model: `["qwen3"]` with `input`, `output` and `cached`; a name with "batch:" before it
    ("batch:gpt-5") holds for batch files only. Raises InputError for a file that cannot be read.
    """

    def __init__(self, overrides: Path | None = None) -> None:
        shipped = _parse(files("groupmem.models").joinpath("list_prices.toml").read_text("utf-8"), "list_prices.toml")
        self._prices = {**shipped, **(_read(overrides) if overrides else {})}

    def cost_usd(self, target: Target, usage: Usage) -> float | None:
        """Cost of these tokens at `target`, or None where the price or the tokens are unknown: never zero for that."""
        if target.free:
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        price = self._own_price(target)
        return _listed_cost(target, usage) if price is None else _own_cost(price, usage)

    def _own_price(self, target: Target) -> Price | None:
        names = [f"batch:{target.runs}", target.runs] if target.batch else [target.runs]
        return next((self._prices[name] for name in names if name in self._prices), None)


def _own_cost(price: Price, usage: Usage) -> float:
    input_tokens, cached_tokens = usage.input_tokens or 0, _cached(usage)
    cached_price = price.input if price.cached is None else price.cached
    fresh = (input_tokens - cached_tokens) * price.input
    return (fresh + cached_tokens * cached_price + (usage.output_tokens or 0) * price.output) / _MILLION


def _listed_cost(target: Target, usage: Usage) -> float | None:
    import genai_prices  # loaded by the first call that costs something

    tokens = genai_prices.Usage(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=_cached(usage)
    )
    context = {"processing": "batch"} if target.batch else None
    try:
        if target.price_provider:
            price = genai_prices.calc_price(
                tokens, target.runs, provider_id=target.price_provider, price_context=context
            )
        else:
            price = genai_prices.calc_price(tokens, target.runs, provider_api_url=target.base_url)
    except LookupError:
        return None
    return float(price.total_price)


def _cached(usage: Usage) -> int:
    """Where the provider does not say how much was cached, all input is priced in full; never more than the input."""
    return min(usage.cached_tokens or 0, usage.input_tokens or 0)


def _read(path: Path) -> dict[str, Price]:
    try:
        return _parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise InputError(f"{path}: the price file cannot be read ({error.strerror})") from error


def _parse(text: str, source: str) -> dict[str, Price]:
    try:
        return msgspec.convert(tomllib.loads(text), dict[str, Price])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: {error}; write one table a model, its name in quotes") from error
    except msgspec.ValidationError as error:
        raise InputError(
            f'{source}: {error}; a table is ["model-name"] (quoted, as names have dots) with input, output and cached '
            "in USD per million tokens"
        ) from error
