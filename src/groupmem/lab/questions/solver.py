"""The solver: a memory system of the lab that has read the whole conversation."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from groupmem.lab.runs.rows import Found, SystemRow
from groupmem.lab.runs.services import CellServices
from groupmem.lab.runs.timeline import Timeline
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system
from groupmem.models.session import Models
from groupmem.types import Conversation, Question

CELL = "questions/solver"


class Solver:
    """An open system. Its store lies in a folder that is removed when it is closed."""

    def __init__(self, spec: str, conversation: Conversation, models: Models, seed: int = 0) -> None:
        """Raises UnknownNameError or InputError for the spec, and what the system raises while it takes messages in."""
        opened = create_system(spec)
        services = CellServices(models, run="questions", cell=CELL)
        self._lock = threading.Lock()
        self._row = SystemRow(spec, opened.system)
        self._folder = tempfile.TemporaryDirectory(prefix="groupmem-solver-")
        self._row.open(
            Setting(
                people=conversation.people,
                channels=conversation.channels,
                store_dir=Path(self._folder.name),
                embedding=services.embedding(opened.embedding) if opened.embedding else None,
                chat=services.chat(opened.chat) if opened.chat else None,
                options=opened.options,
                seed=seed,
            )
        )
        self._row.ingest(Timeline(conversation).messages)
        self._row.settle()
        services.phase = "recall"

    def recall(self, question: Question, limit: int) -> Found:
        """What the system finds, asked by one thread at a time; raises SystemFailure where it breaks its contract."""
        with self._lock:
            return self._row.recall(question, limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._row.close()
        self._folder.cleanup()
