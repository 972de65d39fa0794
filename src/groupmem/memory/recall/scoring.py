"""The score of each candidate: a sum of named components, so that every score can be explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.notes.statements import KINDS
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.hops import Linked
from groupmem.memory.recall.knowledge import Knowledge
from groupmem.memory.recall.pairs import Pairs
from groupmem.memory.recall.question import Asked, Clause
from groupmem.memory.recall.search import Search, Values, among, total
from groupmem.memory.recall.weights import Parts, Weights
from groupmem.memory.store.base import NO_ROW, Outline, Rows

_DECIDED = [KINDS.index("decision"), KINDS.index("change")]


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores candidates for one question. The first of `searches` is that for the whole of it, the others for parts."""

    asked: Asked
    searches: Sequence[Search]
    known: Knowledge
    weights: Weights
    parts: Parts

    def score(self, outline: Outline, linked: Linked | Pairs | None = None) -> Candidates:
        """All components of all candidates. `linked` is where the best messages lead."""
        whole, weights = self.searches[0], self.weights
        components = whole.relevance(outline.rows, weights)
        if self.parts.threads:
            _count_answered(components, outline, weights)
        if self.parts.priors:
            components["scope"] = self._scope(whole.clause, outline) + self._period(outline)
        self._weigh_parts(components, outline)
        if self.parts.topics:
            self._name_topics(components, outline)
        if self.parts.priors:
            self._weigh_people(components, outline)
        own = total(components, len(outline.rows))
        components |= self._around(outline, own)
        if self.parts.priors and self.asked.kinds:
            columns = [KINDS.index(kind) for kind in self.asked.kinds]
            components["kind"] = weights.kind * own * outline.statements[:, columns].max(axis=1)
        if linked is not None:
            share = weights.linked_hop if self.asked.hops else weights.linked
            components["linked"] = share * linked.at(outline, self.known)
        return Candidates(outline, components)

    def _weigh_parts(self, components: dict[str, Values], outline: Outline) -> None:
        """What answers one part of the question well is as good as what answers all of it halfway."""
        if len(self.searches) > 1:
            count = len(outline.rows)
            scores = [
                total(each.relevance(outline.rows, self.weights), count) + self._scope(each.clause, outline)
                for each in self.searches[1:]
            ]
            better = self.weights.part * np.max(scores, axis=0) - total(components, count)
            components["part"] = np.maximum(0.0, better)

    def _around(self, outline: Outline, own: Values) -> dict[str, Values]:
        around = Surroundings(outline, own, self.weights)
        found: dict[str, Values] = {}
        if self.parts.threads:
            found |= around.threads()
        if self.parts.topics:
            found["topic"] = self.weights.topic * around.group
            if self.parts.decisions:
                decided = outline.statements[:, _DECIDED].max(axis=1)
                found["decision"] = self.weights.decision * around.group * decided * around.grouped
        return found

    def _name_topics(self, components: dict[str, Values], outline: Outline) -> None:
        names = self.known.topic_names
        if names is not None and len(names):
            components["topic_name"] = self.weights.topic_name * np.where(
                outline.topic == NO_ROW, 0.0, names[outline.topic]
            )

    def _weigh_people(self, components: dict[str, Values], outline: Outline) -> None:
        asked, weights = self.asked, self.weights
        if asked.people:
            components["named"] = weights.named * self.known.written_by(outline, asked.people)
        if asked.roles:
            components["role"] = weights.role * among(outline.role, self.known.roles, asked.roles)
        if asked.speaker is not None:
            components["own"] = weights.own * self.known.concerns(outline, frozenset({asked.speaker}))

    def _scope(self, clause: Clause, outline: Outline) -> Values:
        """For messages of the places that a clause names."""
        inside = np.zeros(len(outline.rows))
        if self.parts.priors:
            if clause.channels:
                inside += self.weights.channel * among(outline.channel, self.known.channels, clause.channels)
            if clause.phases:
                inside += self.weights.phase * among(outline.phase, self.known.phases, clause.phases)
        return inside

    def _period(self, outline: Outline) -> Values:
        """For messages of a phase that is hinted at, and of a time that is named."""
        asked, inside = self.asked, np.zeros(len(outline.rows))
        if asked.hinted:
            inside += self.weights.scope * among(outline.phase, self.known.phases, asked.hinted)
        if asked.period is not None:
            within = (outline.sent_at >= asked.period[0]) & (outline.sent_at <= asked.period[1])
            inside += self.weights.scope * within
        return inside


class Surroundings:
    """What a candidate takes from the messages around it, by the scores that these have by themselves (`own`)."""

    def __init__(self, outline: Outline, own: Values, weights: Weights) -> None:
        self._outline = outline
        self._own = own
        self._weights = weights
        self._share = np.minimum(1.0, weights.long_words / np.maximum(outline.words, 1))
        has_topic = outline.topic != NO_ROW
        self.grouped = has_topic | outline.threaded
        key = np.where(has_topic, outline.topic.astype(np.int64), NO_ROW - 1 - outline.thread)
        key = np.where(has_topic, key * (int(outline.channel.max(initial=0)) + 1) + outline.channel, key)
        groups, place = np.unique(key, return_inverse=True)
        best = np.zeros(len(groups))
        np.maximum.at(best, place, own)
        self.group: Values = best[place] / (best.max(initial=0.0) or 1.0)
        """The best score in each candidate's topic or thread, in shares of the best of all."""

    def threads(self) -> dict[str, Values]:
        outline, weights = self._outline, self._weights
        nearby = np.where(outline.threaded, weights.nearby_threaded, weights.nearby)
        previous, following, parent = _places(outline, np.stack([outline.previous, outline.next, outline.parent]))
        own = np.append(self._own, 0.0)  # the last one is that of who is no candidate
        child = np.zeros(len(self._own))
        answers = parent >= 0
        np.maximum.at(child, parent[answers], self._own[answers])
        return {
            "nearby": nearby * self._share * (own[previous] + own[following]),
            "child": weights.child * self._share * outline.threaded * child,
        }


def _count_answered(components: dict[str, Values], outline: Outline, weights: Weights) -> None:
    """What answers a message is nearly as near by meaning as that is: alone it often means nothing."""
    own = components.get("meaning")
    if own is not None:
        answered = np.append(own, 0.0)[_places(outline, outline.parent)]
        components["meaning"] = np.maximum(own, weights.answered * outline.threaded * answered)


def _places(outline: Outline, rows: Rows) -> NDArray[np.intp]:
    """Where `rows` are among the candidates, -1 for those that are not."""
    known = outline.rows
    places = np.searchsorted(known, rows)
    places[places == len(known)] = 0
    return np.where(known[places] == rows, places, -1)
