"""The package, out of its checkout, with embeddings that come from the gateway."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from groupmem_absent import absent
from openai import OpenAI

TEXTS_PER_REQUEST = 256


class Encoder:
    """What the package uses of `SentenceTransformer`, over the OpenAI API that the environment variables name."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._client = OpenAI()

    def encode(self, texts: Sequence[str], **_: object) -> np.ndarray:
        """Rows of unit length, float32, one a text."""
        parts = [texts[start : start + TEXTS_PER_REQUEST] for start in range(0, len(texts), TEXTS_PER_REQUEST)]
        replies = [self._client.embeddings.create(input=list(part), model=self._model) for part in parts]
        return np.array([item.embedding for reply in replies for item in reply.data], dtype=np.float32)


def open_memory(gateway: Mapping[str, Any], consolidate_every: int) -> Any:
    """An empty `AgenticMemorySystem` that calls the models of the gateway."""
    os.environ["OPENAI_BASE_URL"] = gateway["base_url"]
    os.environ["OPENAI_API_KEY"] = gateway["api_key"]
    layer = _memory_layer()
    memory = layer.AgenticMemorySystem(
        model_name=gateway["embedding_model"],
        llm_model=gateway["chat_model"],
        evo_threshold=consolidate_every,
        api_key=gateway["api_key"],
    )
    make_index = layer.SimpleEmbeddingRetriever.load_from_local_memory

    def consolidate() -> None:
        """The same documents as the package's own consolidation makes, embedded many at once and not one by one."""
        memory.retriever = make_index(memory.memories, gateway["embedding_model"])

    memory.consolidate_memories = consolidate
    return memory


def _memory_layer() -> ModuleType:
    absent("litellm", "nltk.tokenize", "rank_bm25", "sentence_transformers", "transformers")
    sys.modules["sentence_transformers"].SentenceTransformer = Encoder  # type: ignore[attr-defined]
    sys.path.insert(0, os.environ["GROUPMEM_CHECKOUT"])
    import memory_layer

    return memory_layer
