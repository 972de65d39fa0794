"""The worker's side of the protocol of isolated systems (docs/isolated-systems.md), for Python 3.10 and later.

One file, standard library only: it runs in environments that hold neither groupmem nor anything that groupmem needs.
Import it before anything else. From then on standard output belongs to the protocol alone, whatever a package prints.
"""

from __future__ import annotations

import inspect
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO, NoReturn

PROTOCOL = 1
_METHODS = ("prepare", "open", "ingest", "settle", "recall", "answer", "usage", "close")
_WITH_SETTING = ("prepare", "open")
_HELLO = ("reopens", "notes", "capabilities", "needs", "prepares", "options")


class Refused(Exception):
    """Something that the user asked for cannot be; the run stops with the message."""

    kind = "input"


class ModelFailed(Exception):
    """A model call failed for good."""

    kind = "model"


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's own copies of the standard streams; the descriptors 0 and 1 then lead elsewhere.

    Descriptors and not only `sys.stdout`, for libraries in C and child processes write to them too.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies


_REQUESTS, _REPLIES = _take_streams()
_WRITING = threading.Lock()
_CLOSED = threading.Event()
_OWN = threading.local()
_current_id: int | None = None


def serve(make: Callable[[], Any]) -> NoReturn:
    """Makes the memory with `make()` and answers requests until the input ends. See the page for its methods.

    One that `reopens` is made anew for each further cell. Where its `capabilities` say that it is concurrent, each
    question is answered in a thread of its own.
    """
    memory = make()
    concurrent = bool(dict(getattr(memory, "capabilities", {})).get("concurrent"))
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        request = json.loads(lines.get())
        if _CLOSED.is_set():
            _CLOSED.clear()
            memory = make()
        if concurrent and request["method"] == "answer":
            threading.Thread(target=_answer_apart, args=(memory, request), daemon=True).start()
            continue
        line = _answer(memory, request)
        if request["method"] == "close":
            _CLOSED.set()
        _send(line)
        if _CLOSED.is_set() and not getattr(memory, "reopens", False):
            _end(0)


def progress(text: object) -> None:
    """Says that the worker is alive, in a call that takes long."""
    _send(_line({"id": getattr(_OWN, "id", _current_id), "progress": str(text)}))


def first_ranks(passages: Iterable[Mapping[str, Any]], limit: int, *, repeated: bool = False) -> list[dict[str, Any]]:
    """The first passages, at most `limit` of them and at most `limit` different source ids over all.

    A passage of which some ids came before keeps the others; one that is left without an id is dropped. Where
    `repeated`, ids that came before are kept: further memories of a message say something else of it.
    """
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for passage in passages:
        ids = list(dict.fromkeys(passage["source_ids"]))
        fresh = [source for source in ids if source not in seen][: limit - len(seen)]
        chosen = [source for source in ids if source in fresh or (repeated and source in seen)]
        if chosen and len(kept) < limit:
            seen.update(fresh)
            kept.append({**passage, "source_ids": chosen})
    return kept


def _read(lines: queue.SimpleQueue[bytes]) -> None:
    """Hands lines over. The end of the input means that the harness is gone: all of this ends, even in a long call."""
    for line in _REQUESTS:
        lines.put(line)
    _end(0 if _CLOSED.is_set() else 1)


def _end(code: int) -> NoReturn:
    """Ends at once, and where the worker leads a process group of its own, with all that it started."""
    sys.stderr.flush()
    if code and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(code)


def _answer(memory: Any, request: Mapping[str, Any]) -> bytes:
    global _current_id
    _current_id = request["id"]
    return _replied(memory, request)


def _answer_apart(memory: Any, request: Mapping[str, Any]) -> None:
    _OWN.id = request["id"]
    _send(_replied(memory, request))


def _replied(memory: Any, request: Mapping[str, Any]) -> bytes:
    try:
        return _line({"id": request["id"], "result": _call(memory, request["method"], request.get("params") or {})})
    except (Exception, SystemExit) as error:
        return _line({"id": request["id"], "error": _told(error)})


def _call(memory: Any, method: str, params: Mapping[str, Any]) -> Any:
    if method == "hello":
        return _hello(memory, params)
    if method not in _METHODS:
        raise Refused(f"this worker knows no method {method!r}")
    function = getattr(memory, method, None)
    if function is None:
        return {}
    result = function(params) if method in _WITH_SETTING else function(**_wanted(method, function, params))
    if method == "recall" and isinstance(result, (list, tuple)):
        return {"passages": result}
    if method == "answer" and isinstance(result, str):
        return {"text": result}
    return {} if result is None else result


def _wanted(method: str, function: Callable[..., Any], params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of an answer's params, those that the function takes: `timeout_s` and `gateway` need not concern it."""
    if method != "answer":
        return params
    names = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in names.values())
    return params if takes_all else {name: value for name, value in params.items() if name in names}


def _hello(memory: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    if params.get("protocol") != PROTOCOL:
        raise Refused(f"this worker speaks version {PROTOCOL} of the protocol, not {params.get('protocol')}")
    told = {name: getattr(memory, name) for name in _HELLO if hasattr(memory, name)}
    packages = {name: _version(name) for name in getattr(memory, "packages", ())}
    name = getattr(memory, "name", os.environ.get("GROUPMEM_ADAPTER") or type(memory).__name__)
    return {"protocol": PROTOCOL, "name": name, "packages": packages, **told}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "no release"


def _told(error: BaseException) -> dict[str, str]:
    detail = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if isinstance(error, (Refused, ModelFailed)):
        return {"kind": error.kind, "message": str(error), "detail": detail}
    return {"kind": "failure", "message": f"{type(error).__name__}: {error}", "detail": detail}


def _line(reply: Mapping[str, Any]) -> bytes:
    return json.dumps(reply, allow_nan=False, default=_plain).encode() + b"\n"


def _send(line: bytes) -> None:
    with _WRITING:
        _REPLIES.write(line)
        _REPLIES.flush()


def _plain(value: Any) -> Any:
    """Times as text, and numbers of other libraries (numpy) as Python's."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
