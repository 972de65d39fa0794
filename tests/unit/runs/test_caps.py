"""Plans against caps."""

from __future__ import annotations

import pytest

from groupmem.errors import BudgetError
from groupmem.lab.runs.plan import Plan, StagePlan, check_caps
from groupmem.models.budget import Charge, SpendCap

NO_CAP = SpendCap()


def _plan(*costs: float | None, cap: SpendCap = NO_CAP) -> Plan:
    stages = tuple(
        StagePlan(stage="answer", model=f"openai:m{n}", calls=10, input_tokens=900, output_tokens=100, cost_usd=cost)
        for n, cost in enumerate(costs)
    )
    return Plan(
        run="run", benchmark="b", units=1, questions=10, cells=1, stages=stages, unplanned=(), chunks={}, cap=cap
    )


def test_the_total_is_unknown_where_one_price_is() -> None:
    assert _plan(1.5, 0.5).total == Charge(calls=20, tokens=2000, usd=2.0)
    assert _plan(1.5, None).total == Charge(calls=20, tokens=2000, usd=None)
    assert _plan().total == Charge()


@pytest.mark.parametrize(
    ("spent", "caps"),
    [
        (Charge(), SpendCap()),
        (Charge(), SpendCap(usd=2.0, calls=20, tokens=2000)),
        (Charge(calls=5), SpendCap(calls=25)),
        (Charge(usd=None), SpendCap(calls=20)),
    ],
)
def test_what_fits_passes(spent: Charge, caps: SpendCap) -> None:
    check_caps(_plan(1.5, 0.5, cap=caps), spent)


@pytest.mark.parametrize(
    ("spent", "caps", "complaint"),
    [
        (Charge(), SpendCap(calls=19), r"about 20 calls, 0 are spent, and --max-calls is 19"),
        (Charge(calls=1), SpendCap(calls=20), r"about 20 calls, 1 are spent"),
        (Charge(), SpendCap(tokens=1999), r"2,000 tokens"),
        (Charge(), SpendCap(usd=1.99), r"2\.0000 usd.*--max-usd is 1\.9900"),
    ],
)
def test_what_does_not_is_refused_with_the_figures(spent: Charge, caps: SpendCap, complaint: str) -> None:
    with pytest.raises(BudgetError, match=complaint):
        check_caps(_plan(1.5, 0.5, cap=caps), spent)


def test_a_dollar_cap_needs_a_price() -> None:
    with pytest.raises(BudgetError, match=r"price of openai:m1 is not known.*--prices"):
        check_caps(_plan(1.0, None, cap=SpendCap(usd=100)), Charge())
    check_caps(_plan(1.0, None, cap=SpendCap(calls=100)), Charge())


def test_nothing_left_to_do_passes_any_cap_that_holds() -> None:
    check_caps(_plan(cap=SpendCap(calls=5, usd=0)), Charge(calls=5))
