"""The second hop: rare words that the best messages have and the question has not.

A question describes ("the customer who lost its screen"), a message names ("Orrin"), and a third message uses the name.
"""

from __future__ import annotations

from groupmem.memory.analysis import content_terms
from groupmem.memory.recall.question import Asked
from groupmem.memory.recall.scoring import Candidates
from groupmem.memory.recall.search import Shares
from groupmem.memory.recall.weights import Weights
from groupmem.memory.store.base import View

_READ = 4000  # characters of a message that are looked at for names
_FEWEST = 2  # messages that hold a word, below which it leads nowhere


def linked(view: View, asked: Asked, found: Candidates, weights: Weights) -> Shares | None:
    """The search for the rare words of the best messages, each weighted by the scores of those that have it."""
    best = found.best(weights.linked_from)
    scores = found.scores[best]
    if not len(best) or scores[0] <= 0:
        return None
    wanted: dict[str, float] = {}
    for stored, score in zip(view.messages(found.rows[best]), scores, strict=True):
        for term in set(content_terms(stored.message.text[:_READ])) - asked.terms.keys():
            wanted[term] = wanted.get(term, 0.0) + float(score / scores[0])
    terms = list(wanted)
    counts = view.frequencies("content", terms)
    rare = {
        term: wanted[term] for term, count in zip(terms, counts, strict=True) if _FEWEST <= count <= weights.linked_most
    }
    return Shares(view.lexical("content", rare), weights.candidates // 4) if rare else None
