"""What went wrong with one try over HTTP, said so that a user can act on it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import openai

from groupmem.models.retry import SendFailure
from groupmem.models.targets import Target

_RETRYABLE = {408, 409, 429}
_TOO_LONG = re.compile(r"too long|too large|maximum (?:context|input|allowed)|context length|token limit|exceeds", re.I)
_SECRET = re.compile(r"\b(?:sk|key)-[\w*.-]+", re.I)
_SHOWN_CHARACTERS = 300

# The library below the client is another one in another version of it, so its errors are known by name.
_NEVER_CONNECTED = {"ConnectError", "ConnectTimeout"}


def failure_of(error: openai.APIError, target: Target, timeout_seconds: float) -> SendFailure:
    """The failure that an error of the client stands for."""
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, target)
    sent = type(error.__cause__).__name__ not in _NEVER_CONNECTED
    if not sent:
        message = f"{target.name}: nothing answers at {target.base_url}; is the server running?"
    elif isinstance(error, openai.APITimeoutError):
        message = f"{target.name}: no answer from {target.base_url} within {timeout_seconds:g} s"
    else:
        message = f"{target.name}: {target.base_url} closed the connection without an answer"
    return SendFailure(message, retryable=True, maybe_billed=sent)


def _status_failure(error: openai.APIStatusError, target: Target) -> SendFailure:
    status, said = error.status_code, _said(error, target)
    if status == 429 and error.code == "insufficient_quota":
        return SendFailure(f"{target.name}: the account at {target.base_url} has no credit left (HTTP 429)")
    if status in _RETRYABLE or status >= 500:
        return SendFailure(
            f"{target.name}: HTTP {status} from {target.base_url}: {said}",
            retryable=True,
            retry_after_seconds=_retry_after_seconds(error.response.headers),
        )
    if status in (401, 403):
        return SendFailure(
            f"{target.name}: {target.base_url} refused the key (HTTP {status}): {_key_advice(target)}", status=status
        )
    if status == 404:
        return SendFailure(
            f"{target.name}: no model {target.model!r} at {target.base_url} (HTTP 404: {said}); "
            "check the model's name, and that the URL ends where the API begins, mostly in /v1",
            status=status,
        )
    too_long = status == 413 or bool(_TOO_LONG.search(said))
    return SendFailure(
        f"{target.name}: {target.base_url} refused the request (HTTP {status}): {said}",
        too_long=too_long,
        status=status,
    )


def _key_advice(target: Target) -> str:
    if not target.key_variables:
        return "the server must let requests through without a key"
    return f"set {' or '.join(target.key_variables)} to a key that may use this model"


def _said(error: openai.APIStatusError, target: Target) -> str:
    """The provider's own words, shortened, without the key or anything that looks like one."""
    body = error.body
    found = (body.get("message") or body.get("detail")) if isinstance(body, Mapping) else body
    text = found if isinstance(found, str) and found else error.message
    for key in filter(None, map(os.environ.get, target.key_variables)):
        text = text.replace(key, "[key]")
    return _SECRET.sub("[key]", " ".join(text.split()))[:_SHOWN_CHARACTERS]


def _retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """What the provider asks for, as milliseconds, seconds or a date; None where it asks for nothing readable."""
    milliseconds, after = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            return max(0.0, float(milliseconds) / 1_000)
        return max(0.0, float(after)) if after else None
    except ValueError:
        return _seconds_until(after or "")


def _seconds_until(date: str) -> float | None:
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
