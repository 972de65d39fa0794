"""`scripted:FILE`: replies from a file, for tests and for trying the plumbing without a model.

The file is a JSON list of rules, or JSONL with one rule a line:

    {"match": "budget", "reply": "Final: the budget is 40."}        "budget" is in the last message of the user, or in
                                                                    the result of a tool that came after it
    {"regex": "^Who (owns|runs)", "reply": "Final: Mira"}           the pattern is found in it
    {"match": "", "reply": "", "finish_reason": "length"}           "" is in every message: a default, put last
    {"reply": {"score": 4}}                                         no condition: used once, in order
    {"reply": "", "tool_calls": [{"name": "search", "arguments": {"query": "budget"}}]}

The first rule whose condition holds gives the reply, and where none does, the next one without a condition. A reply
that is no string is written as JSON. A file that ends in .py is a program instead (`program`): its function
`reply(body)` is given the body of each request, and gives a text, or an object with the fields of a rule.

`finish_reason` is stop, length, content_filter or tool_calls; `refusal`,
`reasoning` and `usage` (the provider's object; by default o200k tokens are counted) may be given. Arguments of a tool
that are a string are sent as they are, so a script can also break them.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from groupmem.errors import InputError
from groupmem.models.calling import Call
from groupmem.models.program import is_program, load_program
from groupmem.models.retry import SendFailure
from groupmem.models.targets import Target
from groupmem.models.wire import Body, turn_text, worst_case
from groupmem.text import count_tokens
from groupmem.types import Record

_SHOWN_CHARACTERS = 120


class ToolCall(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call of a tool that a reply asks for."""

    name: str
    arguments: Mapping[str, Any] | str = {}

    def wire(self, call_id: str) -> dict[str, Any]:
        """In the provider's layout."""
        function = {"name": self.name, "arguments": _written(self.arguments)}
        return {"id": call_id, "type": "function", "function": function}


class Rule(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule of a script; see the module."""

    reply: Any
    match: str | None = None
    regex: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: Literal["stop", "length", "content_filter", "tool_calls"] | None = None
    refusal: str | None = None
    reasoning: str = ""
    usage: Mapping[str, Any] | None = None

    @property
    def ordered(self) -> bool:
        return self.match is None and self.regex is None

    def matches(self, message: str) -> bool:
        if self.regex is not None:
            return re.search(self.regex, message) is not None
        return self.match is not None and self.match in message


class ScriptedEndpoint:
    """Answers calls from a script. Equal calls are calls of their own, as the replies in order may differ."""

    replies = None
    repeats = True

    def __init__(self, target: Target, path: Path) -> None:
        """Raises InputError, naming the line, for a file that is no script."""
        self.target = target
        self._path = path
        self._program = load_program(path) if is_program(path) else None
        self._rules = [] if self._program else read_script(path)
        self._ordered = iter([rule for rule in self._rules if rule.ordered])
        self._lock = threading.Lock()

    def post(self, call: Call, key: str) -> Body:
        """The body of the first rule that matches, or of what the program says. Raises SendFailure where there is
        none."""
        rule = self._said(call.body) if self._program else self._rule(_last_of_user(call.body))
        text = _written(rule.reply)
        message: dict[str, Any] = {"content": text, "refusal": rule.refusal, "reasoning_content": rule.reasoning}
        if rule.tool_calls:
            message["tool_calls"] = [tool.wire(f"call_{key[:16]}_{n}") for n, tool in enumerate(rule.tool_calls)]
        finish_reason = rule.finish_reason or ("tool_calls" if rule.tool_calls else "stop")
        usage = _counted(call.body, message) if rule.usage is None else rule.usage
        return {"choices": [{"finish_reason": finish_reason, "message": message}], "usage": usage}

    def _said(self, body: Body) -> Rule:
        """Whatever goes wrong in the program is told as what it is: no reply, and not for want of trying again."""
        assert self._program is not None  # noqa: S101  (only asked where there is one)
        try:
            said = self._program(body)
            return Rule(reply=said) if isinstance(said, str) else msgspec.convert(said, Rule)
        except Exception as error:
            raise SendFailure(f"{self._path}: reply() failed: {type(error).__name__}: {error}") from error

    def _rule(self, message: str) -> Rule:
        found = next((rule for rule in self._rules if rule.matches(message)), None)
        if found is None:
            with self._lock:
                found = next(self._ordered, None)
        if found is None:
            raise SendFailure(
                f"{self._path}: no rule matches and no reply in order is left, for the message "
                f'"{message[:_SHOWN_CHARACTERS]}"; add a rule, or {{"match": "", "reply": ...}} as a default'
            )
        return found


def read_script(path: Path) -> list[Rule]:
    """The rules of a JSON or JSONL file. Raises InputError with file and line."""
    text = _content(path)
    if text.lstrip().startswith(b"["):
        rules: list[Rule] = _decode(text, list[Rule], str(path))
    else:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        rules = [_decode(line, Rule, f"{path}:{number}") for number, line in lines]
    if not rules:
        raise InputError(f"{path}: the script has no rules")
    for number, rule in enumerate(rules, start=1):
        _check_regex(rule, f"{path}, rule {number}")
    return rules


def script_sha256(path: Path) -> str:
    """sha256 of the file in hex. Raises InputError where it cannot be read."""
    return hashlib.sha256(_content(path)).hexdigest()


def _last_of_user(body: Body) -> str:
    asked = [turn_text(turn) for turn in body["messages"] if turn["role"] in ("user", "tool")]
    return asked[-1] if asked else ""


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: the script cannot be read ({error.strerror})") from error


def _decode(content: bytes, kind: Any, where: str) -> Any:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise InputError(f'{where}: {error}; a rule is {{"match": "...", "reply": "..."}}') from error


def _check_regex(rule: Rule, where: str) -> None:
    try:
        re.compile(rule.regex or "")
    except re.error as error:
        raise InputError(f"{where}: the pattern {rule.regex!r} is no regular expression ({error})") from error


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _counted(body: Body, message: Mapping[str, Any]) -> Mapping[str, Any]:
    thought = count_tokens(message["reasoning_content"])
    called = "".join(_written(tool["function"]) for tool in message.get("tool_calls", ()))
    read = worst_case(body).input_tokens or 0
    written = count_tokens(message["content"]) + count_tokens(called) + thought
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
