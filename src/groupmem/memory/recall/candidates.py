"""The candidates for a question, and what each component of their scores gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.search import Values, total
from groupmem.memory.store.base import Outline, Rows

STEP = 1e-3
"""How much higher a message is drawn than the one above which it is to stand."""


@dataclass(frozen=True)
class Candidates:
    """Candidates with their components; `scores` is the sum of them."""

    outline: Outline
    components: dict[str, Values]

    @property
    def rows(self) -> Rows:
        return self.outline.rows

    @cached_property
    def scores(self) -> Values:
        return total(self.components, len(self.rows))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(-self.scores, kind="stable")

    def best(self, limit: int) -> NDArray[np.intp]:
        """Places of the best `limit`, best first, ties by row."""
        return self._order[:limit]

    def plus(self, further: Mapping[str, Values]) -> Candidates:
        """With further components."""
        return Candidates(self.outline, {**self.components, **further})

    def without(self, name: str) -> Candidates:
        """Without one component."""
        return Candidates(self.outline, {each: of for each, of in self.components.items() if each != name})
