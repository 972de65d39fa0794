"""Isolated systems in cells as a run gives them: models over the gateway, databases, a worker that can be killed."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from groupmem.lab.runs.attached.base import Template
from groupmem.lab.runs.attached.pool import ServicePool
from groupmem.lab.runs.gateway import RunGateway
from groupmem.lab.runs.services import CellServices
from groupmem.lab.systems.base import BaseSystem, Setting
from groupmem.lab.systems.isolated.adapter import Adapter, adapter_names, find_adapter
from groupmem.lab.systems.isolated.environment import installed
from groupmem.lab.systems.isolated.idle import IdleWorkers
from groupmem.lab.systems.isolated.lifetime import Mark
from groupmem.lab.systems.isolated.official import parts_of
from groupmem.lab.systems.registry import create_system
from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models
from groupmem.text import count_tokens
from groupmem.types import Channel, Message, Passage, Person
from support.openai_server import OpenAIServer, RecordedRequest, Reply

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = (
    f"cmd:{shlex.quote(sys.executable)} {EXAMPLES / 'memory.py'}",
    *([f"cmd:node {EXAMPLES / 'memory.js'}"] if shutil.which("node") else []),
)
UNREACHABLE = "http://127.0.0.1:1/v1"
PEOPLE = tuple(Person(id=f"User_{number}") for number in range(10))
Talker = Callable[[RecordedRequest], Reply]


class Peer(NamedTuple):
    """A system under contract: its name, the options that it is opened with, and what plays its chat model."""

    name: str
    options: str = ""
    reply: Talker | None = None

    def spec(self, server_url: str) -> str:
        if self.reply is None:
            return f"{self.name}{self.options and ':' + self.options}"
        chat = f"chat=openai:stand-in@{server_url}"
        return f"{self.name}:{','.join(filter(None, (chat, self.options)))}"

    def __str__(self) -> str:
        return f"{self.name}{self.options and ':' + self.options}".rpartition("/")[2]


def example_peers() -> list[Peer]:
    return [Peer(command) for command in COMMANDS]


@cache
def installed_peers() -> list[Peer]:
    """Every adapter whose environments are there, and with each of the options that spare it the chat model.

    Asked for once for each test; the same objects, lest each test have a laboratory of its own.
    """
    peers = []
    for adapter in map(find_adapter, adapter_names()):
        if all(installed(part) for part in parts_of(adapter)):
            calls_chat = "chat" in adapter.manifest.needs
            peers.append(Peer(adapter.name, reply=stand_in(adapter) if calls_chat else None))
            peers += [Peer(adapter.name, f"{name}={value}") for name, value in adapter.manifest.chatless.items()]
    return peers


def stand_in(adapter: Adapter) -> Talker:
    """What plays the chat model of an adapter: its folder, or that of the adapter whose worker it shares, has it."""
    path = adapter.owner.folder / "stand_in.py"
    spec = importlib.util.spec_from_file_location(f"stand_in_of_{adapter.owner.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda request: _reply(request.body, module.reply(request.body))


def _reply(asked: Mapping[str, Any], said: str | Mapping[str, Any]) -> Reply:
    """A text, or a whole message: one that calls a tool. Tokens are counted as o200k counts them."""
    message = {"role": "assistant", "content": said} if isinstance(said, str) else {"role": "assistant", **said}
    tokens_in = count_tokens("\n".join(_text(each.get("content")) for each in asked["messages"]))
    tokens_out = count_tokens(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    return Reply(body={"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": usage})


def _text(content: str | Sequence[Mapping[str, Any]] | None) -> str:
    """The words of a message, which may come in parts, or be none where it calls a tool."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.get("text", "") for part in content)


class IsolatedCell:
    """An open system. What it does is done as a run does it, so that calls which were never answered are noticed."""

    def __init__(self, system: BaseSystem, services: CellServices, store: Path, log_path: Path) -> None:
        self.system = system
        self._store = store
        self._services = services
        self._log_path = log_path

    def ingest(self, messages: Sequence[Message]) -> None:
        with self._services.during("ingest"):
            self.system.ingest(messages)
            self.system.settle()

    def recall(self, question: str, *, asker: str | None = "User_2", limit: int = 10) -> tuple[Passage, ...]:
        with self._services.during("recall"):
            return self.system.recall(question, asker=asker, limit=limit, asked_at=None).passages

    def copy_to(self, folder: Path) -> Path:
        """What is kept of an ingest: a copy of the store, and dumps of the databases, in this folder."""
        shutil.copytree(self._store, folder / "store")
        (folder / "databases").mkdir()
        self._services.dump(folder / "databases")
        return folder

    def kill(self) -> None:
        """Ends the worker as the system would that is out of memory."""
        mark = msgspec.json.decode(self._log_path.with_suffix(".pid").read_bytes(), type=Mark)
        os.kill(mark.pid, signal.SIGKILL)


class Laboratory:
    """Opens cells of one system. `folder` is for their stores; databases are shared by all tests of it."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._opened = ExitStack()
        self._folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="groupmem-contract-")))
        self._pool = self._opened.enter_context(ServicePool(self._folder))
        self._workers = self._opened.enter_context(IdleWorkers())
        self._server = self._opened.enter_context(OpenAIServer(peer.reply or (lambda _: Reply(""))))
        self._cells = 0

    def close(self) -> None:
        self._opened.close()

    @contextmanager
    def cell(
        self,
        *,
        store: Path | None = None,
        channels: tuple[Channel, ...] = (Channel(id="dock"),),
        chat_url: str | None = None,
        copied: Path | None = None,
    ) -> Iterator[IsolatedCell]:
        """A cell in a store of its own, in one that an earlier cell left, or in what was `copied` of one. Its
        chat model is the stand-in, or what `chat_url` leads to."""
        self._cells += 1
        here = self._folder / f"cell-{self._cells}"
        spec = create_system(self.peer.spec(chat_url or self._server.url))
        with ExitStack() as opened:
            models = opened.enter_context(
                Models(log_path=None, cache_path=None, retry=RetryPolicy(tries=2, first_wait_seconds=0.01))
            )
            gateway = opened.enter_context(closing(RunGateway(models, "contract")))
            services = opened.enter_context(closing(CellServices(models, run="contract", cell=here.name)))
            needs_models = bool({"chat", "embedding"} & set(spec.system.needs))
            setting = Setting(
                people=PEOPLE,
                channels=channels,
                store_dir=_made(copied / "store" if copied else store or here / "store"),
                restored=copied is not None,
                options=spec.options,
                gateway=services.gateway(gateway, chat=spec.chat, embedding=spec.embedding) if needs_models else None,
                log_path=here / "worker.log",
                workers=self._workers,
            )
            template = Template(str(self.peer), partial(self._prepare, setting)) if spec.system.prepares else None
            dumped = copied / "databases" if copied else None
            databases = services.databases(self._pool, spec.system.needs, template, dumped)
            opened.enter_context(closing(spec.system))
            spec.system.open(msgspec.structs.replace(setting, services=databases))
            yield IsolatedCell(spec.system, services, setting.store_dir or here, here / "worker.log")

    def _prepare(self, setting: Setting, url: str) -> None:
        with closing(create_system(self.peer.spec(self._server.url)).system) as system:
            system.prepare(msgspec.structs.replace(setting, services={"postgres": url}))

    def talking(self, reply: Talker) -> OpenAIServer:
        """A chat model of another kind."""
        return OpenAIServer(reply)

    def new_store(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._folder))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
