"""An inverted index in numpy: which documents hold a term, and what each occurrence weighs.

Terms and documents are numbered in the order in which they first appear. Every occurrence is one 64-bit key, the term
in the upper half and the document in the lower; sorted, the keys are the posting lists one behind the other. Adding
documents merges two sorted runs, so a conversation that grows between questions stays cheap to index.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
DOCUMENT_BITS = 32


class Postings(NamedTuple):
    """All postings, sorted by term and then document: one entry for each pair of a term and a document that holds it.

    `counts` says how often the document holds the term, `lengths` how many tokens the document has; both are parallel
    to `documents`. `document_frequencies` has one entry a term. `mean_length` is over all documents, also empty ones.
    """

    documents: Integers
    counts: Integers
    lengths: Integers
    document_frequencies: Integers
    document_count: int
    mean_length: float


Weighting = Callable[[Postings], Floats]
"""What each posting adds to the score of its document, parallel to `Postings.documents`."""


class InvertedIndex:
    """Scores documents as the sum of the weights of the query's terms; a term that is asked twice counts twice."""

    def __init__(self, weighting: Weighting, normalise: Callable[[str], str] | None = None) -> None:
        self._weighting = weighting
        self._terms = _Terms(normalise)
        self._lengths = array("q")
        self._occurrences = np.empty(0, dtype=np.int64)
        self._documents = self._occurrences
        self._weights = np.empty(0, dtype=np.float64)
        self._starts = np.zeros(1, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, documents: Iterable[Sequence[str]]) -> None:
        """Takes further documents in, each a sequence of tokens, and weighs all postings anew."""
        first = len(self._lengths)
        terms = array("q")
        for tokens in documents:
            terms.extend(map(self._terms.__getitem__, tokens))
            self._lengths.append(len(tokens))
        lengths = np.array(self._lengths, dtype=np.int64)
        numbers = np.repeat(np.arange(first, len(lengths)), lengths[first:])
        added = np.sort(np.array(terms, dtype=np.int64) << DOCUMENT_BITS | numbers)
        self._occurrences = np.sort(np.concatenate([self._occurrences, added]), kind="stable")
        self._weigh(lengths)

    def _weigh(self, lengths: Integers) -> None:
        firsts = _run_starts(self._occurrences)
        keys = self._occurrences[firsts]
        self._documents = keys & (1 << DOCUMENT_BITS) - 1
        frequencies = np.bincount(keys >> DOCUMENT_BITS, minlength=len(self._terms.numbers))
        self._starts = np.concatenate([[0], np.cumsum(frequencies)])
        postings = Postings(
            documents=self._documents,
            counts=np.diff(firsts, append=len(self._occurrences)),
            lengths=lengths[self._documents],
            document_frequencies=frequencies,
            document_count=len(lengths),
            mean_length=int(lengths.sum()) / max(len(lengths), 1),
        )
        self._weights = self._weighting(postings)

    def scores(self, tokens: Iterable[str]) -> Floats:
        """One score a document, 0 where it holds none of the tokens."""
        scores = np.zeros(len(self._lengths))
        for token in tokens:
            term = self._terms.find(token)
            if term is not None:
                span = slice(self._starts[term], self._starts[term + 1])
                scores[self._documents[span]] += self._weights[span]
        return scores


class _Terms(dict[str, int]):
    """The number of every token seen. Each distinct token is normalised (stemmed) once, so it costs next to nothing."""

    def __init__(self, normalise: Callable[[str], str] | None) -> None:
        self._normalise = normalise
        self.numbers: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = self._normalise(token) if self._normalise else token
        number = self.numbers.setdefault(term, len(self.numbers))
        self[token] = number
        return number

    def find(self, token: str) -> int | None:
        """The number of a token of a query; None where no document holds its term."""
        return self.numbers.get(self._normalise(token) if self._normalise else token)


def _run_starts(ordered: Integers) -> Integers:
    """Where a new value begins in sorted values."""
    if not len(ordered):
        return np.empty(0, dtype=np.int64)
    return np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1])
