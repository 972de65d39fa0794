"""How a quantity is distributed, in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupmem.types import Record


class Spread(Record, frozen=True, kw_only=True):
    """A distribution: mean, the 10th, 50th and 90th percentile (linear between values), and the largest value."""

    count: int
    mean: float
    p10: float
    p50: float
    p90: float
    largest: float


def spread(values: Sequence[float]) -> Spread | None:
    """The spread of the values; None where there are none."""
    if not values:
        return None
    p10, p50, p90 = np.percentile(values, (10, 50, 90)).tolist()
    return Spread(count=len(values), mean=float(np.mean(values)), p10=p10, p50=p50, p90=p90, largest=float(max(values)))
