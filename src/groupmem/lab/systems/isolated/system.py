"""A memory system in a process of its own, driven like any other."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.systems.base import BaseSystem, Capabilities, GatewayAccess, Need, Setting, passage_of
from groupmem.lab.systems.isolated import protocol
from groupmem.lab.systems.isolated.idle import IdleWorkers
from groupmem.lab.systems.isolated.process import Program
from groupmem.lab.systems.isolated.surroundings import CALL_TIMEOUT
from groupmem.lab.systems.options import NO_CHAT, Option, resolve_options
from groupmem.types import Answer, Message, Passage, Recall, Record

ResultT = TypeVar("ResultT")
_MODEL_OPTIONS = {
    "chat": Option(name="chat", default=NO_CHAT, summary="the chat model that the package calls"),
    "embedding": Option(name="embedding", default="minilm", summary="the embedding model that the package calls"),
}


class Declaration(Record, frozen=True, kw_only=True):
    """What must be known of a system before it is started.

    `chatless` are options with which it calls no chat model. `sha256` (hex) is of all files that it is made of.
    """

    capabilities: Capabilities = Capabilities()
    needs: tuple[Need, ...] = ()
    prepares: bool = False
    options: tuple[Option, ...] = ()
    chatless: Mapping[str, str] = {}
    sha256: str | None = None


def model_options(needs: Sequence[Need]) -> tuple[Option, ...]:
    """The options that name the models among the needs of a system."""
    return tuple(option for need, option in _MODEL_OPTIONS.items() if need in needs)


class IsolatedSystem(BaseSystem):
    """Asks a worker process. A message that comes twice is handed on once."""

    planted = True

    def __init__(self, program: Program, declared: Declaration) -> None:
        self.program = program
        self.capabilities = declared.capabilities
        self.needs = declared.needs
        self.prepares = declared.prepares
        self.sha256 = declared.sha256
        self.options = (*model_options(declared.needs), *declared.options)
        self._chatless = declared.chatless
        self._given: dict[str, Message] = {}
        self._opened = ExitStack()

    def check_models(self, options: Mapping[str, str]) -> None:
        """Raises InputError where a chat model is called for and none is named."""
        if "chat" not in self.needs or options["chat"] != NO_CHAT:
            return
        if not any(options.get(name) == value for name, value in self._chatless.items()):
            without = "".join(f", or {name}={value}" for name, value in self._chatless.items())
            raise InputError(
                f"{self.program.name} calls a chat model and none is named: say chat=MODEL "
                f"(chat=openai:gpt-5-mini for example){without}"
            )

    def prepare(self, setting: Setting) -> None:
        self._begin("prepare", setting)

    def open(self, setting: Setting) -> None:
        self._begin("open", setting)

    def ingest(self, messages: Sequence[Message]) -> None:
        fresh = {message.id: message for message in messages if message.id not in self._given}
        self._given |= fresh
        waiting = tuple(fresh.values())
        for start in range(0, len(waiting), protocol.MESSAGES_PER_REQUEST):
            batch = waiting[start : start + protocol.MESSAGES_PER_REQUEST]
            self._call("ingest", protocol.IngestParams(messages=batch), dict)

    def settle(self) -> None:
        self._call("settle", {}, dict)

    def recall(self, question: str, *, asker: str | None, limit: int, asked_at: datetime | None) -> Recall:
        if limit < 1 or not question.strip() or not self._given:
            return Recall()
        params = protocol.RecallParams(question=question, asker=asker, asked_at=_iso(asked_at), limit=limit)
        recalled = self._call("recall", params, protocol.Recalled)
        return Recall(passages=tuple(map(self._passage, recalled.passages)), support=recalled.support)

    def answer(self, question: str, *, asker: str | None, asked_at: datetime | None) -> Answer:
        return self.answer_through(self._gateway, question, asker=asker, asked_at=asked_at)

    def answer_through(
        self, gateway: GatewayAccess | None, question: str, *, asker: str | None, asked_at: datetime | None
    ) -> Answer:
        """The worker is told how long it may take, and may be silent for as long besides what any call may take."""
        timeout_s = self._question_timeout_s
        params = protocol.AnswerParams(
            question=question, asker=asker, asked_at=_iso(asked_at), timeout_s=timeout_s, gateway=gateway
        )
        silence_s = call_timeout(self.program) + (timeout_s or 0)
        answered = self._call("answer", params, protocol.Answered, silence_s)
        return Answer(text=answered.text, reasoning=answered.reasoning, finish_reason=answered.finish_reason)

    def notes(self) -> tuple[str, ...]:
        """Versions of packages, what the worker said of itself, and what its package has counted so far."""
        versions = ", ".join(f"{name} {version}" for name, version in self._hello.packages.items())
        counts = self._call("usage", {}, protocol.Counts)
        told = (f"{self._hello.name} counted in {phase}: {_counted(each)}" for phase, each in counts.phases.items())
        return (*((versions,) if versions else ()), *self._hello.notes, *told, *counts.notes)

    def figures(self) -> Mapping[str, Any]:
        return self._call("usage", {}, protocol.Counts).figures

    def close(self) -> None:
        self._opened.close()

    def _begin(self, method: Literal["prepare", "open"], setting: Setting) -> None:
        """Has a worker serve the setting: one that is idle, where the setting has such."""
        options = resolve_options(setting.options, self.options, owner=self.program.name)
        self.check_models(options)
        params = self._open_params(setting, options)
        self._gateway, self._question_timeout_s = setting.gateway, setting.question_timeout_s
        log_path = setting.log_path or self._folder() / "worker.log"
        workers = setting.workers or self._opened.enter_context(IdleWorkers())
        self._worker = workers.take(self.program, log_path)
        self._opened.callback(workers.give, self._worker)
        self._hello = self._worker.hello()
        self._call(method, params, dict)

    def _open_params(self, setting: Setting, options: Mapping[str, str]) -> protocol.OpenParams:
        """Raises InputError where the setting lacks what the system needs."""
        missing = [need for need in self.needs if need not in ("chat", "embedding") and need not in setting.services]
        if setting.gateway is None and {"chat", "embedding"} & set(self.needs):
            missing.append("chat" if "chat" in self.needs else "embedding")
        if missing:
            raise InputError(f"{self.program.name} needs {', '.join(missing)}, and its setting has none")
        return protocol.OpenParams(
            people=setting.people,
            channels=setting.channels,
            store_dir=str((setting.store_dir or self._folder()).resolve()),
            options=options,
            seed=setting.seed,
            gateway=setting.gateway,
            services=setting.services,
            restored=setting.restored,
        )

    def _folder(self) -> Path:
        """A folder that lasts as long as the system is open."""
        return Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="groupmem-")))

    def _passage(self, found: protocol.Found) -> Passage:
        if found.text is not None:
            return found.passage(found.text)
        source = self._given.get(found.source_ids[0]) if len(found.source_ids) == 1 else None
        if source is None:
            raise SystemFailure(
                f"{self.program.name} returned a passage without a text, of {list(found.source_ids)}: "
                "the text may be left out only where there is one id, of a message that it was given"
            )
        return passage_of(source, found.score)

    def _call(
        self, method: protocol.Method, params: Any, kind: type[ResultT], timeout_s: float | None = None
    ) -> ResultT:
        return self._worker.call(method, params, kind, timeout_s=timeout_s or call_timeout(self.program))


def call_timeout(program: Program) -> float:
    """Seconds of silence that a call may take: the program's own, unless the user's environment says otherwise."""
    said = os.environ.get(CALL_TIMEOUT)
    try:
        return float(said) if said else program.timeouts.call_s
    except ValueError as error:
        raise InputError(f"{CALL_TIMEOUT}={said}: not a number of seconds") from error


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _counted(counted: protocol.Counted) -> str:
    parts = {"calls": counted.calls, "input tokens": counted.input_tokens, "output tokens": counted.output_tokens}
    return ", ".join(f"{count:,} {what}" for what, count in parts.items() if count is not None)
