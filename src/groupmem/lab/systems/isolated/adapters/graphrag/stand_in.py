"""Plays the chat model in tests: it extracts what is plainly there, and writes the shortest reports."""

from __future__ import annotations

import json
import re

_MESSAGE = re.compile(
    r"(?P<author>\S+)(?: \([^)]*\))? in (?P<channel>[^,:\n]+)[^\n]*:\n(?P<said>.*?)(?:\n####|\Z)", re.DOTALL
)


def reply(body):
    """The content of the reply to a chat completion request."""
    text = "\n".join(_text(turn) for turn in body["messages"])
    if body.get("response_format"):
        return json.dumps(_report())
    if "entity_name" in text and len(body["messages"]) > 1:
        return "<|COMPLETE|>"  # it was asked whether anything was missed
    if "entity_name" in text:
        return _extracted(text)
    return "One thing, described."


def _extracted(text):
    """The author, the channel, and every word of what was said that names something."""
    found = next(reversed(list(_MESSAGE.finditer(text))), None)
    author, channel, said = (found["author"], found["channel"], found["said"]) if found else ("", "", text)
    names = dict.fromkeys([author.upper(), channel.upper(), *_names(said)])
    entities = [f'("entity"<|>{name}<|>PERSON<|>{name} in: {said[:100]})' for name in names if name]
    ties = [
        f'("relationship"<|>{author.upper()}<|>{name}<|>{author} spoke of it<|>5)'
        for name in names
        if name and name != author.upper()
    ]
    return "\n##\n".join([*entities, *ties]) + "\n<|COMPLETE|>"


def _names(said):
    words = re.findall(r"\w{5,}", said)
    return [word.upper() for word in words[:6]]


def _report():
    return {
        "title": "People and what they spoke of",
        "summary": "They spoke with each other.",
        "rating": 1.0,
        "rating_explanation": "Nothing depends on it.",
        "findings": [{"summary": "They spoke.", "explanation": "They spoke with each other."}],
    }


def _text(turn):
    content = turn.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
