"""Plays the chat model in tests: it extracts what is plainly there, merges nothing, answers from what it fetched."""

from __future__ import annotations

import json
import re

_AUTHOR = re.compile(r"^\[(?P<author>\S+)(?: \([^)]*\))? in (?P<channel>[^,\]]+)", re.MULTILINE)
_PAIR = re.compile(r"""pair_id["']?:\s*["']?([\w:-]+)""")
_EVIDENCE = re.compile(r"ev1:[\w:.-]+")


def reply(body):
    """The content of the reply, or a whole message where it calls a tool."""
    first = _text(body["messages"][0])
    last = _text(body["messages"][-1])
    if body.get("tools"):
        return _agent(body)
    if "entity resolution assistant" in first:
        verdicts = [
            {"pair_id": pair, "reasoning": "other words", "verdict": "no_match"} for pair in _PAIR.findall(last)
        ]
        return json.dumps(verdicts)
    return json.dumps(_extracted(last))


def _extracted(text):
    """The author is a person, the channel a topic, and the first line of what was said a fact about it."""
    found = _AUTHOR.search(text)
    author, channel = (found["author"], found["channel"]) if found else ("somebody", "somewhere")
    said = next((line for line in text[found.end() if found else 0 :].splitlines()[1:] if line.strip()), "nothing")
    entities = [
        {"label": "Person", "text": author},
        {"label": "Topic", "text": channel},
        {"label": "Fact", "text": said[:120], "properties": {"speaker": author}},
    ]
    relations = [{"label": "ABOUT", "source_text": said[:120], "target_text": channel}]
    return {"entities": entities, "relations": relations}


def _agent(body):
    """It searches for the question, fetches the first passage, and answers with it."""
    results = [_text(turn) for turn in body["messages"] if turn["role"] == "tool"]
    question = next(_text(turn) for turn in reversed(body["messages"]) if turn["role"] == "user")
    if not results:
        return _call("search_evidence", {"query": question.split("\n")[0]})
    evidence = _EVIDENCE.findall(results[0])
    if len(results) == 1 and evidence:
        return _call("fetch_evidence", {"evidence_ids": evidence[:1]})
    status = "supported" if evidence else "insufficient_evidence"
    answer = f"It was said in {evidence[0]}. [{evidence[0]}]" if evidence else "Nobody said that."
    return _call("AgentAnswer", {"answer": answer, "support_status": status, "citations": evidence[:1]})


def _call(name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [_tool(name, function)]}


def _tool(name, function):
    return {"id": f"call_{name}", "type": "function", "function": function}


def _text(turn):
    content = turn.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
