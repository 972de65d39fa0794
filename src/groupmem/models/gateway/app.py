"""The routes of the gateway, as an ASGI application."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from groupmem.models.gateway.asked import read_body, read_chat_request, read_embedding_request
from groupmem.models.gateway.cell import GatewayCell
from groupmem.models.gateway.problems import ApiError, malformed
from groupmem.models.gateway.said import chat_body, chat_stream, embedding_body, model_card, model_list
from groupmem.models.gateway.threads import in_thread

MOST_BYTES = 64 * 1024 * 1024
"""A longer body is refused."""

_PREFIXES = ("/cells/{token}/v1", "/cells/{token}/{step}/v1")
_STEP = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_HOSTS = ("127.0.0.1", "localhost")
# The lab has tried again already where that helps.
_HEADERS = {"x-should-retry": "false"}

FindCell = Callable[[str], GatewayCell | None]
Work = Callable[[GatewayCell, str, bytes], Response]


def make_app(find_cell: FindCell) -> Starlette:
    """The application; `find_cell` knows the cell of a token."""
    api = _Api(find_cell)
    routes = []
    for prefix in _PREFIXES:
        routes += [
            Route(f"{prefix}/chat/completions", api.chat, methods=["POST"]),
            Route(f"{prefix}/embeddings", api.embeddings, methods=["POST"]),
            Route(f"{prefix}/models", api.models, methods=["GET"]),
            Route(f"{prefix}/models/{{name:path}}", api.model, methods=["GET"]),
        ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _not_found, ApiError: _problem})


class _Api:
    """One method a route. The work is done in a thread of its own, where it may wait as long as it takes."""

    def __init__(self, find_cell: FindCell) -> None:
        self._find_cell = find_cell

    async def chat(self, request: Request) -> Response:
        return await self._work(request, _chat)

    async def embeddings(self, request: Request) -> Response:
        return await self._work(request, _embeddings)

    async def models(self, request: Request) -> Response:
        return _json(model_list(_names(self._cell(request))))

    async def model(self, request: Request) -> Response:
        """A name that is not the cell's own is known too: it is answered like any other."""
        self._cell(request)
        return _json(model_card(request.path_params["name"]))

    async def _work(self, request: Request, work: Work) -> Response:
        cell, step = self._cell(request), _step(request)
        content = await _read(request)
        return await in_thread(lambda: work(cell, step, content))

    def _cell(self, request: Request) -> GatewayCell:
        _check_host(request)
        cell = self._find_cell(request.path_params["token"])
        if cell is None:
            raise ApiError(404, "no such cell: it was closed, or the URL is not the one that was handed out", "no_cell")
        return cell


def _chat(cell: GatewayCell, step: str, content: bytes) -> Response:
    with cell.booked("chat", step, content) as account:
        body = read_body(content)
        asked = read_chat_request(body)
        reply = chat_body(cell.complete(body, account), asked.model or cell.chat_model or "")
        if asked.stream:
            return Response(b"".join(chat_stream(reply, asked)), media_type="text/event-stream")
        return _json(reply)


def _embeddings(cell: GatewayCell, step: str, content: bytes) -> Response:
    with cell.booked("embedding", step, content) as account:
        asked = read_embedding_request(read_body(content))
        return _json(embedding_body(cell.embed(asked, account), asked, asked.model or cell.embedding_model or ""))


def _names(cell: GatewayCell) -> list[str]:
    return [name for name in (cell.chat_model, cell.embedding_model) if name is not None]


def _step(request: Request) -> str:
    """Raises ApiError (400): steps are written to the log, and stand in its sums."""
    step = str(request.path_params.get("step", ""))
    if step and not _STEP.fullmatch(step):
        raise malformed(f"the step {step!r} in the URL is not of the form {_STEP.pattern}")
    return step


def _check_host(request: Request) -> None:
    """A web page that had its name point here would send its own name."""
    if request.url.hostname not in _HOSTS:
        raise ApiError(403, f"the gateway answers {' and '.join(_HOSTS)} alone", "wrong_host")


async def _read(request: Request) -> bytes:
    """Raises ApiError (413) for a body that is too long, without reading it to its end."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MOST_BYTES:
            raise ApiError(413, f"the body is longer than {MOST_BYTES:,} bytes", "too_long")
    return bytes(content)


def _json(body: Mapping[str, object]) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - it is registered for no other
    return Response(
        msgspec.json.encode(error.body), status_code=error.status, headers=_HEADERS, media_type="application/json"
    )


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    what = f"{request.method} {request.url.path.rsplit('/v1', 1)[-1]}"
    message = f"{what}: the gateway answers POST /chat/completions and /embeddings, and GET /models"
    return await _problem(request, ApiError(status, message, "unknown_route"))
