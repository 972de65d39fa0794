"""The scratchpad: notes on every exchange, made shorter whenever they have grown too long, and read by parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from groupmem.lab.systems.light.asking import Asker, side_by_side
from groupmem.lab.systems.light.pairs import CHARS_PER_TOKEN, Pair
from groupmem.models.base import ChatReply, EmbeddingModel
from groupmem.types import Usage

NOTE_TOKENS = 1_024
"""Cap on the notes of one exchange."""

GROWN_TIMES = 2
"""The notes are made shorter when they are longer than so many times what they may be then."""

BREAK_PERCENTILE = 80
"""Between two sentences whose distance is above this percentile of all, a part ends."""

KEEP_TOKENS = 16
_NOTHING = re.compile(r"\W*none\W*", re.IGNORECASE)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|\n+")


class Scratchpad:
    """Notes of at most `tokens` after they were made shorter, as the source reckons tokens."""

    def __init__(self, asker: Asker, embedding: EmbeddingModel, tokens: int) -> None:
        self._asker = asker
        self._embedding = embedding
        self._tokens = tokens
        self.text = ""

    def add(self, pairs: Sequence[Pair]) -> None:
        """One chat call an exchange, and one each time the notes have grown too long. Raises what the model raises."""
        text = self.text
        for notes in side_by_side(self._notes, pairs):
            text = f"{text}\n\n{notes}".strip() if notes else text
            if len(text) / CHARS_PER_TOKEN > GROWN_TIMES * self._tokens:
                text = self._compressed(text)
        self.text = text

    def read(self, question: str) -> tuple[list[str], Usage]:
        """The parts that a model says help to answer, in their order, and what asking took: one call a part."""
        parts = split_by_meaning(self.text, self._embedding)

        def judged(part: str) -> ChatReply:
            return self._asker.ask("keep", f"{question}\n{part}", max_tokens=KEEP_TOKENS, question=question, notes=part)

        replies = side_by_side(judged, parts)
        kept = [part for part, reply in zip(parts, replies, strict=True) if _YES.match(reply.text)]
        return kept, sum((reply.usage for reply in replies), Usage())

    def _notes(self, pair: Pair) -> str:
        quoted = f"{pair.history}\n{pair.text}"
        reply = self._asker.ask("notes", quoted, max_tokens=NOTE_TOKENS, history=pair.history, exchange=pair.text)
        return "" if _NOTHING.fullmatch(reply.text) else reply.text.strip()

    def _compressed(self, text: str) -> str:
        """The notes anew; where the model gives none, the end of the old ones that fits."""
        reply = self._asker.ask("compress", text, max_tokens=self._tokens, notes=text, tokens=self._tokens)
        return reply.text.strip() or text[-int(self._tokens * CHARS_PER_TOKEN) :]


def split_by_meaning(text: str, embedding: EmbeddingModel) -> list[str]:
    """The text in parts of sentences that belong together.

    Every sentence is embedded with its two neighbours; a part ends where the distance to the next is above the
    `BREAK_PERCENTILE` of all distances (LangChain's SemanticChunker, as the source uses it).
    """
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    if len(sentences) < 3:
        return [" ".join(sentences)] if sentences else []
    windows = [" ".join(sentences[max(0, place - 1) : place + 2]) for place in range(len(sentences))]
    vectors = embedding.embed(windows, kind="passage")
    distances = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    limit = np.percentile(distances, BREAK_PERCENTILE)
    parts = [[sentences[0]]]
    for sentence, distance in zip(sentences[1:], distances, strict=True):
        if distance > limit:
            parts.append([])
        parts[-1].append(sentence)
    return [" ".join(part) for part in parts]
