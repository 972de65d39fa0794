"""The models that a cell may call, each call booked on the cell and on what the cell is doing at that moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from groupmem.models.base import Account, ChatModel, ChatReply, ChatRequest, EmbeddingModel, Vectors
from groupmem.models.session import Models

CellPhase = Literal["ingest", "recall"]


class CellServices:
    """Hands out models to the system of one cell. The recall stage sets `phase` as the cell goes on."""

    def __init__(self, models: Models, *, run: str, cell: str) -> None:
        self.phase: CellPhase = "ingest"
        self._models = models
        self._run = run
        self._cell = cell
        self._embeddings: dict[tuple[str, CellPhase], EmbeddingModel] = {}
        self._chats: dict[tuple[str, CellPhase], ChatModel] = {}

    def embedding(self, name: str) -> EmbeddingModel:
        """Opened with the first text: a system that never embeds loads nothing."""
        return _CellEmbedding(name, lambda: self._open_embedding(name))

    def chat(self, name: str) -> ChatModel:
        """A chat model for a system that calls one. Opened with the first call."""
        return _CellChat(name, lambda: self._open_chat(name))

    def _open_embedding(self, name: str) -> EmbeddingModel:
        key = (name, self.phase)
        if key not in self._embeddings:
            self._embeddings[key] = self._models.embedding(name, self._account())
        return self._embeddings[key]

    def _open_chat(self, name: str) -> ChatModel:
        key = (name, self.phase)
        if key not in self._chats:
            self._chats[key] = self._models.chat(name, self._account())
        return self._chats[key]

    def _account(self) -> Account:
        return Account(run=self._run, cell=self._cell, phase=self.phase)


class _CellEmbedding:
    """An embedding model that is opened for the phase in which it is used."""

    def __init__(self, name: str, opened: Callable[[], EmbeddingModel]) -> None:
        self.name = name
        self._opened = opened

    @property
    def dimensions(self) -> int:
        return self._opened().dimensions

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        return self._opened().embed(texts, kind=kind)


class _CellChat:
    """A chat model that is opened for the phase in which it is used."""

    def __init__(self, name: str, opened: Callable[[], ChatModel]) -> None:
        self.name = name
        self._opened = opened

    def complete(self, request: ChatRequest) -> ChatReply:
        return self._opened().complete(request)
