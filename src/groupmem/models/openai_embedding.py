"""Embedding models over HTTP (`/v1/embeddings`)."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groupmem.models.base import Account, Vectors
from groupmem.models.calling import Call, Endpoint, Reading, Sender
from groupmem.models.retry import SendFailure, unreadable
from groupmem.models.wire import Body, sendable
from groupmem.text import count_tokens

MOST_TOKENS = 8_191
"""A longer text is cut to this many cl100k tokens: the limit of the text-embedding models."""

TEXTS_PER_CALL = 64
"""Texts that go out in one call, at most."""

_TOKENS_PER_CALL = 100_000
_LENGTHS = {"text-embedding-3-large": 3_072, "text-embedding-3-small": 1_536, "text-embedding-ada-002": 1_536}


class OpenAIEmbedding:
    """An embedding model over an endpoint. A query and a passage are embedded alike.

    Texts go out in batches of at most 64 texts and 100,000 tokens, so the same list makes the same calls again. A text
    over the limit is embedded in its first part, and counted in the log; an empty one is sent as a space.
    """

    def __init__(self, endpoint: Endpoint, sender: Sender, account: Account) -> None:
        self._endpoint = endpoint
        self._sender = sender
        self._account = account
        self._dimensions = _LENGTHS.get(endpoint.target.runs)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._endpoint.target.name

    @property
    def dimensions(self) -> int:
        """Length of the vectors. For a model that is not known it takes one call the first time."""
        with self._lock:
            if self._dimensions is None:
                self._dimensions = self._send(["length"], truncated=0).shape[1]
            return self._dimensions

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        """(n, dimensions) float32 rows of unit length. Raises ModelError or BudgetError."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        sent = [sendable(text) or " " for text in texts]
        return np.concatenate([self._embed_batch(batch) for batch in _batches(sent)])

    def _embed_batch(self, texts: list[str]) -> Vectors:
        """Where the server finds a text too long, halves are sent until only that text is left, and then cut."""
        cut = [_first_tokens(text) for text in texts]
        truncated = sum(short != text for short, text in zip(cut, texts, strict=True))
        try:
            return self._send(cut, truncated)
        except SendFailure as failure:
            if not failure.too_long or (len(texts) == 1 and len(texts[0]) < 2):
                raise
        if len(texts) == 1:
            return self._send_shorter(cut[0])
        half = len(texts) // 2
        return np.concatenate([self._embed_batch(texts[:half]), self._embed_batch(texts[half:])])

    def _send_shorter(self, text: str) -> Vectors:
        """The vector of as much of the beginning as the server takes, by halving."""
        while True:
            text = text[: len(text) // 2]
            try:
                return self._send([text], truncated=1)
            except SendFailure as failure:
                if not failure.too_long or len(text) < 2:
                    raise

    def _send(self, texts: list[str], truncated: int) -> Vectors:
        body = {
            "model": self._endpoint.target.model,
            "input": texts,
            "encoding_format": "base64",  # a quarter of the bytes; servers that do not know it send lists
        }
        call = Call(kind="embedding", body=body, account=self._account, truncated_inputs=truncated)
        vectors, _ = self._sender.call(self._endpoint, call, lambda reply: Reading(_read_vectors(reply, len(texts))))
        return vectors


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = min(count_tokens(text, "cl100k_base"), MOST_TOKENS)
        if batch and (len(batch) == TEXTS_PER_CALL or tokens + size > _TOKENS_PER_CALL):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    yield batch


def _first_tokens(text: str) -> str:
    """The longest beginning that proportion finds within the limit; the text itself where it fits."""
    while (tokens := count_tokens(text, "cl100k_base")) > MOST_TOKENS:
        text = text[: min(len(text) - 1, len(text) * MOST_TOKENS // tokens)]
    return text


def _read_vectors(body: Body, count: int) -> Vectors:
    """Unit rows in the order of the texts. Raises a retryable SendFailure for anything but `count` good vectors."""
    data = body.get("data")
    if not isinstance(data, list) or len(data) != count or not all(isinstance(item, Mapping) for item in data):
        raise unreadable(f"it does not hold {count} embeddings")
    indices = [item.get("index", position) for position, item in enumerate(data)]
    if not all(isinstance(index, int) for index in indices) or sorted(indices) != list(range(count)):
        raise unreadable("its embeddings do not say which text they belong to")
    rows = [
        _read_vector(item.get("embedding")) for _, item in sorted(zip(indices, data, strict=True), key=itemgetter(0))
    ]
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise unreadable("its embeddings differ in length or are empty")
    matrix = np.stack(rows)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.all(np.isfinite(norms)) or not np.all(norms > 0):
        raise unreadable("an embedding in it is zero or not a number")
    return np.asarray(matrix / norms, dtype=np.float32)


def _read_vector(value: Any) -> NDArray[np.float32]:
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        return np.asarray(value, dtype=np.float32).reshape(-1)
    except (binascii.Error, ValueError, TypeError) as error:
        raise unreadable(f"an embedding in it is no list of numbers ({error})") from error
