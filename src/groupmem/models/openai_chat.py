"""Chat models that speak the OpenAI layout, whatever answers at the other end."""

from __future__ import annotations

from msgspec.structs import replace

from groupmem.models.base import Account, ChatModel, ChatReply, ChatRequest
from groupmem.models.calling import Call, Endpoint, Reading, Sender
from groupmem.models.wire import Body, chat_body, read_chat


class OpenAIChat:
    """A chat model over an endpoint: HTTP, batch files or a script."""

    def __init__(self, endpoint: Endpoint, sender: Sender, account: Account) -> None:
        self._endpoint = endpoint
        self._sender = sender
        self._account = account

    @property
    def name(self) -> str:
        return self._endpoint.target.name

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply, with what it took. A truncated or refused one is returned and says so in `finish_reason`.

        Raises ModelError where no reply can be had, BudgetError, and PendingError where it comes with a later batch.
        """
        call = Call(
            kind="chat",
            body=chat_body(self._endpoint.target, request),
            account=self._account,
            sample=request.sample,
            attempt=request.attempt,
        )
        wants_json = request.response_schema is not None

        def read(body: Body) -> Reading[ChatReply]:
            reply = read_chat(body, wants_json=wants_json)
            return Reading(reply, reply.finish_reason)

        reply, usage = self._sender.call(self._endpoint, call, read)
        return replace(reply, usage=usage)


def complete_with_room(model: ChatModel, request: ChatRequest) -> ChatReply:
    """Like `model.complete`, and once more with twice the cap where the reply was cut off.

    The second call is the next attempt, which also doubles the room of a reasoning model's hidden tokens. The usage is
    that of both calls. A reply that is cut off again is returned as it is; one without a cap is not asked for again.
    """
    reply = model.complete(request)
    if reply.finish_reason != "length" or request.max_tokens is None:
        return reply
    wider = replace(request, max_tokens=2 * request.max_tokens, attempt=request.attempt + 1)
    second = model.complete(wider)
    return replace(second, usage=reply.usage + second.usage)
