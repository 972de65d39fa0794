"""The server of the gateway: a thread of the lab's process, on a port of 127.0.0.1."""

from __future__ import annotations

import secrets
import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn

from groupmem.errors import InputError
from groupmem.models.base import Account
from groupmem.models.gateway.app import make_app
from groupmem.models.gateway.cell import GatewayCell
from groupmem.models.session import Models

_HOST = "127.0.0.1"
_BACKLOG = 2_048
_SECONDS_TO_END = 2


class Gateway:
    """Serves the models of one run from construction until `close`, which `with` calls.

    `port` 0 takes a free one. Each cell has a URL that cannot be guessed, so that one cannot book on another. Raises
    InputError where the port is taken.
    """

    def __init__(self, models: Models, *, run: str, port: int = 0) -> None:
        self._models = models
        self._run = run
        self._cells: dict[str, GatewayCell] = {}
        self._opening = threading.Lock()
        self._socket = _listen(port)
        self.url = f"http://{_HOST}:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(
            uvicorn.Config(
                make_app(self._find),
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=_BACKLOG,
                timeout_graceful_shutdown=_SECONDS_TO_END,
            )
        )
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="gateway", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def open_cell(self, cell: str, *, chat: str | None, embedding: str | None) -> GatewayCell:
        """A cell with its models, by the lab's names ("openai:gpt-5-mini", "scripted:FILE", "minilm"); None: no such
        model. Raises as `GatewayCell` does."""
        token = secrets.token_urlsafe(16)
        account = Account(run=self._run, cell=cell)
        opened = GatewayCell(self._models, account, root=self._root(token), chat=chat, embedding=embedding)
        self._add(token, opened)
        return opened

    def open_part(self, cell: GatewayCell) -> GatewayCell:
        """A part of an open cell with a URL of its own: its calls are booked like those of the cell, and what became of
        them is told apart."""
        token = secrets.token_urlsafe(16)
        part = cell.part(self._root(token))
        self._add(token, part)
        return part

    def close(self) -> None:
        """Ends the server. Calls under way are given up: they are on the log, as far as they came."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def _root(self, token: str) -> str:
        return f"{self.url}/cells/{token}"

    def _add(self, token: str, opened: GatewayCell) -> None:
        with self._opening:
            self._cells = {known: cell for known, cell in self._cells.items() if not cell.closed} | {token: opened}

    def _find(self, token: str) -> GatewayCell | None:
        cell = self._cells.get(token)
        return None if cell is None or cell.closed else cell


def _listen(port: int) -> socket.socket:
    """A socket that takes connections from now on; who connects early waits for the server."""
    try:
        return socket.create_server((_HOST, port), backlog=_BACKLOG)
    except OSError as error:
        raise InputError(
            f"port {port} of {_HOST} cannot be used ({error.strerror}); port 0 takes a free one"
        ) from error
