"""What a loopback server answers to the prompts of synthesis: it says what it is told to say, and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter

from support.openai_server import RecordedRequest, Reply

_QUOTED = re.compile(r'"([^"\n]+)"')
_WRITE = re.compile(r"WHAT THE MESSAGE SAYS\n(.*?)\n\nCONSTRAINTS", re.DOTALL)
_FIRST_SENTENCE = re.compile(r"(?<=[\w\")])\.(?: .*)?$")
_LINK = re.compile(r"link to the phase's document: (\S+)")
_NAMED = re.compile(r'by writing exactly "([^"]+)"|another phase of the project, "([^"]+)"')


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
    """The instructions of the prompt themselves, which name all that is to be said, and the rest that it must have; of
    an ultra-short message the words in quotation marks alone."""
    wanted = _WRITE.search(prompt)
    lines = wanted[1].splitlines()[1:] if wanted else []
    if "ULTRA-SHORT" in prompt:
        parts = [word for line in lines if "If it fits" not in line for word in _QUOTED.findall(line)] or ["ok"]
    else:
        parts = [_FIRST_SENTENCE.sub("", line.removeprefix("- ")).replace('"', "") for line in lines]
        parts = parts or [f"Noted, {len(prompt)} it is"]
        parts += ["I do"] * ("first person" in prompt)
    parts += [found[1] or found[2] for found in _NAMED.finditer(prompt)]
    parts += _LINK.findall(prompt)
    return "; ".join(parts)


def kinds(requests: list[RecordedRequest]) -> Counter[str]:
    return Counter(kind_of(request) for request in requests)
