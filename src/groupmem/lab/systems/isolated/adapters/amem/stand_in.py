"""Plays the chat model in tests: a note is described by its own words, and linked to the one it is most like."""

from __future__ import annotations

import json
import re

_NEIGHBOUR = re.compile(
    r"^ *memory index:(?P<index>\d+)\t.*?\t memory context: (?P<context>.*?)\t memory keywords:",
    re.MULTILINE | re.DOTALL,
)


def reply(body):
    """The content of the reply to a chat completion request."""
    asked = body["messages"][-1]["content"]
    if "Content for analysis:" in asked:
        return json.dumps(_described(asked.partition("Content for analysis:")[2].strip()))
    if "memory evolution agent" in asked:
        return json.dumps(_evolved(asked))
    return json.dumps({"keywords": asked.rpartition("Question: ")[2]})


def _described(said):
    words = dict.fromkeys(re.findall(r"\w{3,}", said.partition(" says: ")[2]))
    return {"keywords": list(words)[:12], "context": said[:120], "tags": ["chat", "message"]}


def _evolved(asked):
    """The contexts of neighbours are given back as they are."""
    found = list(_NEIGHBOUR.finditer(asked))
    return {
        "should_evolve": bool(found),
        "actions": ["strengthen", "update_neighbor"],
        "suggested_connections": [int(each["index"]) for each in found[:1]],
        "tags_to_update": ["chat", "linked"],
        "new_context_neighborhood": [each["context"] for each in found],
        "new_tags_neighborhood": [["chat", "message"] for _ in found],
    }
