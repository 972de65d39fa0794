"""Decisions in their order: the current one above those that it replaced, and what led to it beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.notes.statements import KINDS
from groupmem.memory.notes.supersession import shared
from groupmem.memory.recall.candidates import STEP, Candidates
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import Values
from groupmem.memory.recall.turns import Turn, involved
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import NO_ROW, Link, Outline, Rows, StoredMessage

_CHANGE = KINDS.index("change")
_SAME_WORDS = 3  # that two statements share which say the same
_SAME_SHARE = 0.3  # share of the words of the shorter one, which is enough where a question asks about a change


def follow(
    asked: Asked,
    rows: Rows,
    scores: Values,
    changes: Sequence[Turn],
    read: Mapping[int, StoredMessage],
    weights: Weights,
) -> Values:
    """What is added to `scores` (of `rows`, ascending) so that every current statement stands above what it replaced.

    `changes` are in the order in which they were made (`by_time`).

    What says the same as that, of the messages in `read`, is replaced as well. Where a question asks how something was
    before, is by now, or what changed it, what was replaced and what was proposed are drawn up below what replaced it:
    one is no answer without the others.
    """
    if not changes:
        return np.zeros(len(rows))
    after = scores.copy()
    known = np.intersect1d(involved(changes), rows)
    places = dict(zip(known.tolist(), np.searchsorted(rows, known).tolist(), strict=True))
    for turn in changes:
        new, old = places.get(turn.link.new), places.get(turn.link.old)
        if new is None or old is None:
            continue
        same = [old, *(int(np.searchsorted(rows, row)) for row in _saying_the_same(asked, turn.link, read))]
        most = float(after[same].max())
        if most >= after[new]:
            after[new] = most + STEP
        if asked.turns:
            drawn = [old, places[turn.proposal]] if turn.proposal in places else [old]
            after[drawn] = np.maximum(after[drawn], weights.replaced * after[new])
    return after - scores


def changes_first(asked: Asked, found: Candidates, scores: Values, weights: Weights) -> Values:
    """What is added to `scores` of the best so that a change stands above what was said before about the same.

    It is for those whose former statement is not known: what somebody calls a change, where a question asks about one,
    is likely that of what stands above it in the same topic (without topics: in the same thread).
    """
    if not asked.turns:
        return np.zeros(len(scores))
    after = scores.copy()
    outline, best = found.outline, np.argsort(-scores, kind="stable")[: weights.changed_among]
    about = found.components.get("context", scores)
    for rank, place in enumerate(best.tolist()):
        if outline.statements[place, _CHANGE] < weights.changed_by:
            continue
        above = best[:rank]
        same = _same_place(outline, above, place) & (outline.sent_at[above] < outline.sent_at[place])
        earlier = above[same & (about[above] > 0) & (about[place] >= weights.changed_about * about[above])]
        if len(earlier):
            # of several changes the better ones stay above the others
            after[place] = max(after[place], float(after[earlier[0]]) + STEP / (1 + rank))
    return after - scores


def _same_place(outline: Outline, places: NDArray[np.intp], place: int) -> NDArray[np.bool_]:
    """Whether messages are of the same channel, phase and topic as one, or, where it has no topic, of its thread."""
    if outline.topic[place] == NO_ROW:
        return np.asarray(outline.thread[places] == outline.thread[place], dtype=np.bool_)
    columns = (outline.topic, outline.phase, outline.channel)
    same: NDArray[np.bool_] = np.logical_and.reduce([column[places] == column[place] for column in columns])
    return same


def by_time(changes: Sequence[Turn], outline: Outline) -> list[Turn]:
    """Changes in the order in which they were made; by that in which they came in where a time is missing."""
    new = np.array([turn.link.new for turn in changes], dtype=np.int64)
    times = outline.sent_at[np.searchsorted(outline.rows, new)]
    order = np.argsort(new, kind="stable") if np.isnan(times).any() else np.lexsort((new, times))
    return [changes[place] for place in order.tolist()]


def _saying_the_same(asked: Asked, link: Link, read: Mapping[int, StoredMessage]) -> list[int]:
    """The messages before a change, outside its thread, that say the same as what it replaced."""
    old, new = read.get(link.old), read.get(link.new)
    if old is None:
        return []
    return [
        row
        for row, each in read.items()
        if (row < link.new if new is None else _was_before(each, new))
        and each.message.phase == old.message.phase
        and each.thread != old.thread
        if _same(old, each) or (asked.turns and _overlap(old, each) >= _SAME_SHARE)
    ]


def _was_before(one: StoredMessage, other: StoredMessage) -> bool:
    """By time; by the order in which they came in where a time is missing or both are of one moment."""
    first, second = one.message.sent_at, other.message.sent_at
    if first is None or second is None or first == second:
        return one.row < other.row
    return first < second


def _same(one: StoredMessage, other: StoredMessage) -> bool:
    both = shared(one.notes, other.notes)
    return both.words >= _SAME_WORDS and not both.other_value


def _overlap(one: StoredMessage, other: StoredMessage) -> float:
    """The share of the words of the message that has fewer."""
    left, right = frozenset(one.notes.terms), frozenset(other.notes.terms)
    return len(left & right) / (1 + min(len(left), len(right)))
