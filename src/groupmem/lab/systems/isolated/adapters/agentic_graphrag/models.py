"""The models of the package, all reached over the gateway; each kind of call is a step of its own there."""

from __future__ import annotations

import os
from functools import cached_property

import bpe_openai
from agrag.agents.settings import AgentLLMSettings
from agrag.chunking import Chunker
from agrag.embedding.base import Embedder
from agrag.ingestion.extract import BAMLExtractor, ExtractionLLMSettings
from agrag.llm.client_config import LLMClientConfig
from chonkie import RecursiveChunker
from chonkie.tokenizer import Tokenizer
from openai import AsyncOpenAI

TEXTS_PER_CALL = 64
_MIN_CHARACTERS_PER_PIECE = 24


class GatewayEmbedder(Embedder):
    """The package's own embedders load weights; this one asks the gateway, for up to 64 texts at a time."""

    def __init__(self, gateway):
        self.model = gateway["embedding_model"]
        self._dimensions = gateway["dimensions"]
        self._client = AsyncOpenAI(base_url=gateway["base_url"], api_key=gateway["api_key"], max_retries=0)

    async def dimensions(self):
        return self._dimensions

    async def embed(self, texts):
        vectors = []
        for start in range(0, len(texts), TEXTS_PER_CALL):
            part = list(texts[start : start + TEXTS_PER_CALL])
            reply = await self._client.embeddings.create(model=self.model, input=part)
            vectors += [item.embedding for item in reply.data]
        return vectors


class OfflineTokenizer(Tokenizer):
    """o200k without the download that the package's own tokenizer needs.

    A token that is part of a character is given together with the others of that character: texts that have no spaces
    are cut between tokens, and must not be cut within a character.
    """

    def __init__(self):
        super().__init__()
        self._encoding = bpe_openai.get_encoding("o200k_base")

    def __repr__(self):
        return "o200k_base"

    def tokenize(self, text):
        pieces, held = [], b""
        for token in self._encoding.encode_ordinary(text):
            held += self._encoding.decode_single_token_bytes(token)
            try:
                pieces.append(held.decode())
            except UnicodeDecodeError:
                continue
            held = b""
        return pieces

    def encode(self, text):
        return self.tokenize(text)

    def decode(self, tokens):
        return "".join(tokens)

    def count_tokens(self, text):
        return len(self._encoding.encode_ordinary(text))


class OfflineChunker(Chunker):
    """The package's chunker over the same tokens."""

    @cached_property
    def _count(self):
        return OfflineTokenizer().count_tokens

    @cached_property
    def _splitter(self):
        return RecursiveChunker(
            tokenizer=OfflineTokenizer(), chunk_size=self.size, min_characters_per_chunk=_MIN_CHARACTERS_PER_PIECE
        )


def extractor(gateway):
    """What reads entities and relations out of passages. Resolution reads its own settings from the environment."""
    os.environ["LLM_BASE_URL"] = step_url(gateway, "resolution")
    os.environ["LLM_API_KEY"] = gateway["api_key"]
    os.environ["LLM_MODEL_ID"] = gateway["chat_model"]
    return BAMLExtractor(settings=ExtractionLLMSettings(clients=[_client(gateway, "extraction")]))


def agent_llm(gateway):
    return AgentLLMSettings(clients=[_client(gateway, "agent")])


def step_url(gateway, step):
    """The base URL whose calls are booked on a step of the phase."""
    return f"{gateway['base_url'].removesuffix('/v1')}/{step}/v1"


def _client(gateway, step):
    return LLMClientConfig(
        name=step,
        provider="openai-generic",
        model=gateway["chat_model"],
        api_key=gateway["api_key"],
        base_url=step_url(gateway, step),
    )
