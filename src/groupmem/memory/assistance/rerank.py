"""The best candidates in the order that a model gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from groupmem.memory.assistance.asking import Calls, wrong_numbers
from groupmem.memory.assistance.replies import RERANK, Order
from groupmem.memory.assistance.showing import lines, message_fields
from groupmem.memory.recall.recaller import Ranked, distinct
from groupmem.memory.recall.search import spread

CANDIDATES = 30
MOST_NAMED = 10


def rerank(calls: Calls, ranked: Ranked, question: str) -> tuple[Ranked, tuple[str, ...]]:
    """The same candidates, those first that the model names, and their ids in its order. Raises as `Calls.ask` does.

    The scores of the candidates stay as a whole and change their owners: what is named takes the highest.
    """
    best, _ = distinct(ranked, CANDIDATES)
    if len(best) < 2:
        return ranked, ()
    shown = message_fields(ranked.view, list(best.values()))
    numbered = [{"number": number, **fields} for number, fields in enumerate(shown, start=1)]

    def wrong(reply: Order) -> str:
        return wrong_numbers(reply.order, len(numbered), MOST_NAMED)

    order = calls.ask(Order, RERANK, wrong, question=question, messages=lines(numbered), most=MOST_NAMED).order
    places = list(best)
    named = [places[number - 1] for number in order]
    return _reordered(ranked, places, named), tuple(best[place].message.id for place in named)


def _reordered(ranked: Ranked, places: Sequence[int], named: Sequence[int]) -> Ranked:
    first = frozenset(named)
    order = np.array([*named, *(place for place in places if place not in first)], dtype=np.intp)
    scores = ranked.found.scores
    changed = -np.sort(-scores[order]) - scores[order]
    component = spread(changed, order, len(scores))
    return replace(ranked, found=ranked.found.plus({"reranked": component}))
