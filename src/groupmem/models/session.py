"""Models by name, with one call log, one cache and one budget behind them all."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from groupmem.errors import InputError, PendingError
from groupmem.models.base import Account, ChatModel, EmbeddingModel
from groupmem.models.batch import BatchEndpoint, BatchFolder
from groupmem.models.budget import Budget
from groupmem.models.cache import ReplyCache, VectorCache, open_cache
from groupmem.models.calling import Caller, Endpoint, Sender
from groupmem.models.calllog import CallLog, Kind, Totals
from groupmem.models.live import LiveSender
from groupmem.models.minilm import IDENTITY, MOST_PIECES, WEIGHTS_SHA256, MiniLM
from groupmem.models.names import ModelName, parse_embedding_name, parse_model_name
from groupmem.models.openai_chat import OpenAIChat
from groupmem.models.openai_embedding import OpenAIEmbedding
from groupmem.models.prices import Prices
from groupmem.models.relay import ChatRelay
from groupmem.models.retry import RetryPolicy
from groupmem.models.scripted import ScriptedEndpoint, script_sha256
from groupmem.models.targets import find_key, resolve
from groupmem.models.trace import Trace
from groupmem.types import Usage

if TYPE_CHECKING:
    from groupmem.models.openai_http import HttpEndpoint


class Models:
    """All models of one piece of work (a run, a corpus that is being written). Safe to use from many threads.

    `log_path` is the call log in the folder of the work, `cache_path` the user's cache (`cache.default_cache_path()`);
    None keeps nothing. `trace_path` is the file of the whole of every call (`Trace`), where one is kept. What the log
    says was spent before counts against `budget`. At most `concurrency` calls are under way at a time.
    """

    def __init__(
        self,
        *,
        log_path: Path | None,
        cache_path: Path | None,
        trace_path: Path | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        concurrency: int = 8,
        retry: RetryPolicy | None = None,
    ) -> None:
        if concurrency < 1:
            raise InputError(f"concurrency {concurrency}: at least one call must be under way at a time")
        self._log = CallLog(log_path)
        self._cache = open_cache(cache_path) if cache_path else None
        self._retry = retry or RetryPolicy()
        budget = budget or Budget()
        budget.carry(self._log.charged())
        self._trace = Trace(trace_path) if trace_path else None
        self._caller = Caller(
            log=self._log,
            budget=budget,
            prices=prices or Prices(),
            policy=self._retry,
            concurrency=concurrency,
            trace=self._trace,
        )
        self._lock = threading.Lock()
        self._endpoints: dict[str, Endpoint] = {}
        self._clients: list[HttpEndpoint] = []
        self._folders: dict[Path, BatchFolder] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # -- models --------------------------------------------------------------------------------------------------------

    def chat(self, name: str, account: Account) -> ChatModel:
        """The chat model of this name, its calls booked on `account`.

        Raises UnknownNameError or InputError for the name, ModelError where its key is missing.
        """
        return OpenAIChat(self._endpoint(parse_model_name(name)), self._caller, account)

    def live(self) -> Sender:
        """What the calls of one live session go through: equal ones in it are calls of their own (`LiveSender`)."""
        return LiveSender(self._caller)

    def relay(self, name: str, account: Account, sender: Sender) -> ChatRelay:
        """The chat model of this name for whoever writes the bodies of requests; raises as `chat` does."""
        return ChatRelay(self._endpoint(parse_model_name(name)), sender, account)

    def embedding(self, name: str, account: Account, sender: Sender | None = None) -> EmbeddingModel:
        """The embedding model of this name; raises as `chat` does. `sender` is that of a live session."""
        parsed = parse_embedding_name(name)
        if parsed.provider == "minilm":
            return MiniLM(self._log, VectorCache(self._cache, IDENTITY) if self._cache else None, account)
        return OpenAIEmbedding(self._endpoint(parsed), sender or self._caller, account)

    @staticmethod
    def describe(name: str, kind: Kind = "chat") -> str:
        """What the record of a run says of a model: what is called, where, and how; no key. Raises InputError."""
        parsed = _parse(name, kind)
        target = resolve(parsed)
        if parsed.provider == "minilm":
            return f"minilm: all-MiniLM-L6-v2 int8, sha256 {WEIGHTS_SHA256}, {MOST_PIECES} word pieces"
        if parsed.provider == "batch":
            return f"{target.model} through batch files"
        if parsed.provider == "scripted":
            path = Path(parsed.path or "")
            return f"script {path.name}, sha256 {script_sha256(path)}"
        runs = f" running {target.runs}" if target.runs != target.model else ""
        version = f", API version {target.api_version}" if target.api_version else ""
        how = "; a reasoning model: no temperature sent, cap raised for hidden tokens" if target.reasoning else ""
        return f"{target.model}{runs} at {target.base_url}{version}{how}"

    @staticmethod
    def require_key(name: str, kind: Kind = "chat") -> None:
        """Raises ModelError where the key of a model is missing, InputError as `describe` does. Nothing is called."""
        find_key(resolve(_parse(name, kind)))

    # -- batches -------------------------------------------------------------------------------------------------------

    def flush_batches(self) -> None:
        """Ends a pass over the work: writes the requests that it noted. Raises PendingError where any wait."""
        with self._lock:
            folders = list(self._folders.values())
        waiting = {str(folder.path): folder.flush() for folder in folders}
        pending = [path for path, count in waiting.items() if count]
        if pending:
            unreadable = [problem for folder in folders for problem in folder.problems]
            detail = f"{len(unreadable)} lines of answers could not be read: {unreadable[0]}" if unreadable else ""
            raise PendingError(sum(waiting.values()), ", ".join(pending), detail)

    def problems(self) -> tuple[str, ...]:
        """Lines of batch files that could not be read, with file and line."""
        with self._lock:
            return tuple(problem for folder in self._folders.values() for problem in folder.problems)

    # -- accounts ------------------------------------------------------------------------------------------------------

    def totals(self, run: str | None = None, cell: str | None = None, phase: str | None = None) -> Totals:
        """Sums over the log of what was called for this run, cell and phase ("ingest", or a step of it:
        "ingest/extraction"); None: for all."""
        return self._log.totals(run, cell, phase)

    def usage(self, run: str | None = None, cell: str | None = None, phase: str | None = None) -> Usage:
        """What the calls took and cost, whether or not they came from the cache."""
        return self.totals(run, cell, phase).usage

    def paid_usd(self, run: str | None = None, cell: str | None = None, phase: str | None = None) -> float | None:
        """New money, so without what came from the cache; None where a price is not known."""
        return self.totals(run, cell, phase).paid_usd

    # -- work that was done before -------------------------------------------------------------------------------------

    def last_call(self) -> int:
        """The number of the latest call on the log."""
        return self._log.last_id()

    def replies_since(self, last_call: int, cell: str, phase: str) -> list[dict[str, Any]]:
        """See `CallLog.replies_since`."""
        return self._log.replies_since(last_call, cell, phase)

    def book_again(self, replies: Sequence[Mapping[str, Any]], account: Account) -> None:
        """Books replies that another piece of work paid for on the run and cell of an account (`CallLog.add_again`)."""
        self._log.add_again(replies, run=account.run, cell=account.cell)

    def close(self) -> None:
        """Closes connections and files. Requests that were noted and not flushed are forgotten."""
        with self._lock:
            for client in self._clients:
                client.close()
        self._log.close()
        if self._trace:
            self._trace.close()
        if self._cache:
            self._cache.close()

    # -- endpoints -----------------------------------------------------------------------------------------------------

    def _endpoint(self, name: ModelName) -> Endpoint:
        with self._lock:
            if name.given not in self._endpoints:
                self._endpoints[name.given] = self._open(name)
            return self._endpoints[name.given]

    def _open(self, name: ModelName) -> Endpoint:
        target = resolve(name)
        if name.provider == "batch":
            path = Path(name.path or "").resolve()
            if path not in self._folders:
                self._folders[path] = BatchFolder(path)
            return BatchEndpoint(target, self._folders[path])
        if name.provider == "scripted":
            return ScriptedEndpoint(target, Path(name.path or ""))
        from groupmem.models.openai_http import HttpEndpoint  # its client loads for half a second: only who calls pays

        replies = ReplyCache(self._cache) if self._cache else None
        client = HttpEndpoint(target, replies, self._retry.timeout_seconds)
        self._clients.append(client)
        return client


def _parse(name: str, kind: Kind) -> ModelName:
    return parse_embedding_name(name) if kind == "embedding" else parse_model_name(name)
