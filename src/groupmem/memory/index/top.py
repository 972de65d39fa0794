"""The best of many scores, without sorting or partitioning them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCK = 256


def at_least_best(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Positions of all scores above 0 that are among the best `limit`, ascending; ties at the border all stay.

    The maxima of blocks bound the border from below: `limit` blocks have a score as high as the `limit`-th maximum.
    That leaves few scores to look at, where a partition of a million takes longer than scoring them.
    """
    border = np.float32(0)
    whole = len(scores) // _BLOCK * _BLOCK
    if limit and whole // _BLOCK > limit:
        maxima = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
        border = max(border, np.partition(maxima, -limit)[-limit])
    found = np.flatnonzero(scores >= border) if border > 0 else np.flatnonzero(scores > 0)
    if len(found) > limit:
        kept = scores[found]
        found = found[kept >= np.partition(kept, -limit)[-limit]] if limit else found[:0]
    return found
