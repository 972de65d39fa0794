"""What a loopback server answers to the prompts of synthesis: it says what it is told to say, and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter

from support.openai_server import RecordedRequest, Reply

_QUOTED = re.compile(r'"([^"\n]+)"')
_WRITE = re.compile(r"WHAT THE MESSAGE SAYS\n(.*?)\n\nCONSTRAINTS", re.DOTALL)
_LINK = re.compile(r"link to the phase's document: (\S+)")


def prompt_of(request: RecordedRequest) -> str:
    """The first user turn: what was asked for before anything was sent back."""
    return str(next(turn["content"] for turn in request.body["messages"] if turn["role"] == "user"))


def kind_of(request: RecordedRequest) -> str:
    """Which of the prompts it is."""
    prompt = prompt_of(request)
    if prompt.startswith("You keep the ledger"):
        return "ledger"
    if '"sub_issues"' in prompt:
        return "sub_issues"
    if "TASK" not in prompt:
        return "single_prompt"
    for kind, sign in (("noise", "exactly one realistic mistake"), ("disagreement", "pushes back on a point")):
        if sign in prompt:
            return kind
    if "Start a new thread" in prompt:
        return "post"
    return "cross_project" if "You come from another project" in prompt else "reply"


def write(request: RecordedRequest) -> Reply:
    """The message of a writer that keeps to its plan; sub-issues and ledgers in their forms."""
    kind = kind_of(request)
    if kind == "sub_issues":
        return Reply(json.dumps({"sub_issues": [f"the {number}th concern of the team" for number in range(6)]}))
    if kind == "ledger":
        return Reply("DECIDED\n- one thing\nOPEN QUESTIONS\n- none\nPENDING COMMITMENTS\n- none")
    return Reply(message(prompt_of(request)))


def message(prompt: str) -> str:
    """All that the prompt wants in quotation marks, in the first person where it wants that, and the link."""
    wanted = _WRITE.search(prompt)
    parts = _QUOTED.findall(wanted[1]) if wanted else []
    if "first person" in prompt:
        parts.insert(0, "I do")
    parts += _LINK.findall(prompt)
    if not parts:
        parts = ["ok"] if "ULTRA-SHORT" in prompt else [f"Noted, {len(prompt)} it is"]
    return "; ".join(parts)


def kinds(requests: list[RecordedRequest]) -> Counter[str]:
    return Counter(kind_of(request) for request in requests)
