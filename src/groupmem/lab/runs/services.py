"""The models that a cell may call, each call booked on the cell and on what the cell is doing at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from groupmem.lab.runs.attached.base import Template
from groupmem.lab.runs.attached.pool import CellDatabases, ServicePool
from groupmem.lab.runs.gateway import CellGateway, QuestionCalls, RunGateway
from groupmem.lab.systems.base import GatewayAccess, Need
from groupmem.models.base import Account, CellPhase, ChatModel, ChatReply, ChatRequest, EmbeddingModel, Vectors
from groupmem.models.session import Models


class CellServices:
    """Hands out models to the system of one cell. The recall stage says what the cell is doing (`during`)."""

    def __init__(self, models: Models, *, run: str, cell: str) -> None:
        self.phase: CellPhase = "ingest"
        self._gateway: CellGateway | None = None
        self._databases: CellDatabases | None = None
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

    def gateway(self, gateway: RunGateway, *, chat: str | None, embedding: str | None) -> GatewayAccess:
        """The same models for a system that calls them over HTTP. Raises as `RunGateway.open_cell` does."""
        self._gateway = gateway.open_cell(self._cell, chat=chat, embedding=embedding)
        return self._gateway.access

    def databases(
        self,
        pool: ServicePool,
        needs: Sequence[Need],
        template: Template | None = None,
        dumped: Path | None = None,
    ) -> dict[Need, str]:
        """URLs of databases for those of the needs that are one: with what was `dumped` to this folder, else copied of
        the template, else empty. Raises as `ServicePool.open_cell` does."""
        self._databases = pool.open_cell(needs, template, dumped)
        return self._databases.urls

    def dump(self, folder: Path) -> None:
        """Writes the databases to a folder, each to a file of its need's name. Raises SystemFailure."""
        if self._databases is not None:
            self._databases.dump(folder)

    def stored_bytes(self) -> int:
        """What the system keeps in its databases."""
        return self._databases.size_bytes() if self._databases is not None else 0

    @contextmanager
    def during(self, phase: CellPhase) -> Iterator[None]:
        """Books the calls of the block on `phase`. What went wrong with those over the gateway is raised at its end, as
        `CellGateway.during` has it, whatever the system made of it."""
        self.phase = phase
        if self._gateway is None:
            yield
        else:
            with self._gateway.during(phase):
                yield

    @contextmanager
    def question(self) -> Iterator[QuestionCalls | None]:
        """Books the calls of the block on the answer to one question; None where they go over no gateway. Several
        threads may be in one at a time. Raises at its end as `during` does."""
        self.phase = "answer"
        if self._gateway is None:
            yield None
        else:
            with self._gateway.question() as calls:
                yield calls

    @property
    def stopped(self) -> bool:
        """Whether calls over the gateway were refused, so that what was ingested since has holes."""
        return self._gateway is not None and self._gateway.stopped

    @property
    def lost_in_ingest(self) -> int:
        """Calls over the gateway that were never answered while the system ingested, also where it was interrupted:
        what was made then lacks something."""
        return self._gateway.lost_in_ingest if self._gateway is not None else 0

    def notes(self) -> tuple[str, ...]:
        """What the record of the cell says of its calls over the gateway."""
        return self._gateway.notes() if self._gateway is not None else ()

    def close(self) -> None:
        if self._databases is not None:
            self._databases.close()
        if self._gateway is not None:
            self._gateway.close()

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
