"""One rating: one dimension of one excerpt, by one call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

import msgspec

from groupmem.errors import ModelError
from groupmem.lab.judging.judge import Judge, stopped_short
from groupmem.lab.judging.quality.excerpts import Excerpt, draw_excerpt
from groupmem.models.base import ChatMessage, ChatReply, ChatRequest
from groupmem.models.openai_chat import complete_with_room
from groupmem.prompts import Prompts, text_marker
from groupmem.types import Conversation, Record, UnscoredReason, Usage

Dimension = Literal["naturalness", "coherence", "diversity", "contextual_relevance", "momentum", "engagingness"]

DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
PROMPT_NAMES = ("quality/system", "quality/user", *(f"quality/{dimension}" for dimension in DIMENSIONS))
LOWEST, HIGHEST = 1, 5

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "score": {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))},
    },
    "required": ["reasoning", "score"],
    "additionalProperties": False,
}


class Reply(Record, frozen=True, kw_only=True):
    """What a judge replies (prompts/quality/user.txt)."""

    score: Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]
    reasoning: str = ""


class Task(Record, frozen=True, kw_only=True):
    """What is to be rated."""

    conversation: str
    dimension: Dimension
    seed: int
    excerpt: Excerpt


class Rating(Record, frozen=True, kw_only=True):
    """What a judge said of one excerpt. `channel`, `first` and `last` say which messages it was shown.

    `score` is None exactly where `unscored` says why; `reply` is the raw text then.
    """

    conversation: str
    dimension: Dimension
    seed: int
    channel: str
    first: str
    last: str
    score: int | None = None
    unscored: UnscoredReason | None = None
    reasoning: str = ""
    reply: str = ""
    usage: Usage = Usage()


def tasks(conversation: Conversation, name: str, seeds: int) -> Iterator[Task]:
    """Every dimension for each of the seeds 0 to `seeds` - 1; all dimensions of a seed are rated on one excerpt.

    `name` is what the conversation is called. Raises ValueError where it has no messages.
    """
    for seed in range(seeds):
        excerpt = draw_excerpt(conversation, seed)
        for dimension in DIMENSIONS:
            yield Task(conversation=name, dimension=dimension, seed=seed, excerpt=excerpt)


def rate(task: Task, judge: Judge) -> Rating:
    """The judge's rating. A reply that was cut off is asked for once more with twice the room.

    What cannot be read, and a call that failed for good, give an unscored rating. Raises BudgetError or PendingError.
    """
    system, user = _prompt(task, judge.prompts)
    request = ChatRequest(
        messages=(ChatMessage(role="system", content=system), ChatMessage(role="user", content=user)),
        max_tokens=judge.profile.max_tokens,
        temperature=judge.profile.temperature,
        response_schema=_SCHEMA,
        sample=task.seed,  # short conversations give several seeds the same excerpt, and each is a rating of its own
    )
    try:
        reply = complete_with_room(judge.model, request)
    except ModelError as error:
        return _rating(task, unscored="provider_error", reply=str(error))
    return _read(task, reply)


def _prompt(task: Task, prompts: Prompts) -> tuple[str, str]:
    excerpt = task.excerpt
    user = prompts.load("quality/user").render(
        criterion=prompts.load(f"quality/{task.dimension}").render(),
        count=excerpt.count,
        excerpt=excerpt.text,
        marker=text_marker(excerpt.text),
    )
    return prompts.load("quality/system").render(), user


def _read(task: Task, reply: ChatReply) -> Rating:
    reason = stopped_short(reply)
    if reason is not None:
        return _rating(task, unscored=reason, reply=reply.text, usage=reply.usage)
    try:
        said = msgspec.convert(reply.parsed, Reply, strict=False)
    except msgspec.ValidationError:
        return _rating(task, unscored="unparsable", reply=reply.text, usage=reply.usage)
    return _rating(task, score=said.score, reasoning=said.reasoning, usage=reply.usage)


def _rating(task: Task, **said: Any) -> Rating:
    return Rating(
        conversation=task.conversation,
        dimension=task.dimension,
        seed=task.seed,
        channel=task.excerpt.channel,
        first=task.excerpt.first,
        last=task.excerpt.last,
        **said,
    )
