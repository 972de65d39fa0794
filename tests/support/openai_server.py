"""A loopback server that speaks the OpenAI API and says what a test tells it to.

    with OpenAIServer([Reply(status=429, headers={"Retry-After": "2"}), Reply("Final: Mira")]) as server:
        model = models.chat(f"openai:gpt-4o-mini@{server.url}", account)

`replies` is a list, used up in order (the last one stands for all that follow), or a function from the recorded request
to a Reply. `/embeddings` is answered with vectors made from the texts unless a Reply says otherwise. Nothing sleeps:
a Reply may wait for an event, and `server.wait_for(n)` returns when n requests have come in.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

COUNTED: Mapping[str, Any] = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 20},
    "completion_tokens_details": {"reasoning_tokens": 4},
}
_PATIENCE_SECONDS = 20.0  # a test that waits longer has failed


@dataclass(frozen=True)
class Reply:
    """What the server does with one request.

    `usage` None leaves usage out. `body` replaces the whole reply. `cut` sends half of the JSON and calls it whole,
    `broken` half of what was announced; `closed` closes the connection without a byte. `until` is waited for first.
    """

    text: str | None = ""
    finish_reason: str | None = "stop"
    refusal: str | None = None
    reasoning_content: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: COUNTED)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    cut: bool = False
    broken: bool = False
    closed: bool = False
    until: threading.Event | None = None


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it came in. Header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def last_message(self) -> str:
        return str(self.body["messages"][-1]["content"])


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as the API words it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=named, body={"error": {"message": message, "code": code}})


class OpenAIServer:
    """Serves on a free port of 127.0.0.1, each request in a thread of its own, until the `with` block ends."""

    def __init__(self, replies: Sequence[Reply] | Callable[[RecordedRequest], Reply] = (Reply(),)) -> None:
        self.requests: list[RecordedRequest] = []
        self.most_at_once = 0
        self._replies = replies
        self._at_once = 0
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> OpenAIServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, count: int) -> None:
        """Returns when `count` requests have come in."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, _PATIENCE_SECONDS), (
                "no such request came"
            )

    def answer(self, request: RecordedRequest) -> Reply:
        with self._changed:
            number = len(self.requests)
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self._changed.notify_all()
        if callable(self._replies):
            return self._replies(request)
        return self._replies[min(number, len(self._replies) - 1)]

    def leave(self) -> None:
        with self._changed:
            self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each reply waits 40 ms for the acknowledgement of its headers

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = RecordedRequest(self.path, headers, json.loads(content))
                reply = server.answer(request)
                if reply.until is not None:
                    assert reply.until.wait(_PATIENCE_SECONDS), "the event that a reply waits for never came"
                server.leave()
                with suppress(ConnectionError):  # a client that gave up is what some tests are about
                    self._send(reply, request)

            def _send(self, reply: Reply, request: RecordedRequest) -> None:
                if reply.closed:
                    self.close_connection = True
                    return
                content = json.dumps(_body(reply, request)).encode()
                sent = content[: len(content) // 2] if reply.cut or reply.broken else content
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content if reply.broken else sent)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)
                self.close_connection = reply.broken

            def log_message(self, format: str, *args: object) -> None:
                """Tests look at `requests` instead."""

        return Handler


def _body(reply: Reply, request: RecordedRequest) -> Any:
    if reply.body is not None:
        return reply.body
    if request.path.split("?")[0].endswith("/embeddings"):
        return _embeddings(request.body, reply)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    if reply.reasoning_content is not None:
        message["reasoning_content"] = reply.reasoning_content
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "model": request.body["model"], "choices": [choice]}
    return body if reply.usage is None else {**body, "usage": reply.usage}


def text_vector(text: str, dimensions: int = 8) -> np.ndarray:
    """The vector that the server gives for a text: the same for the same text, and of no particular length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)


def _embeddings(asked: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    data = []
    for index, text in enumerate(asked["input"]):
        vector = text_vector(text)
        encoded = base64.b64encode(vector.tobytes()).decode()
        as_text = asked.get("encoding_format") == "base64"
        data.append({"index": index, "embedding": encoded if as_text else vector.tolist()})
    usage = {"prompt_tokens": 7 * len(data), "total_tokens": 7 * len(data)}
    return {"data": data, "model": asked["model"], **({} if reply.usage is None else {"usage": usage})}
