"""Recall with a chat model that a test plays: over HTTP on loopback, told apart by what the prompt asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from groupmem.memory.assistance import Assistance, AssistedRecaller, Calls
from groupmem.memory.recall import Recaller
from groupmem.models.base import Account, ChatModel
from groupmem.models.budget import Budget
from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models
from groupmem.prompts import Prompts
from support.memory_view import MemoryView
from support.openai_server import OpenAIServer, RecordedRequest, Reply
from support.recall_talk import VECTORS

Task = Literal["decompose", "fill", "rerank", "verify"]
ACCOUNT = Account(run="trial", cell="unit/groupmem", phase="recall")

_FIELDS: Mapping[str, Task] = {"lookups": "decompose", "lookup": "fill", "order": "rerank", "replaced": "verify"}
_BLOCK = re.compile(r"^<(\w+) id=\"(\w+)\">\n(.*?)\n</\1 id=\"\2\">$", re.DOTALL | re.MULTILINE)


class Prompt(NamedTuple):
    """What a model was asked: for what, and the JSON objects of each of its blocks ("question", "messages", ...)."""

    task: Task
    blocks: dict[str, list[Any]]


def read_prompt(body: Mapping[str, Any]) -> Prompt:
    """Takes a request apart, as one who trusts nothing in it but the markers."""
    (field,) = body["response_format"]["json_schema"]["schema"]["properties"]
    blocks = _BLOCK.findall(body["messages"][-1]["content"])
    return Prompt(_FIELDS[field], {tag: [json.loads(line) for line in text.split("\n")] for tag, _, text in blocks})


def playing(replies: Mapping[Task, Any | Callable[[Prompt], Any]]) -> Callable[[RecordedRequest], Reply]:
    """A server's replies by task: a JSON value, or what makes one of the prompt."""

    def reply(request: RecordedRequest) -> Reply:
        prompt = read_prompt(request.body)
        given = replies[prompt.task]
        return Reply(json.dumps(given(prompt) if callable(given) else given))

    return reply


@contextmanager
def chat_over(server: OpenAIServer, budget: Budget | None = None, timeout_seconds: float = 20.0) -> Iterator[ChatModel]:
    """A chat model at the server, tried once."""
    patience = RetryPolicy(tries=1, timeout_seconds=timeout_seconds)
    with Models(log_path=None, cache_path=None, budget=budget, retry=patience) as models:
        yield models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT)


def assisted(view: MemoryView, chat: ChatModel, *uses: str) -> tuple[AssistedRecaller, Calls]:
    """A recaller that asks the model for `uses` alone, and the calls that it counts."""
    calls = Calls(chat, Prompts())
    assistance = Assistance(**{name: name in uses for name in Assistance.__struct_fields__})
    return AssistedRecaller(Recaller(VECTORS if view.has_vectors else None), calls, assistance), calls
