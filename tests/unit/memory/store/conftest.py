"""A store in a folder of the test's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupmem.memory.store.sqlite import SqliteStore
from groupmem.models.base import EmbeddingModel
from support.memory_store import Opener, open_store


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "team.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Opener]:
    """A function that opens the test's memory, any number of times; all are closed at the end."""
    stores: list[SqliteStore] = []

    def open_again(embedding: EmbeddingModel | None = None, workspace: str = "default") -> SqliteStore:
        stores.append(open_store(path, embedding, workspace))
        return stores[-1]

    yield open_again
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Opener) -> SqliteStore:
    """A memory without vectors."""
    return opened()
