"""Decisions in their order: the current one above those that it replaced."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import Values
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import Link, Rows

_STEP = 1e-3


def follow(asked: Asked, rows: Rows, scores: Values, links: Sequence[Link], weights: Weights) -> Values:
    """What is added to `scores` (of `rows`, ascending) so that every current statement stands above what it replaced.

    Where a question asks how something was before, or is by now, what was replaced is drawn up below what replaced it:
    one is no answer without the other. Links below `Weights.replaced_by` change nothing.
    """
    after = scores.copy()
    linked = np.intersect1d(ends(links), rows)
    places = dict(zip(linked.tolist(), np.searchsorted(rows, linked).tolist(), strict=True))
    sure = [link for link in links if link.score >= weights.replaced_by and {link.new, link.old} <= places.keys()]
    both = bool(asked.asks & {"current", "former"})
    for link in sorted(sure, key=lambda link: link.new):
        new, old = places[link.new], places[link.old]
        top = max(after[new], after[old])
        if after[old] >= after[new]:
            after[new] = top + _STEP
        elif both:
            after[old] = max(after[old], weights.replaced * link.score * top)
    return after - scores


def ends(links: Sequence[Link]) -> Rows:
    """The rows at both ends of links."""
    return np.array([row for link in links for row in (link.new, link.old)], dtype=np.int64)
