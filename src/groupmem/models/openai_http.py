"""Calls over HTTP to OpenAI, Azure, and whatever speaks the same API, through the `openai` client."""

from __future__ import annotations

from collections.abc import Mapping

import openai

from groupmem.models.calling import Call, ReplyStore
from groupmem.models.failures import failure_of
from groupmem.models.retry import SendFailure, unreadable
from groupmem.models.targets import Target, find_key
from groupmem.models.wire import Body, storable

CONNECT_SECONDS = 10.0

# Azure answers a prompt that its filter stopped with an error and no bill; it is a refusal like any other.
_FILTERED: Body = {
    "choices": [{"finish_reason": "content_filter", "message": {"content": ""}}],
    "usage": {
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
}


class HttpEndpoint:
    """One target over HTTP. The key is read from the environment and goes nowhere but into the request's header."""

    repeats = False

    def __init__(self, target: Target, replies: ReplyStore | None, timeout_seconds: float) -> None:
        """Raises ModelError where a key is needed and no variable holds one."""
        self.target = target
        self.replies = replies
        self._timeout_seconds = timeout_seconds
        self._client = _client(target, openai.Timeout(timeout_seconds, connect=min(timeout_seconds, CONNECT_SECONDS)))

    def post(self, call: Call, key: str) -> Body:
        """One try. Raises SendFailure."""
        try:
            body = self._client.post(call.path, body=dict(call.body), cast_to=object)
        except openai.APIError as error:
            if isinstance(error, openai.BadRequestError) and error.code == "content_filter":
                return _FILTERED
            raise self._failure(error) from error
        except ValueError as error:
            raise unreadable(f"half a JSON from {self.target.base_url} ({error})") from error
        if not isinstance(body, Mapping):
            raise unreadable(f"{self.target.base_url} sent no JSON object; does the URL end in /v1?")
        clean: Body = storable(body)
        return clean

    def _failure(self, error: openai.APIError) -> SendFailure:
        return failure_of(error, self.target, self._timeout_seconds)

    def close(self) -> None:
        self._client.close()


def _client(target: Target, timeout: openai.Timeout) -> openai.OpenAI:
    """A client that never tries again by itself, and that no proxy stands before on loopback."""
    key = find_key(target)
    http_client = openai.DefaultHttpxClient(trust_env=False) if target.on_loopback else None
    if target.api_version:
        return openai.AzureOpenAI(
            azure_endpoint=target.base_url,
            api_version=target.api_version,
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
    elsewhere = "OPENAI_API_KEY" not in target.key_variables  # then organisation and project stay at home, too
    return openai.OpenAI(
        api_key=key or "none",
        organization="" if elsewhere else None,
        project="" if elsewhere else None,
        base_url=target.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=http_client,
    )
