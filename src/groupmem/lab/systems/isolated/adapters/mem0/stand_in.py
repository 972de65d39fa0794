"""Plays the chat model of Mem0: every message is one fact, in its own words, and every fact is new."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_NEW_MESSAGES = re.compile(r"## New Messages\n(.*?)\n\n## Observation Date", re.DOTALL)
_NEW_FACTS = re.compile(r"```\s*(\[.*?\])\s*```", re.DOTALL)


def reply(body: Mapping[str, Any]) -> str:
    """The text that answers a chat completion request: to the one prompt of 2.x, or to either of the two of 1.x."""
    asked = body["messages"][-1]["content"]
    new = _NEW_MESSAGES.search(asked)
    if new:
        return json.dumps({"memory": [{"id": "0", "text": fact_of(new[1]), "attributed_to": "user"}]})
    if asked.startswith("Input:"):
        return json.dumps({"facts": [fact_of(asked.removeprefix("Input:"))]})
    facts = json.loads(_NEW_FACTS.findall(asked)[-1].replace("'", '"')) if _NEW_FACTS.search(asked) else []
    return json.dumps({"memory": [{"id": str(n), "text": fact, "event": "ADD"} for n, fact in enumerate(facts)]})


def fact_of(said: str) -> str:
    return said.strip().removeprefix("user: ")
