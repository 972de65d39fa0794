"""What a run is going to take, reckoned before a cent is spent: calls, tokens and dollars by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from groupmem.errors import BudgetError
from groupmem.lab.records import RunFolder
from groupmem.models.budget import Charge, SpendCap
from groupmem.models.calllog import CallLog
from groupmem.types import Record

PlannedStage = Literal["ingest", "recall", "answer", "judge"]


class StagePlan(Record, frozen=True, kw_only=True):
    """What one stage takes of one model. `cost_usd` None: the price is not known."""

    stage: PlannedStage
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Caps(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The most that a run may take over all its starts; None: no cap."""

    usd: float | None = None
    calls: int | None = None
    tokens: int | None = None


NO_CAPS = Caps()


class Plan(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The estimate of a run, without what is on record already.

    `unplanned` are the systems that call a chat model or answer by themselves: what they take is not known beforehand,
    but it is booked, and held to the budget like all else. Of those that the benchmark knows, `chunks` by unit are what
    they ingest, of which `kept_ingests` units are kept of earlier runs, and the `cap` is the benchmark's where the user
    gives none.
    """

    run: str
    benchmark: str
    units: int
    questions: int
    cells: int
    stages: tuple[StagePlan, ...]
    unplanned: tuple[str, ...]
    chunks: Mapping[str, int]
    cap: SpendCap
    kept_ingests: int = 0

    @property
    def total(self) -> Charge:
        costs = [stage.cost_usd for stage in self.stages if stage.cost_usd is not None]
        return Charge(
            calls=sum(stage.calls for stage in self.stages),
            tokens=sum(stage.input_tokens + stage.output_tokens for stage in self.stages),
            usd=sum(costs) if len(costs) == len(self.stages) else None,
        )


def spent_by(folder: RunFolder) -> Charge:
    """What earlier starts of a run took, by its call log; nothing where there is none."""
    if not folder.calls_path.is_file():
        return Charge()
    log = CallLog(folder.calls_path, read_only=True)
    try:
        return log.charged()
    finally:
        log.close()


def check_caps(plan: Plan, spent: Charge) -> None:
    """Raises BudgetError where the plan, on top of what was spent by earlier starts, is above its cap."""
    needed = plan.total
    for name in ("calls", "tokens", "usd"):
        cap, need, used = getattr(plan.cap, name), getattr(needed, name), getattr(spent, name)
        if cap is None:
            continue
        if need is None or used is None:
            unknown = ", ".join(stage.model for stage in plan.stages if stage.cost_usd is None)
            raise BudgetError(
                f"the price of {unknown or 'earlier calls'} is not known, so --max-usd cannot be kept: give it in a "
                "file with --prices, or cap --max-calls or --max-tokens"
            )
        if used + need > cap:
            raise BudgetError(
                f"the run is going to take about {_shown(need)} {name}, {_shown(used)} are spent, and --max-{name} is "
                f"{_shown(cap)}: raise it, or ask fewer questions with --questions"
            )


def _shown(amount: float) -> str:
    return f"{amount:,}" if isinstance(amount, int) else f"{amount:,.4f}"
