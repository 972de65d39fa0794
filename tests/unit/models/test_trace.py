"""The trace: the whole of every call, readable as gzip, and whole again after a kill at any byte."""

from __future__ import annotations

import gzip
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from groupmem.errors import InputError, ModelError
from groupmem.models.base import Account, ChatMessage, ChatRequest
from groupmem.models.calllog import CallRow
from groupmem.models.retry import RetryPolicy
from groupmem.models.session import Models
from groupmem.models.trace import Trace, read_trace, whole_bytes
from support.openai_server import OpenAIServer, Reply, error

ACCOUNT = Account(run="r", cell="conv17/mem", phase="judge", step="")
ROW = CallRow(account=ACCOUNT, kind="chat", model="openai:m", base_url="http://x", request_hash="h")


def asked(text: str) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),))


def test_every_call_is_there_with_what_was_sent_and_what_came_back(tmp_path: Path) -> None:
    path = tmp_path / "run" / "trace.jsonl.gz"
    replies = [error(503, "busy"), Reply("Final: Mira 👩‍👧"), error(400, "no such model")]
    policy = RetryPolicy(sleep=lambda _: None)
    with OpenAIServer(replies) as server:
        name = f"openai:m@{server.url}"
        with Models(log_path=None, cache_path=tmp_path / "cache", trace_path=path, retry=policy) as models:
            model = models.chat(name, ACCOUNT)
            model.complete(asked("Who? 日本"))
            model.complete(asked("Who? 日本"))
            with pytest.raises(ModelError):
                model.complete(asked("What?"))
    lines = list(read_trace(path))
    assert [(line.get("error") is None, line.get("cached", False)) for line in lines] == [
        (False, False),
        (True, False),
        (True, True),
        (False, False),
    ]
    for line in lines:
        assert line["account"] == {"run": "r", "cell": "conv17/mem", "phase": "judge"}
        assert line["model"] == name
    assert [line["request"]["messages"][0]["content"] for line in lines] == ["Who? 日本"] * 3 + ["What?"]
    assert [line["reply"] and line["reply"]["choices"][0]["message"]["content"] for line in lines] == [
        None,
        "Final: Mira 👩‍👧",
        "Final: Mira 👩‍👧",
        None,
    ]
    assert [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()] == lines


def test_calls_under_way_at_once_leave_whole_lines_and_equal_ones_the_reply_once(tmp_path: Path) -> None:
    hold = threading.Event()
    opened = partial(Models, log_path=None, cache_path=None, trace_path=tmp_path / "t.gz")
    with OpenAIServer(lambda request: Reply(request.last_message, until=hold)) as server, opened() as models:
        model = models.chat(f"openai:m@{server.url}", ACCOUNT)
        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(model.complete, asked(f"text {n % 4}")) for n in range(8)]
            server.wait_for(4)
            hold.set()
            for each in running:
                each.result()
    lines = list(read_trace(tmp_path / "t.gz"))
    assert len(lines) == 8
    replied = {line["request_hash"] for line in lines if line["reply"]}
    assert replied == {line["request_hash"] for line in lines}
    assert len(replied) == 4


def test_vectors_are_left_out(tmp_path: Path) -> None:
    with OpenAIServer() as server, Models(log_path=None, cache_path=None, trace_path=tmp_path / "t.gz") as models:
        models.embedding(f"openai:e@{server.url}", ACCOUNT).embed(["one"], kind="query")
    lines = list(read_trace(tmp_path / "t.gz"))
    assert lines
    for line in lines:
        assert line["request"]["input"]
        assert "data" not in line["reply"]


def test_a_kill_at_any_byte_loses_the_line_that_was_being_written_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    ends = [0]
    for number in range(3):
        trace = Trace(path)
        trace.add(ROW, {"n": number, "filler": "x" * 200}, {"n": number})
        trace.close()
        ends.append(path.stat().st_size)
    content = path.read_bytes()
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        whole = max(end for end in ends if end <= cut)
        assert whole_bytes(path) == whole
        assert [line["reply"]["n"] for line in read_trace(path)] == list(range(ends.index(whole)))
    path.write_bytes(content[:-1])
    trace = Trace(path)
    trace.add(ROW, {}, {"n": 7})
    trace.close()
    assert [line["reply"]["n"] for line in read_trace(path)] == [0, 1, 7]
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 3


def test_members_longer_than_a_block_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    trace = Trace(path)
    noise = [f"{number * 2654435761 % 2**64:x}" for number in range(40_000)]
    for _ in range(2):
        trace.add(ROW, {"noise": noise}, None)
    trace.close()
    assert path.stat().st_size > 400_000
    assert [line["request"]["noise"] == noise for line in read_trace(path)] == [True, True]


def test_what_is_no_trace_is_started_anew_and_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"no gzip at all")
    assert whole_bytes(tmp_path / "other") == 0
    with pytest.raises(InputError, match="cannot be written"):
        Trace(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        list(read_trace(tmp_path / "none"))
