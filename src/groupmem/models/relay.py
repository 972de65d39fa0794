"""Chat requests that somebody else wrote, passed on as they are."""

from __future__ import annotations

from typing import Any

from groupmem.models.base import Account
from groupmem.models.calling import Call, Endpoint, Reading, Sender
from groupmem.models.targets import Target
from groupmem.models.wire import REASONING_ROOM_TOKENS, Body, read_chat

# A reasoning model answers HTTP 400 to each of these.
_REFUSED_BY_REASONING = (
    *("temperature", "top_p", "presence_penalty", "frequency_penalty"),
    *("logit_bias", "logprobs", "top_logprobs"),
)
_OF_STREAMS = ("stream", "stream_options")


class ChatRelay:
    """Sends bodies of `/chat/completions` to one model, with all that is in them: tools, formats, seeds, fields that
    nobody here knows. Each of them is part of the request's hash.

    Changed are only the model's name, what belongs to streams (a reply comes whole), and, for a reasoning model, what
    it does not take: `temperature` and its like are left out, and `max_tokens` becomes `max_completion_tokens` with
    room for the tokens that nobody sees.
    """

    def __init__(self, endpoint: Endpoint, sender: Sender, account: Account) -> None:
        self._endpoint = endpoint
        self._sender = sender
        self._account = account

    def send(self, body: Body) -> Body:
        """The provider's body, unchanged. Raises ModelError or BudgetError, and PendingError where it comes later."""
        call = Call(kind="chat", body=_adapted(body, self._endpoint.target), account=self._account)
        reply, _ = self._sender.call(self._endpoint, call, _read)
        return reply


def _read(body: Body) -> Reading[Body]:
    """The body itself; what is no reply raises a retryable SendFailure."""
    return Reading(body, read_chat(body).finish_reason)


def _adapted(body: Body, target: Target) -> dict[str, Any]:
    """Fields that are null are left out, as the API reads them."""
    sent = {name: value for name, value in body.items() if value is not None and name not in _OF_STREAMS}
    sent["model"] = target.model
    if target.reasoning:
        for name in _REFUSED_BY_REASONING:
            sent.pop(name, None)
        cap = sent.pop("max_tokens", None)
        if cap is not None:
            sent.setdefault("max_completion_tokens", cap + REASONING_ROOM_TOKENS)
    return sent
