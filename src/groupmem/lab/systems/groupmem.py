"""The engine of this project as a row of the lab. Each part of its recall can be switched off, to see what it adds."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from groupmem.lab.systems.base import BaseSystem, Capabilities, Setting
from groupmem.lab.systems.dense import EMBEDDING, embedding_of
from groupmem.lab.systems.options import Option, resolve_options
from groupmem.memory import GroupMemory
from groupmem.memory.recall import Parts
from groupmem.types import Message, Recall

_PARTS = {
    "meaning": "comparison by meaning, beside words",
    "context": "what a message answers, and its labels, as words of it",
    "threads": "answers, what they answer, and neighbours",
    "topics": "names of topics, and the best of a topic or thread",
    "priors": "people, roles, places and times that the question names",
    "expansion": "rare words of the best messages, as a second hop",
    "vocabulary": "what others say for the words of the asker's role",
    "decisions": "decisions in their order",
}


class GroupMem(BaseSystem):
    """GroupMemory: threads, topics, decisions and who asks, over words and meaning; channels keep their members."""

    capabilities = Capabilities(visibility=True, resumable=True)
    options = (
        EMBEDDING,
        *(Option(name=name, default="on", summary=what, choices=("on", "off")) for name, what in _PARTS.items()),
    )

    def open(self, setting: Setting) -> None:
        options = resolve_options(setting.options, self.options, owner="groupmem")
        parts = Parts(**{name: options[name] == "on" for name in _PARTS})
        self._open = ExitStack()
        folder = setting.store_dir or Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        embedding = embedding_of(setting, "groupmem") if parts.meaning else None
        self._memory = self._open.enter_context(GroupMemory(folder / "memory.db", embedding=embedding, parts=parts))
        self._memory.set_people(setting.people)
        self._memory.set_channels(setting.channels)

    def ingest(self, messages: Sequence[Message]) -> None:
        self._memory.add(messages)

    def settle(self) -> None:
        self._memory.flush()

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        return self._memory.recall(question, asker=asker, limit=limit, asked_at=asked_at)

    def close(self) -> None:
        self._open.close()
