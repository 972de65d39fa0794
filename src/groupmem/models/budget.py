"""A cap on what calls may use, kept before they are sent."""

from __future__ import annotations

import threading
from functools import reduce
from typing import NamedTuple

from groupmem.errors import BudgetError, InputError
from groupmem.types import Record


class Charge(NamedTuple):
    """What one or more calls count for. `usd` None: the price is not known."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


class SpendCap(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The most that a piece of work may take; None: no cap. `overridden` names caps of the benchmark that the user
    replaced."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    overridden: tuple[str, ...] = ()


class Budget:
    """At most `usd` dollars, `calls` calls and `tokens` tokens (input and output); None: no cap.

    A call reserves its worst case before it is sent and settles what it really took, so the caps hold however many
    threads send. Where only calls in flight stand in the way, `reserve` waits for them: a run does not stop because of
    an estimate. One budget serves one `Models`.
    """

    def __init__(self, usd: float | None = None, calls: int | None = None, tokens: int | None = None) -> None:
        for name, cap in (("usd", usd), ("calls", calls), ("tokens", tokens)):
            if cap is not None and cap < 0:
                raise InputError(f"a budget of {cap} {name} is below zero")
        self._caps = {"calls": calls, "tokens": tokens, "usd": usd}
        self._spent = Charge()
        self._in_flight: list[Charge] = []
        self._changed = threading.Condition()

    @property
    def spent(self) -> Charge:
        with self._changed:
            return self._spent

    def carry(self, earlier: Charge) -> None:
        """Counts what earlier starts of the same work took."""
        with self._changed:
            self._spent = _sum(self._spent, earlier)

    def reserve(self, worst: Charge) -> None:
        """Returns when `worst` fits. Raises BudgetError where it cannot, or where a cap in USD meets no price."""
        with self._changed:
            while True:
                reached = self._reached(_sum(self._spent, worst))
                if reached:
                    raise BudgetError(self._message(reached, worst))
                if not self._reached(reduce(_sum, self._in_flight, _sum(self._spent, worst))):
                    break
                self._changed.wait()
            self._in_flight.append(worst)

    def settle(self, worst: Charge, actual: Charge) -> None:
        """Replaces a reservation by what the call took."""
        with self._changed:
            self._in_flight.remove(worst)
            self._spent = _sum(self._spent, actual)
            self._changed.notify_all()

    def _reached(self, total: Charge) -> str | None:
        """The name of the first cap that `total` breaks."""
        for name, cap in self._caps.items():
            used = getattr(total, name)
            if cap is not None and (used is None or used > cap):
                return name
        return None

    def _message(self, cap: str, worst: Charge) -> str:
        if getattr(worst, cap) is None:
            return (
                "the price of the model is not known, so a budget in USD cannot be kept: "
                "give its price in a price file, or cap calls or tokens instead"
            )
        return (
            f"the budget is reached: {_shown(cap, getattr(self._spent, cap))} of {_shown(cap, self._caps[cap])} {cap} "
            f"used, and the next call may take {_shown(cap, getattr(worst, cap))}; "
            "the same command with a higher cap goes on from here"
        )


def _sum(left: Charge, right: Charge) -> Charge:
    usd = None if left.usd is None or right.usd is None else left.usd + right.usd
    return Charge(left.calls + right.calls, left.tokens + right.tokens, usd)


def _shown(cap: str, value: float | int | None) -> str:
    return f"{value:.4f}" if cap == "usd" else f"{value:,}"
