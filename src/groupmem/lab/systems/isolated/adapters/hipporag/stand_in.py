"""Plays the chat model in tests: words are entities, who said them is tied to each, and no fact is filtered out."""

from __future__ import annotations

import json
import re

_PARAGRAPH = re.compile(r"Paragraph:\n```\n(?P<passage>.*)\n```\n\s*(?P<entities>\{.*\})\s*\Z", re.DOTALL)
_FACTS = re.compile(r"\[\[ ## fact_before_filter ## \]\]\n(?P<facts>\{.*\})\n\nRespond", re.DOTALL)


def reply(body):
    """The content of the reply to a chat completion request."""
    asked = body["messages"][-1]["content"]
    facts = _FACTS.search(asked)
    if facts:
        return f"[[ ## fact_after_filter ## ]]\n{facts['facts']}\n\n[[ ## completed ## ]]"
    paragraph = _PARAGRAPH.search(asked)
    if paragraph:
        return json.dumps({"triples": _triples(**paragraph.groupdict())})
    return json.dumps({"named_entities": _words(asked)})


def _triples(passage, entities):
    author = passage.partition(" ")[0]
    return [[author, "spoke of", entity] for entity in json.loads(entities)["named_entities"] if entity != author]


def _words(passage):
    """The author, and the first longer words of what was said."""
    author = passage.partition(" ")[0]
    return list(dict.fromkeys([author, *re.findall(r"\w{4,}", passage.partition(":\n")[2])]))[:7]
