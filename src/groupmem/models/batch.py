"""`batch:MODEL@DIR`: requests go into files that a batch service answers, at half the price and in its own time.

One pass over the work is one wave. `complete` finds no answer, notes the request and raises PendingError; the caller
goes on with the next item, and at the end of the stage calls `Models.flush_batches()`, which writes the wave and raises
PendingError with the number of requests that wait. The next start of the same command finds the answers in DIR and asks
only for what follows from them.

DIR holds
    requests-0001.jsonl, ...                              one file a wave and model, in the OpenAI Batch layout
    *output*.jsonl, *responses*.jsonl, *error*.jsonl      the service's files, under whatever name they came

A file of answers may be there in part or answer in part. A request that is in a file and has no answer is not written
again; one that was answered with a passing error or expired is, up to `MOST_ERRORS` times.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from groupmem.errors import InputError, ModelError, PendingError
from groupmem.files import write_atomic
from groupmem.models.cache import StoredReply
from groupmem.models.calling import Call
from groupmem.models.retry import SendFailure
from groupmem.models.targets import Target
from groupmem.models.wire import PATHS, Body, read_chat
from groupmem.types import Record

MOST_ERRORS = 3

_REQUESTS = re.compile(r"requests-(\d{4,})\.jsonl")
_ANSWERS = ("responses", "output", "error")
_REQUESTS_PER_FILE = 50_000
_BYTES_PER_FILE = 200_000_000
_PASSING = {408, 409, 429}


class _Response(Record, frozen=True, kw_only=True):
    status_code: int
    body: Any = None


class _Line(Record, frozen=True, kw_only=True):
    """A line of the service's answer."""

    custom_id: str
    response: _Response | None = None
    error: Any = None


class _Request(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A line of a request file."""

    custom_id: str
    method: str = "POST"
    url: str = f"/v1{PATHS['chat']}"
    body: dict[str, Any]


class BatchFolder:
    """The requests and answers of one folder. The session has one for each folder, whichever models use it.

    `problems` names the lines that could not be read: they answer nothing.
    """

    def __init__(self, path: Path) -> None:
        """Raises InputError where `path` is no folder; one that is not there is made with the first wave."""
        if path.exists() and not path.is_dir():
            raise InputError(f"{path} is a file; batch:MODEL@DIR needs a folder")
        self.path = path
        self.problems: list[str] = []
        self._lock = threading.Lock()
        self._replies: dict[str, Body] = {}
        self._errors: defaultdict[str, list[str]] = defaultdict(list)
        self._refused: dict[str, str] = {}
        self._waiting: set[str] = set()
        self._unwritten: dict[str, _Request] = {}
        self._written: Counter[str] = Counter()
        for file in self._request_files():
            self._written.update(line.custom_id for _, line in self._lines(file, _Request))
        for file in self._answer_files():
            for where, line in self._lines(file, _Line):
                self._take(line, where)

    # -- the reply store of the endpoint -------------------------------------------------------------------------------

    def get(self, key: str) -> StoredReply | None:
        """The answer to a request. Raises ModelError where it was refused, or failed too often.

        Raises PendingError where this pass has asked for it before, so that one request is reserved for once.
        """
        if key in self._replies:
            return StoredReply(body=self._replies[key], billed=True)
        if key in self._refused:
            raise ModelError(f"{self._refused[key]}; {_again(key)}")
        errors = self._errors.get(key, [])
        if len(errors) >= MOST_ERRORS:
            raise ModelError(f"{errors[-1]}; it failed {len(errors)} times; {_again(key)}")
        if key in self._waiting:
            raise PendingError(1, str(self.path))
        return None

    def put(self, key: str, body: Body, latency_ms: float) -> None:
        """Nothing to do: what was answered is in the folder already."""

    # -- asking --------------------------------------------------------------------------------------------------------

    def ask(self, key: str, body: Body) -> None:
        """Notes a request for the wave, unless it is in a file and waits for its answer."""
        with self._lock:
            self._waiting.add(key)
            if self._written[key] <= len(self._errors[key]):
                self._unwritten[key] = _Request(custom_id=key, body=dict(body))

    def flush(self) -> int:
        """Writes what was asked for since the last wave; the number of requests that wait for an answer.

        Raises InputError where the folder cannot be written.
        """
        with self._lock:
            first = max(map(_number, self._request_files()), default=0) + 1
            for number, content in enumerate(_files(self._unwritten.values()), start=first):
                write_atomic(self.path / f"requests-{number:04}.jsonl", content)
            self._written.update(self._unwritten.keys())
            self._unwritten.clear()
            return len(self._waiting)

    # -- reading -------------------------------------------------------------------------------------------------------

    def _request_files(self) -> list[Path]:
        return sorted((file for file in self.path.glob("*.jsonl") if _REQUESTS.fullmatch(file.name)), key=_number)

    def _answer_files(self) -> list[Path]:
        named = (file for file in self.path.glob("*.jsonl") if any(word in file.name for word in _ANSWERS))
        return sorted(file for file in named if not _REQUESTS.fullmatch(file.name))

    def _lines(self, file: Path, kind: type[Any]) -> Iterator[tuple[str, Any]]:
        """(file:line, record) for the good lines; the others are problems."""
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield f"{file}:{number}", msgspec.json.decode(line, type=kind)
                except msgspec.DecodeError as error:
                    if line.strip():
                        self.problems.append(f"{file}:{number}: no batch line ({error})")

    def _take(self, line: _Line, where: str) -> None:
        """The first good answer stands. An error that will not pass is kept apart from one that may."""
        status = line.response.status_code if line.response else None
        body = line.response.body if line.response and isinstance(line.response.body, dict) else {}
        if status == 200:
            try:
                read_chat(body)
            except SendFailure as failure:
                self._errors[line.custom_id].append(f"{where}: {failure}")
            else:
                self._replies.setdefault(line.custom_id, body)
            return
        answered = "an error" if status is None else f"HTTP {status}"
        message = f"{where}: the batch request was answered with {answered}: {line.error or body.get('error')}"
        if status is None or status in _PASSING or status >= 500:
            self._errors[line.custom_id].append(message)
        else:
            self._refused[line.custom_id] = message


class BatchEndpoint:
    """A model whose calls are answered through a folder."""

    repeats = False

    def __init__(self, target: Target, folder: BatchFolder) -> None:
        self.target = target
        self.replies = folder

    def post(self, call: Call, key: str) -> Body:
        """Always raises PendingError: what is answered is found before."""
        self.replies.ask(key, call.body)
        raise PendingError(1, str(self.replies.path))


def _again(key: str) -> str:
    return f"to have it asked again, remove this line and the line of request {key} from the files of the folder"


def _number(file: Path) -> int:
    match = _REQUESTS.fullmatch(file.name)
    return int(match[1]) if match else 0


def _files(requests: Iterable[_Request]) -> Iterator[bytes]:
    """The content of request files, each of one model and within the limits that OpenAI sets a batch."""
    by_model: defaultdict[str, list[bytes]] = defaultdict(list)
    for request in requests:
        by_model[request.body["model"]].append(msgspec.json.encode(request) + b"\n")
    for lines in by_model.values():
        part: list[bytes] = []
        size = 0
        for line in lines:
            if part and (len(part) == _REQUESTS_PER_FILE or size + len(line) > _BYTES_PER_FILE):
                yield b"".join(part)
                part, size = [], 0
            part.append(line)
            size += len(line)
        yield b"".join(part)
