"""Fetches the files of a data set from their official sources: resumed, checked, and put in place whole.

A file grows as NAME.part beside its place; whatever stops the fetch, the next one goes on from there. Addresses hold a
commit, so what a server sends for one never changes and a part needs no validator. A file with a pinned sum is refused
if it has another; the sum of one that nobody pinned is written to the lock file at its first fetch, and later ones are
held to that.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import httpx

from groupmem.errors import DataError
from groupmem.lab.benchmarks.base import UNPINNED, DataFile
from groupmem.lab.benchmarks.files import check_files, sha256_of
from groupmem.lab.benchmarks.lock import LockedFile, read_lock, record
from groupmem.types import Record

ATTEMPTS = 5
"""How often in a row a file may fail without a byte more before it is given up."""

LONGEST_PAUSE_S = 60.0
HUB = "https://huggingface.co"


class Steps(Protocol):
    def advance(self, count: int) -> None:
        """`count` bytes more are here."""


Task = Callable[[str, int], AbstractContextManager[Steps]]
"""Shows one download while it lasts, given its label and its size in bytes (0: not known)."""


class FetchedFile(Record, frozen=True, kw_only=True):
    """One file of a set after a fetch; "kept" where it lay there already and no other sum is pinned or recorded."""

    path: str
    action: Literal["fetched", "kept"]
    sha256: str
    size_bytes: int


class _Again(Exception):
    """A trouble that may pass, and how many seconds the server asks to wait."""

    def __init__(self, trouble: str, wait_s: float | None = None) -> None:
        super().__init__(trouble)
        self.wait_s = wait_s


class _Silent:
    def advance(self, count: int) -> None:
        pass


def _no_task(_label: str, _total: int) -> AbstractContextManager[Steps]:
    return nullcontext(_Silent())


class Fetcher:
    """Fetches files into the folder of a set. `task` shows progress, `pause` waits between attempts."""

    def __init__(
        self,
        folder: Path,
        client: httpx.Client,
        *,
        task: Task = _no_task,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder = folder
        self._client = client
        self._task = task
        self._pause = pause

    def fetch(self, file: DataFile) -> FetchedFile:
        """The file, in its place.

        Raises DataError where it lies there already with another sum, cannot be had, or comes with another sum.
        """
        lying = check_files(self._folder, [file], None)
        if lying:
            return _kept(lying[0].path, lying[0].sha256, lying[0].should_be, self._folder)
        if file.url is None:
            raise DataError(f"{file.path} has no address to fetch it from")
        url = official_url(file.url)
        part = self._folder / f"{file.path}.part"
        try:
            part.parent.mkdir(parents=True, exist_ok=True)
            with _alone(part) as growing:
                self._download(url, growing, file)
                return self._accept(file, url, part)
        except OSError as error:
            raise DataError(f"cannot write {part}: {error.strerror}") from error

    def _download(self, url: str, growing: BinaryIO, file: DataFile) -> None:
        failures = 0
        while True:
            before = growing.seek(0, os.SEEK_END)
            try:
                return self._go_on(url, growing, file)
            except _Again as trouble:
                failures = 1 if growing.seek(0, os.SEEK_END) > before else failures + 1
                if failures >= ATTEMPTS:
                    raise DataError(
                        f"{url}: {trouble}; {growing.tell()} bytes are kept, the same command goes on from there"
                    ) from trouble
                wait_s = trouble.wait_s if trouble.wait_s is not None else 2.0 ** (failures - 1)
                self._pause(min(wait_s, LONGEST_PAUSE_S))

    def _go_on(self, url: str, growing: BinaryIO, file: DataFile) -> None:
        """One request, from the byte after the last that is there."""
        offset = growing.seek(0, os.SEEK_END)
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={offset}-"} if offset else {})
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                    return _beyond_the_end(response, growing, offset)
                start = _start(response, offset)
                growing.truncate(start)
                length = response.headers.get("Content-Length")
                total = 0 if length is None else start + int(length)
                with self._task(f"{file.path}{_megabytes(total)}", total) as steps:
                    steps.advance(start)
                    # As it comes: a chunk size would hold bytes back, which are lost when the connection breaks.
                    for chunk in response.iter_raw():
                        growing.write(chunk)
                        steps.advance(len(chunk))
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
            raise DataError(f"{url} cannot be fetched: {error}") from error
        except httpx.TransportError as error:
            raise _Again(f"{type(error).__name__}: {error}") from error
        finally:
            growing.flush()

    def _accept(self, file: DataFile, url: str, part: Path) -> FetchedFile:
        """Puts a whole file in its place, if it is the one that it should be; what is not is thrown away."""
        found = sha256_of(part)
        locked = read_lock(self._folder).files.get(file.path)
        should_be = (locked.sha256 if locked else None) if file.sha256 == UNPINNED else file.sha256
        if should_be not in (None, found):
            part.unlink()
            origin = "at the first fetch it had" if file.sha256 == UNPINNED else "the pinned one is"
            raise DataError(f"{url} has sha256 {found}; {origin} {should_be}. Nothing was kept of it")
        if should_be is None:
            # Before the file is in place: killed in between, the next fetch is already held to this record.
            record(self._folder, file.path, LockedFile(sha256=found, url=url))
        size_bytes = part.stat().st_size
        part.replace(self._folder / file.path)
        return FetchedFile(path=file.path, action="fetched", sha256=found, size_bytes=size_bytes)


def official_url(url: str) -> str:
    """The address, with the hub that HF_ENDPOINT names in place of the usual one."""
    endpoint = os.environ.get("HF_ENDPOINT")
    return f"{endpoint.rstrip('/')}{url.removeprefix(HUB)}" if endpoint and url.startswith(f"{HUB}/") else url


def _kept(path: str, found: str, should_be: str | None, folder: Path) -> FetchedFile:
    if should_be not in (None, found):
        raise DataError(
            f"{folder / path} has sha256 {found} where it should have {should_be}; delete it to fetch it again"
        )
    return FetchedFile(path=path, action="kept", sha256=found, size_bytes=(folder / path).stat().st_size)


@contextmanager
def _alone(part: Path) -> Iterator[BinaryIO]:
    """The growing file, held by this process alone. Raises DataError where another one is fetching it."""
    with part.open("ab+") as growing:
        try:
            fcntl.flock(growing, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataError(f"{part} is being fetched by another process") from error
        if not part.exists():  # put in place by another process, between opening and locking it
            raise DataError(f"{part} was fetched by another process just now")
        yield growing


def _start(response: httpx.Response, offset: int) -> int:
    """The byte that the body begins at. Raises DataError, or _Again for a trouble that may pass."""
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= 500:
        wait = response.headers.get("Retry-After", "")
        raise _Again(f"HTTP {status}", float(wait) if wait.isdecimal() else None)
    if status in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        _refuse_what_is_no_file(response)
    if status == httpx.codes.OK:
        return 0
    if status != httpx.codes.PARTIAL_CONTENT:
        raise DataError(f"{response.request.url}: HTTP {status}; the source may have moved, or need a login")
    if not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
        raise DataError(f"{response.request.url}: another range than the one that was asked for")
    return offset


def _refuse_what_is_no_file(response: httpx.Response) -> None:
    """A login page, a compressed body or a detour by plain HTTP: where no sum is pinned, it would become the data."""
    first = response.history[0].url if response.history else response.url
    if first.scheme == "https" and response.url.scheme != "https":
        raise DataError(f"{first} leads to {response.url}, which is not encrypted")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise DataError(f"{response.url} is sent compressed, though it was asked for as it is")
    if response.headers.get("Content-Type", "").startswith("text/html"):
        raise DataError(f"{response.url} is a web page and no data file; the source may have moved, or need a login")


def _beyond_the_end(response: httpx.Response, growing: BinaryIO, offset: int) -> None:
    """There is no byte after the last: the file is whole, or what is there is none of it and goes."""
    if response.headers.get("Content-Range") == f"bytes */{offset}":
        return
    growing.truncate(0)
    raise _Again("the part that was there is longer than the file")


def _megabytes(size_bytes: int) -> str:
    return f" ({size_bytes / 1e6:.1f} MB)" if size_bytes else ""
