"""Recall: from a question and a view to the messages that matter, one configuration for every conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from groupmem.memory.recall.answers import Reader
from groupmem.memory.recall.candidates import Candidates
from groupmem.memory.recall.chains import by_time, changes_first, follow
from groupmem.memory.recall.expansion import linked
from groupmem.memory.recall.explain import Explanation, Reasons, components_at, understood
from groupmem.memory.recall.knowledge import Knowledge
from groupmem.memory.recall.names import Index, Indexes, Meanings
from groupmem.memory.recall.pairs import Pairs
from groupmem.memory.recall.passages import Writer, fact
from groupmem.memory.recall.question import Asked, understand
from groupmem.memory.recall.reread import reread
from groupmem.memory.recall.scoring import Scorer
from groupmem.memory.recall.search import Search, Searcher, gather, spread, union
from groupmem.memory.recall.turns import Turn, involved, turns
from groupmem.memory.recall.vocabulary import in_other_words, renamings
from groupmem.memory.recall.weights import ALL_PARTS, WEIGHTS, Parts, Weights
from groupmem.memory.store.base import Link, Rows, StoredMessage, View
from groupmem.models.base import EmbeddingModel
from groupmem.types import Passage, Recall


@dataclass(frozen=True, slots=True)
class Ranked:
    """All candidates of a question with their scores. `read` are the messages that were read on the way."""

    view: View
    index: Index
    asked: Asked
    found: Candidates
    changes: Sequence[Turn]
    read: dict[int, StoredMessage] = field(default_factory=dict)

    @property
    def links(self) -> list[Link]:
        """The links of the changes."""
        return [turn.link for turn in self.changes]

    def messages(self, rows: Iterable[int]) -> list[StoredMessage]:
        """The messages at `rows`, in their order, each read once."""
        wanted = list(rows)
        missing = sorted({row for row in wanted if row not in self.read})
        if missing:
            stored = self.view.messages(np.array(missing, dtype=np.int64))
            self.read.update((each.row, each) for each in stored)
        return [self.read[row] for row in wanted if row in self.read]


class Recaller:
    """Answers questions over the views of one store. Without an embedding model it finds by words alone.

    It keeps nothing but what can be computed again: names of topics as vectors, labels of views.
    """

    def __init__(
        self, embedding: EmbeddingModel | None, *, weights: Weights = WEIGHTS, parts: Parts = ALL_PARTS
    ) -> None:
        self._meanings = Meanings(embedding) if embedding is not None and parts.meaning else None
        self._indexes = Indexes()
        self._weights = weights
        self._parts = parts

    def recall(self, view: View, question: str, *, limit: int = 10, asked_at: datetime | None = None) -> Recall:
        """At most `limit` messages that the view's asker may see, best first, and how well they answer."""
        return self.shown(self.rank(view, question, asked_at), limit)

    def explain(self, view: View, question: str, *, limit: int = 10, asked_at: datetime | None = None) -> Explanation:
        """The same recall, with what was understood and every component of every score."""
        return self.explained(self.rank(view, question, asked_at), limit)

    def shown(self, ranked: Ranked, limit: int) -> Recall:
        """The best of what was ranked, as passages."""
        passages = [passage for _, passage in _passages(ranked, limit, self._weights)]
        return Recall(passages=tuple(passages), support=self._support(ranked))

    def explained(self, ranked: Ranked, limit: int) -> Explanation:
        """The same with reasons."""
        passages, reasons = [], []
        for place, passage in _passages(ranked, limit, self._weights):
            passages.append(passage)
            reasons.append(
                Reasons(
                    message=passage.source_ids[0],
                    channel=passage.channel or "",
                    score=passage.score or 0.0,
                    components=components_at(ranked.found, place),
                )
            )
        recall = Recall(passages=tuple(passages), support=self._support(ranked))
        return Explanation(recall=recall, understood=understood(ranked.asked), reasons=tuple(reasons))

    def _support(self, ranked: Ranked) -> float:
        best = ranked.found.best(self._weights.supported_by)
        stored = ranked.messages(ranked.found.rows[best].tolist())
        parents = ranked.messages(each.parent for each in stored if each.parent is not None)
        texts = {each.row: each.message.text for each in parents}
        scores = ranked.found.scores[best].tolist()
        return round(Reader(ranked.view, ranked.asked).support(stored, texts, scores), 3)

    def rank(self, view: View, question: str, asked_at: datetime | None) -> Ranked:
        """All candidates for a question with their scores."""
        index = self._indexes.of(view)
        asked = understand(question, index.around(view.asker, asked_at))
        weights, parts = self._weights, self._parts
        asked = in_other_words(view, asked, weights) if parts.vocabulary else asked
        searches, names = self._search(view, asked, index)
        scorer = Scorer(asked, searches, _knowledge(index, names), weights, parts)
        found = scorer.score(gather(view, searches, _inside(view, asked, index, weights), weights, parts))
        more = linked(view, asked, searches, found, scorer.known, weights) if parts.expansion else None
        if more is not None:
            found = scorer.score(view.outline(union([found.rows, more.rows])), more)
        changes = turns(view, asked, found, weights) if parts.decisions else []
        if changes and len(missing := np.setdiff1d(involved(changes), found.rows)):
            found = scorer.score(view.outline(union([found.rows, missing])), more)
        ranked = self._reread(Ranked(view, index, asked, found, changes))
        if isinstance(more, Pairs):
            answering = more.answer_first(ranked.found, scorer.known)
            ranked = replace(ranked, found=ranked.found.plus({"answering": answering}))
        return self.relinked(ranked, changes)

    def _reread(self, ranked: Ranked) -> Ranked:
        """With what the notes of the best add."""
        found, asked, weights = ranked.found, ranked.asked, self._weights
        best = found.best(weights.reread)
        messages = ranked.messages(found.rows[best].tolist())
        noted = reread(asked, messages, found.scores[best], weights)
        found = found.plus({name: spread(values, best, len(found.rows)) for name, values in noted.items()})
        return replace(ranked, found=found)

    def relinked(self, ranked: Ranked, changes: Sequence[Turn]) -> Ranked:
        """The same candidates, with every decision in its order by these changes alone."""
        if not self._parts.decisions:
            return ranked
        found = ranked.found.without("decided")
        ordered = by_time(changes, found.outline)
        decided = follow(ranked.asked, found.rows, found.scores, ordered, ranked.read, self._weights)
        decided += changes_first(ranked.asked, found, found.scores + decided, self._weights)
        return replace(ranked, found=found.plus({"decided": decided}), changes=changes)

    def _search(self, view: View, asked: Asked, index: Index) -> tuple[list[Search], NDArray[np.float32] | None]:
        """The searches for the whole and for each part, and how near the names of topics are."""
        clauses = [asked.whole, *asked.clauses]
        vectors: list[NDArray[np.float32] | None] = [None] * len(clauses)
        names = None
        if self._meanings is not None and view.has_vectors and asked.whole.meaning.strip():
            whole, *asking = self._meanings.questions([clause.meaning for clause in clauses])
            others = renamings(asked, self._weights)
            asking = [self._meanings.renamed(whole, others, self._weights.vocabulary_meaning), *asking]
            vectors = [self._meanings.told(vector, self._weights.question_words) for vector in asking]
            names = self._meanings.nearness(asking[0], index.topics) if self._parts.topics else None
        searcher = Searcher(view, self._weights, self._parts)
        parts = [searcher.part(clause, vector) for clause, vector in zip(asked.clauses, vectors[1:], strict=True)]
        return [searcher.whole(asked.whole, vectors[0]), *parts], names


def _passages(ranked: Ranked, limit: int, weights: Weights) -> Iterator[tuple[int, Passage]]:
    """The passages with their places among the candidates; a message that only repeats another is named with it."""
    chosen, repeats = distinct(ranked, limit)
    writer = _writer(ranked, list(chosen.values()), weights)
    for place, stored in chosen.items():
        said = fact(stored.message)
        score = float(ranked.found.scores[place])
        yield place, writer.passage(stored, score, repeats[said] if said is not None else ())


def distinct(ranked: Ranked, limit: int) -> tuple[dict[int, StoredMessage], Mapping[tuple[str, str], list[str]]]:
    """The best messages by their places, one of those that say the same, and the ids of those that repeat one."""
    chosen: dict[int, StoredMessage] = {}
    repeats: dict[tuple[str, str], list[str]] = {}
    for place, stored in _in_order(ranked, limit):
        said = fact(stored.message)
        if said is not None and said in repeats:
            repeats[said].append(stored.message.id)
        elif len(chosen) < limit:
            chosen[place] = stored
            if said is not None:
                repeats[said] = []
        else:
            break
    return chosen, repeats


def _in_order(ranked: Ranked, limit: int) -> Iterator[tuple[int, StoredMessage]]:
    """All candidates, best first, read as they are needed."""
    order = ranked.found.best(len(ranked.found.rows))
    for start in range(0, len(order) if limit > 0 else 0, max(limit, 1)):
        some = order[start : start + limit]
        yield from zip(some.tolist(), ranked.messages(ranked.found.rows[some].tolist()), strict=True)


def _writer(ranked: Ranked, chosen: Sequence[StoredMessage], weights: Weights) -> Writer:
    links = [link for link in ranked.links if link.score >= weights.replaced_by]
    shown = {each.row for each in chosen}
    around = {each.parent for each in chosen if each.parent is not None}
    around |= {row for link in links if shown & {link.new, link.old} for row in (link.new, link.old)}
    known = {each.row: each for each in ranked.messages(sorted(around))}
    return Writer(known, links, ranked.index.directory)


def _inside(view: View, asked: Asked, index: Index, weights: Weights) -> Iterator[Rows]:
    """The messages of the phases that a question names, unless there are too many."""
    for phase in sorted(asked.whole.phases):
        members = view.members("phase", index.phases[phase])
        if len(members) <= weights.phase_most:
            yield members


def _knowledge(index: Index, names: NDArray[np.float32] | None) -> Knowledge:
    return Knowledge(
        authors=index.authors,
        roles=index.roles,
        channels=index.channels,
        phases=index.phases,
        spoken_of=index.spoken_of,
        topic_names=names,
    )
