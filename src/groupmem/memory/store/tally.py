"""Labels of visible messages by how often they occur."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.store.base import NO_ROW


class Tally:
    """Counts of label numbers. Places are given by frequency, then by text, so that nothing unseen decides them."""

    def __init__(self, numbers: NDArray[np.int32], text: Callable[[int], str]) -> None:
        counts = np.bincount(numbers[numbers >= 0]) if len(numbers) else np.empty(0, dtype=np.int64)
        found = [(text(int(number)), int(number)) for number in np.flatnonzero(counts)]
        found.sort(key=lambda pair: (-counts[pair[1]], pair[0]))
        self.counts = {name: int(counts[number]) for name, number in found}
        self._places = np.full(len(counts) + 1, NO_ROW, dtype=np.int32)  # the last one is that of NO_ROW
        self._numbers = [number for _, number in found]
        self._places[self._numbers] = np.arange(len(found))

    def number(self, place: int) -> int:
        """The number at a place."""
        return self._numbers[place]

    def places(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The places of these numbers in `counts`, of which all have been counted; `NO_ROW` stays."""
        return self._places[numbers]
