"""One cell behind the gateway: its models, and what became of its calls."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy

from msgspec.structs import replace

from groupmem.errors import InputError
from groupmem.models.base import Account, CellPhase, EmbeddingModel, Vectors
from groupmem.models.calllog import Kind
from groupmem.models.gateway.asked import EmbeddingAsked
from groupmem.models.gateway.outcomes import GatewayFailure, Lost, Outcomes
from groupmem.models.gateway.problems import ApiError, malformed
from groupmem.models.names import parse_embedding_name, parse_model_name
from groupmem.models.session import Models
from groupmem.models.targets import resolve
from groupmem.models.wire import Body, read_usage
from groupmem.types import Usage


class GatewayCell:
    """What a package is told so that its calls are booked on this cell. Safe to use from many threads.

    `chat_model` and `embedding_model` are names for the package to ask for, None where the cell has no such model. Any
    other name is answered by the same model, and counted in `renamed`. `phase` is set by whoever drives the cell.
    `api_key` is for clients that want one: the secret is in the URL, and nobody looks at the key.
    """

    api_key = "groupmem-gateway"

    def __init__(self, models: Models, account: Account, *, root: str, chat: str | None, embedding: str | None) -> None:
        """Raises InputError for a model that cannot be used here, ModelError where its key is missing.

        The length of the vectors of an embedding model that is not known takes one call.
        """
        self.phase: CellPhase = "ingest"
        self._models = models
        self._account = account
        self._root = root
        self._sender = models.live()
        self._chat, self._embedding = chat, embedding
        self.chat_model = _plain_name(chat, "chat")
        self.embedding_model = _plain_name(embedding, "embedding")
        if chat is not None:
            models.relay(chat, account, self._sender)
        self.dimensions = self._embedder(embedding, account).dimensions if embedding is not None else None
        self._lock = threading.Lock()
        self._renamed: Counter[str] = Counter()
        self._outcomes = Outcomes()
        self._closed = False

    # -- for who drives the cell ---------------------------------------------------------------------------------------

    @property
    def base_url(self) -> str:
        return f"{self._root}/v1"

    def path_url(self, step: str) -> str:
        """The base URL whose calls are booked on a step of the phase: "extraction" makes them "ingest/extraction"."""
        return f"{self._root}/{step}/v1"

    @property
    def renamed(self) -> Mapping[str, int]:
        """How often the package asked for a model of another name than it was told."""
        with self._lock:
            return dict(self._renamed)

    @property
    def answered(self) -> Mapping[Kind, int]:
        """How many calls of a kind were answered so far; a kind without one is left out."""
        return self._outcomes.answered

    @property
    def usage(self) -> Usage:
        """What its chat calls that were answered took, as their providers counted it; costs are not known here."""
        return self._outcomes.usage

    def part(self, root: str) -> GatewayCell:
        """The same models under another URL. What becomes of its calls is its own until it is joined."""
        part = copy(self)
        part._root = root
        part._outcomes = Outcomes()
        return part

    def join(self, part: GatewayCell) -> None:
        """Adds the errors that a part was answered with to those of the whole, and what stopped it."""
        self._outcomes.add(part._outcomes)

    def failures(self) -> tuple[GatewayFailure, ...]:
        """Every error that the package was answered with, whatever it made of it."""
        return self._outcomes.failures()

    def take_lost(self) -> tuple[Lost, ...]:
        """The requests that their provider failed on, and that were not answered since, each given once: where the
        package went on, something is missing in what it made."""
        return self._outcomes.take_lost()

    @property
    def stopped(self) -> bool:
        """Whether `check` raises."""
        return self._outcomes.stopped is not None

    def check(self) -> None:
        """Raises what stopped the cell: BudgetError, or InputError where the log cannot be written. From then on no
        call is answered, and what the package makes is worth nothing."""
        if self._outcomes.stopped is not None:
            raise self._outcomes.stopped

    def close(self) -> None:
        """From now on its URLs are unknown. What is under way is still answered."""
        self._closed = True

    @property
    def closed(self) -> bool:
        return self._closed

    # -- for the server ------------------------------------------------------------------------------------------------

    @contextmanager
    def booked(self, kind: Kind, step: str, content: bytes) -> Iterator[Account]:
        """The account of one request. Whatever goes wrong is kept, and raised as ApiError."""
        account = replace(self._account, phase=self.phase, step=step)
        key = hashlib.sha256(content).digest()
        try:
            self.check()
            yield account
        except Exception as error:
            problem = self._outcomes.add_failure(kind, key, account, error)
            raise problem from (None if problem is error else error)
        self._outcomes.add_answer(kind, key)

    def complete(self, body: Body, account: Account) -> Body:
        """Raises ModelError or BudgetError, and ApiError where the cell has no chat model."""
        if self._chat is None:
            raise _without("chat")
        self._count_name(body.get("model"), self.chat_model)
        reply = self._models.relay(self._chat, account, self._sender).send(body)
        self._outcomes.add_usage(read_usage(reply))
        return reply

    def embed(self, asked: EmbeddingAsked, account: Account) -> Vectors:
        """(n, dimensions) float32 rows of unit length. Raises as `complete` does."""
        if self._embedding is None:
            raise _without("embedding")
        if asked.dimensions not in (None, self.dimensions):
            raise malformed(
                f"dimensions is {asked.dimensions}, and {self.embedding_model} has {self.dimensions}: "
                "ask for as many, or leave it out"
            )
        self._count_name(asked.model, self.embedding_model)
        model = self._embedder(self._embedding, account)
        return model.embed(asked.texts, kind="passage" if account.phase == "ingest" else "query")

    def _embedder(self, name: str, account: Account) -> EmbeddingModel:
        return self._models.embedding(name, account, self._sender)

    def _count_name(self, asked: object, own: str | None) -> None:
        if asked != own:
            with self._lock:
                self._renamed[str(asked)] += 1


def _plain_name(name: str | None, kind: Kind) -> str | None:
    """What a provider calls the model, without what says where it is. Raises InputError for one of a batch."""
    if name is None:
        return None
    parsed = parse_embedding_name(name) if kind == "embedding" else parse_model_name(name)
    if parsed.provider == "batch":
        raise InputError(
            f"model {name!r}: a memory system waits for each reply, and a batch answers in hours; "
            "name a model that answers at once"
        )
    return resolve(parsed).runs


def _without(kind: Kind) -> ApiError:
    return ApiError(404, f"this cell has no {kind} model: name one in the option {kind} of the system", "no_model")
