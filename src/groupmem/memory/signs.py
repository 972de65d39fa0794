"""What speaks for one statement being what another one replaces, seen as a whole.

`groupmem.memory.decisions` scores each pair of statements by what they share. In a room where much is decided about
many things, most pairs of one author share something: so a link must also be likely by signs that are counted
together, as in a logistic regression. The weights are such a regression's over the pairs that the store compares in two
synthesised conversations and a hand-written one, rounded.
"""

from __future__ import annotations

import math

from groupmem.memory.notes.supersession import Shared, shared
from groupmem.memory.store.base import Noted

_PRIOR = -5.1
_NAMES_OLD, _OTHER_VALUE, _SAME_VALUE = 1.8, 1.8, -0.5
_WORD, _MOST_WORDS = 0.22, 4
_FEW = 10  # statements of one topic of a chat, as many as the hand-written ones have
_OVERLAP, _THREAD, _CHANGE, _AUTHOR = 2.0, 0.8, 1.7, 0.8


def likelihood(new: Noted, old: Noted, *, changing: float, among: int) -> float:
    """How likely `new` replaces something that `old` states, in (0, 1).

    `changing` is how surely `new` changes something; `among` is the number of statements that it could replace: one of
    many is less likely the one. Both give values of one sort and magnitude.
    """
    both = shared(new.notes, old.notes)
    evidence = _PRIOR - math.log(max(1.0, among / _FEW)) + _of_statements(both)
    evidence += _OVERLAP * _overlap(new, old) + _CHANGE * changing
    evidence += _THREAD * (new.thread == old.thread) + _AUTHOR * (new.message.author == old.message.author)
    return 1.0 / (1.0 + math.exp(-evidence))


def _of_statements(both: Shared) -> float:
    values = _NAMES_OLD * both.names_old + _OTHER_VALUE * both.other_value + _SAME_VALUE * both.same_value
    return values + _WORD * min(both.words, _MOST_WORDS)


def _overlap(new: Noted, old: Noted) -> float:
    """The share of the words of the message that has fewer; an answer has those of what it answers as well."""
    left, right = {*new.notes.terms, *new.notes.parent_terms}, set(old.notes.terms)
    return len(left & right) / (1 + min(len(left), len(right)))
