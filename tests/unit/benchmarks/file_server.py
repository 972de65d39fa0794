"""A file server on loopback with ranges, which can be told to fail in the ways that servers fail."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Response = tuple[int, dict[str, str], bytes]


class FileServer:
    """Serves `files` by path. `script` holds, by path, what the next requests get instead.

    A step is "cut" (all headers, half of the body), "drop" (no answer at all), "ignore range", "other range", or a
    whole response (status, headers, body).
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.files: dict[str, bytes] = {}
        self.script: dict[str, list[str | Response]] = {}
        self.ranges: list[str | None] = []

    def answer(self, path: str, wanted: str | None) -> Response | None:
        """The response to one request, or None for none."""
        self.ranges.append(wanted)
        steps = self.script.get(path, [])
        step = steps.pop(0) if steps else ""
        if isinstance(step, tuple):
            return step
        if step == "drop":
            return None
        body = self.files[path]
        start = 0 if wanted is None or step == "ignore range" else int(wanted.removeprefix("bytes=").rstrip("-"))
        if start >= len(body) and start:
            return 416, {"Content-Range": f"bytes */{len(body)}"}, b""
        status, headers = (206, {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}) if start else (200, {})
        if step == "other range":
            headers = {"Content-Range": f"bytes 1-2/{len(body)}"}
        rest = body[start:]
        headers["Content-Length"] = str(len(rest))
        return status, headers, rest[: len(rest) // 2] if step == "cut" else rest


@contextmanager
def file_server() -> Iterator[FileServer]:
    """A running server; gone when the context ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            response = served.answer(self.path.lstrip("/"), self.headers.get("Range"))
            if response is not None:
                status, headers, body = response
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = FileServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
