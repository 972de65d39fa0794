"""Plays the chat model in tests: it extracts what is plainly there, merges nothing, answers from what it fetched."""

from __future__ import annotations

import json
import re

_AUTHOR = re.compile(r"^\[(?P<author>\S+)(?: \([^)]*\))? in [^\]]+\]", re.MULTILINE)
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
    """The author is a person, the first line said is a fact, its longest word a topic, alone and with the word before.

    Names are copied from the text: the package drops others.
    """
    found = _AUTHOR.search(text)
    author = found["author"] if found else "somebody"
    said = next((line for line in text[found.end() if found else 0 :].splitlines()[1:] if line.strip()), "nothing")
    topic = max(re.findall(r"\w+", said) or ["nothing"], key=len)
    longer = re.search(rf"\w+ {re.escape(topic)}", said)
    topics = dict.fromkeys([topic, longer[0] if longer else topic])
    entities = [
        {"label": "Person", "text": author},
        {"label": "Fact", "text": said[:120], "properties": {"speaker": author}},
        *({"label": "Topic", "text": name} for name in topics),
    ]
    return {
        "entities": entities,
        "relations": [{"label": "ABOUT", "source_text": said[:120], "target_text": topic}],
    }


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
