"""`scripted:FILE`: rules from a file, in place of a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupmem.errors import BudgetError, InputError, ModelError
from groupmem.models.base import ChatMessage, ChatModel, ChatRequest
from groupmem.models.budget import Budget
from groupmem.models.session import Models
from groupmem.text import count_tokens
from support.asking import ACCOUNT, ask

Open = Callable[..., Models]


@pytest.fixture
def scripted(open_models: Open, tmp_path: Path) -> Callable[..., ChatModel]:
    """A function from rules to the model that follows them."""

    def make(*rules: dict[str, Any], **fields: Any) -> ChatModel:
        path = tmp_path / "replies.jsonl"
        path.write_text("\n".join(json.dumps(rule) for rule in rules), "utf-8")
        return open_models(**fields).chat(f"scripted:{path}", ACCOUNT)

    return make


def test_conditions_come_before_order_and_the_first_that_holds_wins(scripted: Callable[..., ChatModel]) -> None:
    model = scripted(
        {"reply": "one"},
        {"match": "budget", "reply": "40"},
        {"regex": "^Who (owns|runs)", "reply": "Mira"},
        {"match": "owns", "reply": "never: the pattern above holds too"},
        {"reply": "two"},
    )
    asked = ["Who owns the budget?", "Who owns it?", "anything", "Who runs it?", "at all"]
    assert [model.complete(ask(text)).text for text in asked] == ["40", "Mira", "one", "Mira", "two"]
    with pytest.raises(ModelError, match=r'replies\.jsonl: no rule matches .* "more"'):
        model.complete(ask("more"))


def test_only_the_last_user_message_is_looked_at(scripted: Callable[..., ChatModel]) -> None:
    model = scripted({"match": "early", "reply": "no"}, {"match": "late", "reply": "yes"})
    turns = [("system", "early"), ("user", "early"), ("assistant", "early"), ("user", "late"), ("assistant", "early")]
    request = ChatRequest(messages=tuple(ChatMessage(role=role, content=text) for role, text in turns))  # type: ignore[arg-type]
    assert model.complete(request).text == "yes"


def test_replies_say_what_servers_say(scripted: Callable[..., ChatModel]) -> None:
    model = scripted(
        {"match": "cut", "reply": "", "finish_reason": "length", "reasoning": "so much to think"},
        {"match": "no", "reply": "", "refusal": "I will not."},
        {"match": "rate", "reply": {"score": 4}},
        {"match": "dear", "reply": "x", "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    )
    cut, refused, rated, dear = (
        model.complete(ask(text, response_schema={"type": "object"})) for text in ("cut", "no", "rate", "dear")
    )
    assert (cut.text, cut.finish_reason, cut.reasoning) == ("", "length", "so much to think")
    assert (refused.text, refused.finish_reason) == ("I will not.", "refusal")
    assert rated.parsed == {"score": 4}
    assert (dear.usage.input_tokens, dear.usage.output_tokens, dear.usage.reasoning_tokens) == (7, 2, None)


def test_tokens_are_counted_and_cost_nothing(scripted: Callable[..., ChatModel]) -> None:
    usage = scripted({"match": "", "reply": "a reply of some words"}).complete(ask("決定は延期されました")).usage
    assert usage.output_tokens == count_tokens("a reply of some words")
    assert (usage.input_tokens or 0) >= count_tokens("決定は延期されました")
    assert usage.cost_usd == 0.0


def test_equal_calls_are_calls_of_their_own(scripted: Callable[..., ChatModel], tmp_path: Path) -> None:
    model = scripted({"reply": "one"}, {"reply": "two"}, cache_path=tmp_path / "cache.sqlite")
    assert [model.complete(ask("same")).text for _ in range(2)] == ["one", "two"]


def test_a_script_stands_in_for_a_budget_too(scripted: Callable[..., ChatModel]) -> None:
    model = scripted({"match": "", "reply": "x"}, budget=Budget(usd=0.0, calls=2))
    for number in range(2):
        model.complete(ask(f"q{number}"))
    with pytest.raises(BudgetError, match="2 of 2 calls"):
        model.complete(ask("q2"))


def test_a_json_list_is_a_script_too(open_models: Open, tmp_path: Path) -> None:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps([{"match": "", "reply": "x"}], indent=1))
    assert open_models().chat(f"scripted:{path}", ACCOUNT).complete(ask("q")).text == "x"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no rules"),
        (b"[]", "no rules"),
        (b'{"reply": "x"}\n{"reply": ', r"replies:2: .*a rule is"),
        (b'{"reply": "x"}\n\n{"replies": "x"}', r"replies:3: "),
        (b'{"match": "q"}', "reply"),
        (b'{"reply": "x", "finish_reason": "done"}', "done"),
        (b'{"reply": "x", "regex": "("}', r"rule 1: the pattern '\('"),
        (b'[{"reply": "x"}, 3]', "replies: "),
        (b"\xff\xfe", "replies:1"),
    ],
)
def test_a_file_that_is_no_script(open_models: Open, tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "replies"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        open_models().chat(f"scripted:{path}", ACCOUNT)


def test_no_file(open_models: Open, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: the script cannot be read"):
        open_models().chat(f"scripted:{tmp_path / 'none.jsonl'}", ACCOUNT)


PROGRAM = """
def reply(body):
    last = body["messages"][-1]["content"]
    if last == "tool":
        return {"reply": "", "tool_calls": [{"name": "search", "arguments": {"query": last}}]}
    if last == "broken":
        return {"tool_calls": []}
    return f"{len(body['messages'])} turns"
"""


def test_a_program_is_given_the_body_and_gives_what_a_rule_gives(open_models: Open, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(PROGRAM)
    model = open_models().chat(f"scripted:{path}", ACCOUNT)
    assert model.complete(ask("hello")).text == "1 turns"
    assert model.complete(ask("tool")).finish_reason == "tool_calls"
    with pytest.raises(ModelError, match=r"model.py: reply\(\) failed: .*required field `reply`"):
        model.complete(ask("broken"))
    described = Models.describe(f"scripted:{path}")
    path.write_text(PROGRAM + "#")
    assert Models.describe(f"scripted:{path}") != described


@pytest.mark.parametrize(
    ("content", "told"),
    [("reply = 3", "has no function reply"), ("1 / 0", "fails when it is loaded: ZeroDivisionError"), (None, "read")],
)
def test_a_program_that_is_none(open_models: Open, tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "model.py"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=told):
        open_models().chat(f"scripted:{path}", ACCOUNT)
