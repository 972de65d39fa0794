"""Ingest: hands a system its messages and waits until they can be found, with the clock running."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from groupmem.files import writing
from groupmem.lab.runs.cell import Cell
from groupmem.lab.runs.kept.cache import Kept
from groupmem.types import Message


def open_store(cell: Cell, kept: Kept | None = None) -> Path:
    """The system's folder: what was kept of an ingest, or empty, unless the system can go on in one where an earlier
    process was cut off.

    Such a system is handed all messages again, from the first, and leaves out those it holds.
    """
    store = cell.folder.store_path(cell.unit, cell.row.name)
    with writing(store):
        if kept is not None:
            store.parent.mkdir(parents=True, exist_ok=True)
            kept.copy_store(store)
            return store
        if store.exists() and not cell.row.traits.resumable:
            shutil.rmtree(store)
        store.mkdir(parents=True, exist_ok=True)
    return store


def ingest(cell: Cell, messages: Sequence[Message]) -> None:
    """Takes messages in. The record says "ingesting" before the first and "ingested" only when all can be found."""
    if not messages:
        return
    if cell.record.status != "ingesting":
        cell.update(status="ingesting")
    started = time.perf_counter()
    cell.row.ingest(messages)
    cell.row.settle()
    seconds = time.perf_counter() - started
    cell.update(
        status="ingested",
        messages=cell.record.messages + len(messages),
        ingest_seconds=cell.record.ingest_seconds + seconds,
    )


def discard_store(cell: Cell) -> None:
    """Removes what the system made. Where model calls were refused, nobody knows what is missing in it."""
    shutil.rmtree(cell.folder.store_path(cell.unit, cell.row.name), ignore_errors=True)


def store_size(cell: Cell) -> int:
    """Bytes of all files that the system keeps, as `du -sb` counts them but without the folders' own."""
    store = cell.folder.store_path(cell.unit, cell.row.name)
    return sum(path.lstat().st_size for path in store.rglob("*") if not path.is_dir())
