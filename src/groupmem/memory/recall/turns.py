"""Changes that a question may ask about: which of the messages found were replaced, by what, and on whose proposal.

Most are known since the messages came in. Where a question asks about a change, it most likely was one: so the threads
of the best messages are read again, and of what was said below each of them the message is taken that settled it most
likely, also where that is too unlikely to be kept for a message that nobody asks about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.arguments import Acceptance, settled
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.search import union
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import NO_ROW, Link, Rows, StoredMessage, View

_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Turn:
    """A change that a question may ask about: its link, how likely the newer message ended an argument about the older
    one (mostly by a change), and the row of the proposal that was taken, if one is known.
    """

    link: Link
    likelihood: float
    proposal: int = NO_ROW


def turns(view: View, asked: Asked, found: Candidates, weights: Weights) -> list[Turn]:
    """The changes that the best candidates are part of: of each replaced statement the likeliest.

    Where a question asks about changes, what is less likely counts as well, and it is looked for below the best that
    were answered.
    """
    best = found.best(weights.reread)
    likeliest: dict[int, Turn] = {}
    links = [Turn(link, link.score) for link in view.links(found.rows[best])]
    for turn in [*links, *(_reopened(view, asked, found, best, weights) if asked.turns else ())]:
        known = likeliest.get(turn.link.old)
        if known is None or (turn.likelihood, turn.link.new) >= (known.likelihood, known.link.new):
            likeliest[turn.link.old] = turn
    least = weights.turned_by if "turn" in asked.asks else weights.held_by if asked.turns else weights.replaced_by
    return [turn for turn in likeliest.values() if turn.likelihood >= least]


def _reopened(view: View, asked: Asked, found: Candidates, best: NDArray[np.intp], weights: Weights) -> Iterator[Turn]:
    """The likeliest change of each of those that may have been changed."""
    above = answered(view, asked, found, best, weights)
    under = {row: below(view, row, weights.turns_read) for row in above.tolist()}
    messages = {each.row: each for each in view.messages(union([above, *under.values()]))}
    for row, rows in under.items():
        turn = _change_of(messages[row], [messages[each] for each in rows.tolist()])
        if turn is not None:
            yield turn


def answered(view: View, asked: Asked, found: Candidates, best: NDArray[np.intp], weights: Weights) -> Rows:
    """Of the best messages those that were answered and have most of the words of the matter.

    What holds is said again and again, and any of these messages may be the one that somebody objects to.
    """
    outline = found.outline
    places = [place for place in best[: weights.turns_among].tolist() if len(outline.children[place])]
    rows = outline.rows[places]
    about = view.lexical("content", dict.fromkeys(asked.matter, 1.0)).at(rows)
    order = np.argsort(-about, kind="stable")
    enough = about[order] >= weights.turns_about * about.max(initial=0.0)
    chosen: Rows = rows[order[enough]][: weights.turns]
    return chosen


def below(view: View, row: int, most: int) -> Rows:
    """The first messages that answer this one, or an answer to it, by time."""
    later, known, found = view.later(row), {row}, list[int]()
    for start in range(0, len(later), _AT_ONCE):
        some = later[start : start + _AT_ONCE]
        ascending = np.sort(some)
        parents = view.outline(ascending).parent[np.searchsorted(ascending, some)]
        for each, parent in zip(some.tolist(), parents.tolist(), strict=True):
            if parent in known:
                known.add(each)
                found.append(each)
        if len(found) >= most:
            break
    return np.array(found[:most], dtype=np.int64)


def _change_of(old: StoredMessage, later: Sequence[StoredMessage]) -> Turn | None:
    """What most likely ended an argument about what `old` states, among the messages below it."""
    answers = list[StoredMessage]()
    best: tuple[float, int, Acceptance] | None = None
    for each in later:
        taken = settled(each, old, answers)
        if taken is not None and (best is None or (taken.ending, each.row) > best[:2]):
            best = taken.ending, each.row, taken
        if each.parent == old.row:
            answers.append(each)
    if best is None:
        return None
    ending, new, taken = best
    span = (0, len(old.message.text))
    link = Link(new=new, old=old.row, new_span=taken.span, old_span=span, score=taken.likelihood)
    return Turn(link, ending, taken.proposal.row if taken.proposal is not None else NO_ROW)


def involved(changes: Sequence[Turn]) -> Rows:
    """The rows of changes: both ends, and what was proposed."""
    rows = [row for turn in changes for row in (turn.link.new, turn.link.old, turn.proposal)]
    return np.array([row for row in rows if row != NO_ROW], dtype=np.int64)
