"""Plays the chat model in tests: every message is one fact, every batch of facts one observation."""

from __future__ import annotations

import json
import re

_FACT = re.compile(r"^\[([0-9a-f-]{36})\] (.*)$", re.MULTILINE)


def reply(body):
    """The content of the reply to a chat completion request."""
    asked = body["messages"][-1]["content"]
    if "Extract facts from the following chunk" in asked:
        return json.dumps({"facts": [_fact(asked.partition("\nContent:\n")[2].strip())]})
    if "### New facts" in asked:
        facts = _FACT.findall(asked.partition("### New facts")[2].partition("### Existing observations")[0])
        return json.dumps({"creates": [_observation(facts)], "updates": [], "deletes": []})
    return json.dumps({"action": "keep"})  # whether two observations are one


def _fact(said):
    unknown = dict.fromkeys(("when", "where", "who", "why"), "N/A")
    named = [{"text": word} for word in dict.fromkeys(re.findall(r"\b[A-Z]\w{3,}", said))][:4]
    return {"what": said, **unknown, "fact_type": "world", "fact_kind": "conversation", "entities": named}


def _observation(facts):
    told = "; ".join(text.partition(" (")[0] for _, text in facts)
    return {"text": f"Said here: {told}", "source_fact_ids": [key for key, _ in facts], "reason": "same place"}
