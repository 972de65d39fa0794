"""What the log of calls holds, and what is summed from it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from groupmem.errors import InputError, ModelError
from groupmem.models.base import Account
from groupmem.models.calllog import CallLog
from groupmem.models.prices import Prices
from groupmem.models.session import Models
from support.asking import ACCOUNT, ask
from support.openai_server import OpenAIServer, Reply, error

Open = Callable[..., Models]

# Says how many calls were answered, for ever.
ENDLESS = """
import itertools, pathlib, sys
from groupmem.models.base import Account, ChatMessage, ChatRequest
from groupmem.models.session import Models
log, script = sys.argv[1:]
model = Models(log_path=pathlib.Path(log), cache_path=None).chat(f"scripted:{script}", Account())
for number in itertools.count():
    model.complete(ChatRequest(messages=(ChatMessage(role="user", content="q"),)))
    print(number, flush=True)
"""


def rows(path: Path) -> list[sqlite3.Row]:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    found = connection.execute("SELECT * FROM calls ORDER BY id").fetchall()
    connection.close()
    return found


def test_every_try_is_a_line(open_models: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPMEM_API_KEY_127_0_0_1", "open-sesame")
    path = tmp_path / "run" / "calls.sqlite"
    replies = [error(500, "bad key open-sesame"), Reply(closed=True), Reply("x", finish_reason="length")]
    with OpenAIServer(replies) as server:
        name = f"openai:gpt-4o-mini@{server.url}"
        open_models(log_path=path).chat(name, ACCOUNT).complete(ask("q", attempt=2))
    failed, lost, good = rows(path)
    assert [row["try"] for row in (failed, lost, good)] == [1, 2, 3]
    assert (failed["ok"], lost["ok"], good["ok"]) == (0, 0, 1)
    assert "HTTP 500" in failed["error"] and "closed the connection" in lost["error"] and good["error"] is None
    assert failed["input_tokens"] is None and failed["cost_usd"] is None and failed["paid_usd"] is None
    assert (good["run"], good["cell"], good["phase"], good["kind"]) == ("trial", "unit/bm25", "answer", "chat")
    assert (good["model"], good["base_url"], good["attempt"]) == (name, server.url, 2)
    assert (good["input_tokens"], good["output_tokens"], good["cached_tokens"], good["reasoning_tokens"]) == (
        100,
        10,
        20,
        4,
    )
    assert good["cost_usd"] == good["paid_usd"] == pytest.approx(2.1e-5)
    assert good["finish_reason"] == "length" and good["cached"] == 0 and good["latency_ms"] > 0
    assert len(good["request_hash"]) == 64 and failed["request_hash"] == good["request_hash"]
    assert datetime.fromisoformat(good["created_at"]).tzinfo is not None
    assert b"open-sesame" not in path.read_bytes()


def test_sums_by_run_cell_and_phase(open_models: Open) -> None:
    accounts = [
        Account(run="a", cell="u/x", phase="ingest"),
        Account(run="a", cell="u/x", phase="judge"),
        Account(run="a", cell="u/y", phase="judge"),
        Account(run="b", cell="u/x", phase="judge"),
    ]
    with OpenAIServer([Reply("x")]) as server:
        models = open_models()
        for number, account in enumerate(accounts):
            models.chat(f"openai:gpt-4o-mini@{server.url}", account).complete(ask(f"q{number}"))
    assert models.usage().calls == 4
    assert models.usage(run="a").input_tokens == 300
    assert models.usage(run="a", phase="judge").output_tokens == 20
    assert models.usage(run="a", cell="u/x", phase="ingest").calls == 1
    assert models.usage(cell="u/x").cost_usd == pytest.approx(3 * 2.1e-5)
    nothing = models.usage(run="c")
    assert (nothing.calls, nothing.input_tokens, nothing.cost_usd) == (0, 0, 0.0)
    assert models.paid_usd("c") == 0.0


def test_a_model_without_a_price_costs_an_unknown_sum(open_models: Open, tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('["qwen3"]\ninput = 1.0\noutput = 2.0\ncached = 0.5\n')
    with OpenAIServer([Reply("x")]) as server:
        name = f"openai:qwen3@{server.url}"
        unknown, known = open_models(), open_models(prices=Prices(own))
        assert unknown.chat(name, ACCOUNT).complete(ask("q")).usage.cost_usd is None
        assert known.chat(name, ACCOUNT).complete(ask("q")).usage.cost_usd == pytest.approx((80 + 10 + 20) / 1e6)
    assert unknown.usage().cost_usd is None and unknown.paid_usd() is None
    assert unknown.usage().input_tokens == 100


def test_a_log_goes_on_where_it_was(open_models: Open, tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with OpenAIServer([Reply("x")]) as server:
        for number in range(2):
            with Models(log_path=path, cache_path=None) as models:
                models.chat(f"openai:gpt-4o-mini@{server.url}", ACCOUNT).complete(ask(f"q{number}"))
    assert open_models(log_path=path).usage().calls == 2


@pytest.mark.parametrize("content", [b"this is no database, whatever its name says" * 40])
def test_a_file_that_is_no_log(open_models: Open, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "calls.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a call log"):
        open_models(log_path=path)


def test_a_log_of_another_version(open_models: Open, tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="version 99"):
        open_models(log_path=path)


def test_a_call_that_fails_for_good_is_logged(open_models: Open) -> None:
    with OpenAIServer([error(404, "no such model")]) as server:
        models = open_models()
        with pytest.raises(ModelError):
            models.chat(f"openai:nope@{server.url}", ACCOUNT).complete(ask("q"))
    totals = models.totals()
    assert (totals.failed_calls, totals.usage.calls, totals.usage.input_tokens) == (1, 0, 0)


def test_a_killed_process_loses_no_reply(tmp_path: Path, open_models: Open) -> None:
    log, script = tmp_path / "calls.sqlite", tmp_path / "replies.jsonl"
    script.write_text('{"match": "", "reply": "x"}')
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, log, script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(20)]
    process.kill()
    process.wait()
    process.stdout.close()
    assert seen[-1] == "19\n"
    assert open_models(log_path=log).usage().calls >= 20


def test_a_log_is_read_while_it_is_written_and_before_it_is_made(tmp_path: Path, open_models: Open) -> None:
    path, script = tmp_path / "calls.sqlite", tmp_path / "replies.jsonl"
    script.write_text('{"match": "", "reply": "x"}')
    path.touch()
    assert CallLog(path, read_only=True).totals().usage.calls == 0
    writing = open_models(log_path=path)
    for count in (1, 2):
        writing.chat(f"scripted:{script}", ACCOUNT).complete(ask("q"))
        assert CallLog(path, read_only=True).totals().usage.calls == count


def test_what_goes_wrong_with_the_file_later_is_told_like_any_other_error(tmp_path: Path, open_models: Open) -> None:
    path = tmp_path / "calls.sqlite"
    models = open_models(log_path=path)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE calls")
    connection.close()
    with pytest.raises(InputError, match=r"calls.sqlite: the call log cannot be used \(no such table: calls\)"):
        models.totals()


def test_a_log_that_cannot_be_written(tmp_path: Path, open_models: Open) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="call log cannot be written"):
        open_models(log_path=tmp_path / "file" / "calls.sqlite")
