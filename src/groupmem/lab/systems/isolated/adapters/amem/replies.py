"""What stands between the package and its chat model: a reply that is not as asked for is asked for again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

TRIES = 3
_TYPES = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}


class UnusableReply(Exception):
    """No try gave JSON of the form that was asked for."""


class Replies:
    """Has the signature of the package's `get_completion`, and gives nothing but replies that fit their schema.

    The package would go on with any text, and lose the message, or the order of its notes, on the way.
    """

    def __init__(self, ask: Callable[..., str | None]) -> None:
        self._ask = ask
        self.failure: Exception | None = None
        self.asked_again = 0

    def __call__(self, prompt: str, response_format: Mapping[str, Any], temperature: float = 0.7) -> str:
        """Raises UnusableReply, or what the client raises; `failure` keeps it, for the package hides it."""
        self.failure = None
        try:
            return self._usable(prompt, response_format, temperature)
        except Exception as error:
            self.failure = error
            raise

    def _usable(self, prompt: str, response_format: Mapping[str, Any], temperature: float) -> str:
        schema = response_format["json_schema"]["schema"]
        for attempt in range(TRIES):
            self.asked_again += attempt > 0
            reply = self._ask(prompt, response_format, temperature) or ""
            if fits(_parsed(reply), schema):
                return reply
        raise UnusableReply(f"{TRIES} replies that are not of the form asked for, the last one: {reply[:200]!r}")


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is of a JSON schema, as far as the package's schemas go: types, items, required properties."""
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
        return False
    if kind == "array":
        return all(fits(item, schema["items"]) for item in value)
    if kind == "object":
        return all(name in value and fits(value[name], part) for name, part in schema["properties"].items())
    return True


def _parsed(reply: str) -> Any:
    try:
        return json.loads(reply)
    except ValueError:
        return None
