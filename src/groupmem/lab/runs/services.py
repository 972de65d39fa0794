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

    def embedding(self, name: str) -> EmbeddingModel:
        """Opened with the first text: a system that never embeds loads nothing."""
        return _CellEmbedding(name, lambda: self._models.embedding(name, self._account()))

    def chat(self, name: str) -> ChatModel:
        """A chat model for a system that has one of its own. Raises InputError for a name that is no model."""
        return _CellChat(name, lambda: self._models.chat(name, self._account()))

    def _account(self) -> Account:
        return Account(run=self._run, cell=self._cell, phase=self.phase)


class _CellEmbedding:
    def __init__(self, name: str, opened: Callable[[], EmbeddingModel]) -> None:
        self.name = name
        self._opened = opened

    @property
    def dimensions(self) -> int:
        return self._opened().dimensions

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "passage"]) -> Vectors:
        return self._opened().embed(texts, kind=kind)


class _CellChat:
    def __init__(self, name: str, opened: Callable[[], ChatModel]) -> None:
        self.name = name
        self._opened = opened

    def complete(self, request: ChatRequest) -> ChatReply:
        return self._opened().complete(request)
