"""One worker process: started, asked, and ended with all that it started."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec

from groupmem.errors import InputError, ModelError, SystemFailure
from groupmem.lab.systems.isolated.lifetime import (
    SCRATCH,
    end_belonging,
    end_group,
    end_orphan,
    leave_mark,
    mark_of,
)
from groupmem.lab.systems.isolated.lines import Lines
from groupmem.lab.systems.isolated.log import WorkerLog
from groupmem.lab.systems.isolated.protocol import PROTOCOL, Hello, Method, Problem, Reply
from groupmem.lab.systems.isolated.surroundings import worker_environment
from groupmem.types import Record

ResultT = TypeVar("ResultT")
CLOSE_SECONDS = 30.0
_ENDING_SECONDS = 2.0
_TURN_SECONDS = 0.5
"""For how long one thread reads before it looks who has waited too long."""


class Timeouts(Record, frozen=True, kw_only=True):
    """How long the lab waits for a sign of life, in seconds."""

    hello_s: float = 120.0
    call_s: float = 3600.0


class Program(Record, frozen=True, kw_only=True):
    """What is started as a worker. `name` is how messages call it."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = {}
    timeouts: Timeouts = Timeouts()


class _Request:
    """One that was sent and is not replied to yet. `heard_at` is its last sign of life."""

    def __init__(self, number: int, method: Method, timeout_s: float) -> None:
        self.number = number
        self.method = method
        self.timeout_s = timeout_s
        self.heard_at = time.monotonic()
        self.reply: Reply | None = None


class Worker:
    """A running worker. `log_path` receives its standard error; beside it lies its mark while it runs. Several threads
    may call it: whichever reads a line hands it to the one that waits for it.

    Every call raises SystemFailure, with the last lines of the log, where the worker ends, is silent for too long or
    breaks the protocol; it is dead then. Messages name the log where it is `kept`.
    """

    def __init__(self, program: Program, log_path: Path, *, kept: bool = True) -> None:
        self.program = program
        self._mark_path = log_path.with_suffix(".pid")
        end_orphan(self._mark_path)
        self._scratch = tempfile.TemporaryDirectory(prefix=SCRATCH, ignore_cleanup_errors=True)
        self._log = WorkerLog(log_path, kept=kept)
        self._process = self._start()
        leave_mark(self._mark_path, self._process.pid, Path(self._scratch.name))
        assert self._process.stdin is not None  # noqa: S101  (all three were asked for as pipes)
        assert self._process.stdout is not None  # noqa: S101
        assert self._process.stderr is not None  # noqa: S101
        self._log.follow(self._process.stderr)
        self._lines = Lines(self._process.stdin, self._process.stdout, lambda: self._process.poll() is not None)
        self._hello: Hello | None = None
        self._requests = 0
        self._waiting: dict[int, _Request] = {}
        self._changed = threading.Condition()
        self._reading = False
        self._alive = True

    def _start(self) -> subprocess.Popen[bytes]:
        home = Path(self._scratch.name)
        try:
            return subprocess.Popen(
                self.program.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=home,
                env=worker_environment(home, self.program.environment),
                start_new_session=True,
            )
        except OSError as error:
            self._log.end()
            self._scratch.cleanup()
            raise InputError(
                f"{self.program.name}: {self.program.argv[0]} cannot be started: {error.strerror}"
            ) from error

    def hello(self) -> Hello:
        """What the worker says of itself; the first call. Raises SystemFailure, as `call`, and for another protocol."""
        if self._hello is None:
            hello = self.call("hello", {"protocol": PROTOCOL}, Hello, timeout_s=self.program.timeouts.hello_s)
            if hello.protocol != PROTOCOL:
                self._fail(f"it speaks version {hello.protocol} of the protocol, and not {PROTOCOL}")
            self._hello = hello
        return self._hello

    def call(self, method: Method, params: Any, kind: type[ResultT], *, timeout_s: float) -> ResultT:
        """The result of one request; `timeout_s` is the longest silence that is waited out.

        Raises InputError or ModelError where the worker reports one, besides SystemFailure.
        """
        with self._changed:
            if not self._alive:
                raise SystemFailure(f"{self.program.name} was asked ({method}) after it had ended")
            self._requests += 1
            request = _Request(self._requests, method, timeout_s)
            self._waiting[request.number] = request
            self._lines.send(msgspec.json.encode({"id": request.number, "method": method, "params": params}) + b"\n")
        reply = self._reply(request)
        if reply.error is not None:
            self._raise(method, reply.error)
        if not bytes(reply.result):
            self._fail(f"its reply to {method} has neither a result nor an error")
        try:
            return msgspec.json.decode(reply.result, type=kind)
        except msgspec.DecodeError as error:
            self._fail(f"its result of {method} is not as the protocol has it: {error}", error)

    def close(self) -> None:
        """Ends the worker; where it is busy, or does not end by itself in time, by force."""
        try:
            if self._alive and not self._waiting:
                self.call("close", {}, dict, timeout_s=CLOSE_SECONDS)
                self._end_input()
        finally:
            self.kill()

    def close_cell(self) -> bool:
        """Ends the cell that the worker serves, and the worker with it unless it can open another: then True."""
        if self._hello is None or not self._hello.reopens or self._waiting or not self._alive:
            self.close()
            return False
        try:
            self.call("close", {}, dict, timeout_s=CLOSE_SECONDS)
        except BaseException:
            self.kill()
            raise
        return True

    def rest(self, marks: Path) -> None:
        """Leaves the cell, and its mark in this folder: the cell may never be opened again."""
        self._move_mark(marks / f"{self._process.pid}.pid")

    def begin_again(self, log_path: Path) -> bool:
        """Serves another cell, whose log this is; False where the worker ended meanwhile."""
        # one that is just dying cannot be waited for yet, and has no mark any more
        if self._process.poll() is not None or mark_of(self._process.pid) is None:
            self.kill()
            return False
        self._move_mark(log_path.with_suffix(".pid"))
        self._log.turn_to(log_path)
        return True

    def _move_mark(self, path: Path) -> None:
        self._mark_path.unlink(missing_ok=True)  # first: where both are one, what it names is this worker
        self._mark_path = path
        end_orphan(path)
        leave_mark(path, self._process.pid, Path(self._scratch.name))

    def end(self) -> None:
        """Ends a worker that has closed its cell."""
        if self._alive:
            self._end_input()
        self.kill()

    def kill(self) -> None:
        """Ends the worker and all that it started, at once. May be called again."""
        with self._changed:
            was_alive, self._alive = self._alive, False
            self._changed.notify_all()
        if was_alive:
            end_group(self._process.pid)
            self._process.wait()
            end_belonging(Path(self._scratch.name))
            self._lines.close()
            self._log.end()
            self._mark_path.unlink(missing_ok=True)
            self._scratch.cleanup()

    def _end_input(self) -> None:
        self._lines.end()
        self._wait_for_end(CLOSE_SECONDS)

    def _reply(self, request: _Request) -> Reply:
        """Waits for the reply, and reads for all who wait while nobody else does."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: request.reply is not None or not self._reading or not self._alive)
                if request.reply is not None:
                    del self._waiting[request.number]
                    return request.reply
                if not self._alive:
                    raise SystemFailure(f"{self.program.name} ended, because of another call, in {request.method}")
                self._reading = True
            try:
                self._read(request)
            finally:
                with self._changed:
                    self._reading = False
                    self._changed.notify_all()

    def _read(self, mine: _Request) -> None:
        """Reads one line and hands it over; returns after a while without one, where nobody has waited too long."""
        try:
            reply = self._decode(self._lines.receive(_TURN_SECONDS), mine.method)
        except TimeoutError as error:
            self._check_silence(error)
            return
        except EOFError as error:
            self._wait_for_end(_ENDING_SECONDS)
            self._fail(f"it ended in {mine.method}", error)
        except ValueError as error:
            self._fail(f"it wrote {error} in {mine.method}", error)
        with self._changed:
            request = self._waiting[reply.id or 0]
            request.heard_at = time.monotonic()
            if reply.progress is None:
                request.reply = reply
        self._check_silence()

    def _check_silence(self, cause: Exception | None = None) -> None:
        now = time.monotonic()
        with self._changed:
            late = [r for r in self._waiting.values() if r.reply is None and now - r.heard_at > r.timeout_s]
        for request in late:
            self._fail(f"it gave no sign of life for {request.timeout_s:g} seconds in {request.method}", cause)

    def _decode(self, line: bytes, method: Method) -> Reply:
        shown = line[:200].decode("utf-8", "replace")
        try:
            reply = msgspec.json.decode(line, type=Reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._fail(f"it wrote what is no reply in {method} ({error}): {shown!r}", error)
        with self._changed:
            asked = [request.number for request in self._waiting.values() if request.reply is None]
        if reply.id not in asked:
            numbers = ", ".join(map(str, asked))
            self._fail(f"it replied to request {reply.id} where {numbers} ({method}) was asked: {shown!r}")
        return reply

    def _raise(self, method: Method, problem: Problem) -> NoReturn:
        told = f"{self.program.name}: {problem.message}"
        if problem.kind == "input":
            raise InputError(told)
        if problem.kind == "model":
            raise ModelError(told)
        self.kill()
        self._log.add(f"\n{method} failed: {problem.message}\n{problem.detail}\n")
        told = f"{self.program.name}: {method} failed: {problem.message}"
        raise SystemFailure(f"{told} {self._log.named}" if self._log.named else f"{told}{self._log.last_words()}")

    def _fail(self, reason: str, cause: Exception | None = None) -> NoReturn:
        by_itself = self._alive and self._process.poll() is not None
        self.kill()
        status = self._process.returncode
        how = f" (exit status {status})" if status >= 0 else f" (killed by signal {-status})"
        told = f"{self.program.name}: {reason}{how if by_itself else ''}"
        raise SystemFailure(f"{told}{self._log.last_words()}") from cause

    def _wait_for_end(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)


def greet(program: Program) -> Hello:
    """What a worker says of itself; it is started for this alone. Raises as `Worker` does."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="groupmem-"))
        return opened.enter_context(closing(Worker(program, Path(folder) / "worker.log", kept=False))).hello()
