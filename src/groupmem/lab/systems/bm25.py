"""BM25 in the three forms that published tables use."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence

import numpy as np

from groupmem import text
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.inverted_index import Floats, InvertedIndex, Postings, Weighting
from groupmem.lab.systems.options import Option
from groupmem.lab.systems.ranked import Positions, RankedSystem, Ranker, Ranking, best_first
from groupmem.types import Message

K1 = Option(name="k1", default="1.5", summary="how slowly repeats of a word stop counting", bounds=(0, 100))
B = Option(name="b", default="0.75", summary="how much long messages are held back", bounds=(0, 1))
ASKER = Option(name="asker", default="on", summary="whether the asker's id is part of the query", choices=("on", "off"))


def lucene(k1: float, b: float) -> Weighting:
    """idf · tf / (tf + k1 · (1 - b + b · length / mean length)), with idf = ln(1 + (N - df + .5) / (df + .5)).

    Source: Kamphuis et al., "Which BM25 do you mean?" (ECIR 2020), the row "Lucene (accurate)".
    """

    def weigh(postings: Postings) -> Floats:
        df = postings.document_frequencies
        idf = np.log1p((postings.document_count - df + 0.5) / (df + 0.5))
        return np.repeat(idf, df) * postings.counts / (postings.counts + _norms(postings, k1, b))

    return weigh


def okapi(k1: float, b: float, epsilon: float) -> Weighting:
    """idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length)), with idf = ln(N - df + .5) - ln(df + .5).

    A negative idf (a term of more than half of the documents) is replaced by epsilon times the mean idf of all terms,
    the floor of the rank-bm25 package, whose order of operations is kept so that its ties are ties here.
    """

    def weigh(postings: Postings) -> Floats:
        idf = _okapi_idf(postings, epsilon)
        saturation = postings.counts * (k1 + 1) / (postings.counts + _norms(postings, k1, b))
        return np.repeat(idf, postings.document_frequencies) * saturation

    return weigh


def _okapi_idf(postings: Postings, epsilon: float) -> Floats:
    values, places = np.unique(postings.document_frequencies, return_inverse=True)
    of_value = [math.log(postings.document_count - df + 0.5) - math.log(df + 0.5) for df in values.tolist()]
    idf = np.array(of_value, dtype=np.float64)[places]
    floor = epsilon * math.fsum(idf) / max(len(idf), 1)
    return np.where(idf < 0, floor, idf)


def _norms(postings: Postings, k1: float, b: float) -> Floats:
    """The part of the denominator that depends on the length. Where the mean is 0 there are no postings to weigh."""
    lengths = postings.lengths.astype(np.float64)
    return k1 * (1 - b + b * lengths / (postings.mean_length or 1))


class LexicalRanker:
    """Ranks by an inverted index. Messages that share no word with the query are not ranked."""

    def __init__(self, weighting: Weighting, *, normalise: Callable[[str], str] | None = None, asker: bool) -> None:
        self._index = InvertedIndex(weighting, normalise)
        self._asker = asker

    def add(self, messages: Sequence[Message]) -> None:
        self._index.add(text.words(message.text) for message in messages)

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        query = with_asker(question, asker) if self._asker else question
        scores = self._index.scores(text.words(query))
        positions = best_first(scores, limit)
        positions = positions[scores[positions] > 0]
        return Ranking(positions, scores[positions])


class PublishedRanker:
    """The BM25 baseline of GroupMemBench as published: every message has a rank, also with a score of zero.

    The index is in the order of (channel, timestamp, id) compared as text, which decides ties.
    """

    def __init__(self) -> None:
        self._index = InvertedIndex(okapi(k1=1.5, b=0.75, epsilon=0.25))
        self._keys: list[tuple[str, str, str]] = []
        self._order: Positions = np.empty(0, dtype=np.intp)

    def add(self, messages: Sequence[Message]) -> None:
        self._index.add(text.ascii_words(html.unescape(message.text).strip()) for message in messages)
        self._keys += [_published_key(message) for message in messages]
        self._order = np.array(sorted(range(len(self._keys)), key=self._keys.__getitem__), dtype=np.intp)

    def rank(self, question: str, asker: str | None, limit: int) -> Ranking:
        tokens = text.ascii_words(with_asker(question, asker))
        if not tokens:
            return Ranking(self._order[:0], np.empty(0))
        scores = self._index.scores(tokens)
        positions = self._order[best_first(scores[self._order], limit)]
        return Ranking(positions, scores[positions])


def _published_key(message: Message) -> tuple[str, str, str]:
    return message.channel, message.sent_at.isoformat() if message.sent_at else "", message.id


def with_asker(question: str, asker: str | None) -> str:
    """The query of GroupMemBench's retrieval baselines: the asker's id, a space, the question."""
    return f"{asker} {question}" if asker else question


class Bm25(RankedSystem):
    """BM25 (Lucene's form) over lower-cased words; the query is the asker and the question."""

    options = (K1, B, ASKER)

    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        return LexicalRanker(lucene(float(options["k1"]), float(options["b"])), asker=options["asker"] == "on")


class Bm25Stemmed(RankedSystem):
    """BM25 (Lucene's form) over stems of English words; the query is the asker and the question."""

    options = (K1, B, ASKER)

    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        weighting = lucene(float(options["k1"]), float(options["b"]))
        return LexicalRanker(weighting, normalise=text.stemmer(), asker=options["asker"] == "on")


class Bm25Okapi(RankedSystem):
    """The published GroupMemBench baseline: rank-bm25's Okapi form over ASCII words, with its defaults."""

    def make_ranker(self, setting: Setting, options: dict[str, str]) -> Ranker:
        return PublishedRanker()
