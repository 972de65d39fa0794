"""Which supersession links a model confirms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupmem.memory.assistance.asking import Calls, wrong_numbers
from groupmem.memory.assistance.replies import VERIFY, Replaced
from groupmem.memory.assistance.showing import lines, message_fields
from groupmem.memory.recall.recaller import Ranked
from groupmem.memory.recall.weights import WEIGHTS
from groupmem.memory.store.base import Link, View

AMONG = 30
MOST_PAIRS = 20


def near_the_best(ranked: Ranked) -> list[Link]:
    """The links that decide an order or are shown, and have an end among the best candidates; the surest first."""
    best = frozenset(ranked.found.rows[ranked.found.best(AMONG)].tolist())
    near = [link for link in ranked.links if link.score >= WEIGHTS.replaced_by and best & {link.new, link.old}]
    return sorted(near, key=lambda link: (-link.score, link.new, link.old))[:MOST_PAIRS]


def refuted(calls: Calls, view: View, links: Sequence[Link]) -> list[Link]:
    """Those of at most `MOST_PAIRS` links that the model does not confirm, asked for in one call; none for no links.

    Raises as `Calls.ask` does.
    """
    if not links:
        return []
    shown = message_fields(view, view.messages(np.array([row for link in links for row in (link.old, link.new)])))
    pairs = [
        {"pair": number, "earlier": earlier, "later": later}
        for number, (earlier, later) in enumerate(zip(shown[::2], shown[1::2], strict=True), start=1)
    ]

    def wrong(reply: Replaced) -> str:
        return wrong_numbers(reply.replaced, len(pairs), len(pairs))

    confirmed = calls.ask(Replaced, VERIFY, wrong, pairs=lines(pairs)).replaced
    return [link for number, link in enumerate(links, start=1) if number not in confirmed]
