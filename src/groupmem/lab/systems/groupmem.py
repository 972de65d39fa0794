"""The engine of this project as a row of the lab. Each part of its recall can be switched off, to see what it adds."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from groupmem.errors import InputError
from groupmem.lab.systems.base import BaseSystem, Capabilities, Setting
from groupmem.lab.systems.dense import EMBEDDING, embedding_of
from groupmem.lab.systems.options import NO_CHAT, Option, resolve_options
from groupmem.memory import GroupMemory
from groupmem.memory.assistance import ASSISTANCE, PROMPT_NAMES, Assistance
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


_ASSISTANCE = {
    "decompose": "with a chat model: questions that need several messages are broken down",
    "rerank": "with a chat model: the best thirty candidates are put in its order",
    "verify": "with a chat model: it confirms what replaced what",
}
_DEFAULTS = {name: "on" if getattr(ASSISTANCE, name) else "off" for name in _ASSISTANCE}
CHAT = Option(name="chat", default=NO_CHAT, summary="a chat model that helps at recall", ingest=False)


class GroupMem(BaseSystem):
    """GroupMemory: threads, topics, decisions and who asks, over words and meaning; channels keep their members."""

    capabilities = Capabilities(visibility=True, resumable=True)
    options = (
        EMBEDDING,
        *(Option(name=name, default="on", summary=what, choices=("on", "off")) for name, what in _PARTS.items()),
        CHAT,
        *(
            Option(name=name, default=_DEFAULTS[name], summary=what, choices=("on", "off"), ingest=False)
            for name, what in _ASSISTANCE.items()
        ),
    )
    prompt_names = PROMPT_NAMES

    def open(self, setting: Setting) -> None:
        options = resolve_options(setting.options, self.options, owner="groupmem")
        parts = Parts(**{name: options[name] == "on" for name in _PARTS})
        assistance = _assistance(options, has_chat=setting.chat is not None)
        self._open = ExitStack()
        folder = setting.store_dir or Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        embedding = embedding_of(setting, "groupmem") if parts.meaning else None
        self._memory = self._open.enter_context(
            GroupMemory(
                folder / "memory.db",
                embedding=embedding,
                parts=parts,
                model=setting.chat,
                assistance=assistance,
                prompts=setting.prompts,
            )
        )
        self._memory.set_people(setting.people)
        self._memory.set_channels(setting.channels)

    def ingest(self, messages: Sequence[Message]) -> None:
        self._memory.add(messages)

    def settle(self) -> None:
        self._memory.flush()

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        return self._memory.recall(question, asker=asker, limit=limit, asked_at=asked_at)

    def notes(self) -> tuple[str, ...]:
        """What came of the model where its replies could not be used: those recalls are as they are without it."""
        counts = self._memory.model_counts()
        failed = {name: count for name, count in counts.items() if not name.endswith(" calls")}
        told = ", ".join(f"{name} {count}" for name, count in sorted(failed.items()))
        return (f"replies of the chat model that could not be used: {told}",) if told else ()

    def figures(self) -> Mapping[str, Any]:
        counts = self._memory.model_counts()
        return {"assistance": counts} if counts else {}

    def close(self) -> None:
        self._open.close()


def _assistance(options: Mapping[str, str], *, has_chat: bool) -> Assistance:
    """Raises InputError for one that is switched where there is no model, and for a model that is left without any."""
    switched = [f"{name}={options[name]}" for name in _ASSISTANCE if options[name] != _DEFAULTS[name]]
    if switched and not has_chat:
        raise InputError(f"groupmem: {switched[0]} changes nothing without a chat model: name one with chat=MODEL")
    off = [name for name in _ASSISTANCE if options[name] == "off"]
    if len(off) == len(_ASSISTANCE):
        raise InputError("groupmem: the chat model has nothing to do: leave out chat=, or switch something on")
    return Assistance(**{name: name not in off for name in _ASSISTANCE})
