"""The single-prompt baseline over loopback HTTP, well-behaved and not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groupmem.errors import ModelError, PendingError
from groupmem.lab.synthesis.making import Made, Order, make_corpus
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.stats import corpus_statistics
from groupmem.models.session import Models
from groupmem.readers import groupmembench, jsonl
from support.openai_server import OpenAIServer, RecordedRequest, Reply

N = 60


class Silent:
    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Silent]:
        yield self

    def advance(self, count: int = 1) -> None:
        pass


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")


def make(pack: Pack, folder: Path, model: str) -> Made:
    order = Order(pack=pack, policy=load_policy(), messages=N, writer=f"single-prompt:{model}", seed=0)
    return make_corpus(order, folder, Silent(), lambda path: Models(log_path=path, cache_path=None))


def drafted(count: int, **changes: object) -> list[dict[str, object]]:
    draft = {"author": "Priti Lund", "channel": "Till Change", "minutes_later": 3, "reply_to": 0, **changes}
    return [{"text": f"message {number}", **draft} for number in range(count)]


def answering(make_rows: Callable[[int], object]) -> Callable[[RecordedRequest], Reply]:
    """A server that is asked for so many messages and gives these rows."""

    def answer(request: RecordedRequest) -> Reply:
        count = int(request.last_message.split("Write the next ")[1].split()[0])
        return Reply(json.dumps({"messages": make_rows(count)}))

    return answer


def test_stretches_follow_each_other_until_there_are_enough(teahouse: Pack, tmp_path: Path) -> None:
    with OpenAIServer(answering(lambda count: drafted(count, reply_to=2))) as server:
        made = make(teahouse, tmp_path / "corpus", f"openai:gpt-4o-mini@{server.url}")
    assert made.provenance.messages == N
    loaded = groupmembench.read(tmp_path / "corpus")
    assert loaded.conversation.messages == jsonl.read(tmp_path / "corpus" / "messages.jsonl").conversation.messages
    messages = loaded.conversation.messages
    assert len(messages) == N
    assert [message.reply_to for message in messages[:4]] == [None, None, "Msg_1", "Msg_2"]
    times = [message.sent_at for message in messages if message.sent_at]
    assert times == sorted(times)
    assert [request.last_message.count(": message ") for request in server.requests] == [0, 12, 12]
    assert all(f"{person.name}, {person.role}" in server.requests[0].last_message for person in teahouse.people)
    assert (tmp_path / "corpus" / "facts.jsonl").read_bytes() == b""
    statistics = corpus_statistics(tmp_path / "corpus")
    assert (statistics.counts.posts, statistics.counts.replies) == (2, N - 2)
    assert statistics.drawn == {}


@pytest.mark.parametrize(
    "change",
    [
        {"author": "Nobody Known"},
        {"author": ""},
        {"text": "  "},
        {"text": None},
        {"reply_to": "x"},
    ],
)
def test_messages_that_cannot_be_used_are_left_out(teahouse: Pack, tmp_path: Path, change: dict[str, object]) -> None:
    with OpenAIServer(answering(lambda count: drafted(1, **change) + drafted(count))) as server:
        make(teahouse, tmp_path / "corpus", f"openai:gpt-4o-mini@{server.url}")
    messages = groupmembench.read(tmp_path / "corpus").conversation.messages
    assert len(messages) == N
    assert {message.author for message in messages} == {"User_5"}
    assert [message.text for message in messages[:2]] == ["message 0", "message 1"]


@pytest.mark.parametrize(
    ("change", "author", "channel"),
    [
        ({"author": "Priti"}, "User_5", "Till Change"),
        ({"channel": "Elsewhere"}, "User_5", "Harbour Shop"),
        ({"minutes_later": -5}, "User_5", "Till Change"),
        ({"minutes_later": "7"}, "User_5", "Till Change"),
        ({"reply_to": 99}, "User_5", "Till Change"),
    ],
)
def test_small_slips_are_forgiven(
    teahouse: Pack, tmp_path: Path, change: dict[str, object], author: str, channel: str
) -> None:
    with OpenAIServer(answering(lambda count: drafted(count, **change))) as server:
        make(teahouse, tmp_path / "corpus", f"openai:gpt-4o-mini@{server.url}")
    messages = groupmembench.read(tmp_path / "corpus").conversation.messages
    assert {message.author for message in messages} == {author}
    assert messages[0].channel == channel
    times = [message.sent_at for message in messages if message.sent_at]
    assert times == sorted(times)


@pytest.mark.parametrize("text", ["nonsense", '{"messages": []}', '{"messages": "none"}', "[]"])
def test_a_model_that_gives_nothing_is_an_error(teahouse: Pack, tmp_path: Path, text: str) -> None:
    with (
        OpenAIServer([Reply(text)]) as server,
        pytest.raises(ModelError, match="no usable messages after 0 in 3 attempts"),
    ):
        make(teahouse, tmp_path / "corpus", f"openai:gpt-4o-mini@{server.url}")
    assert len(server.requests) == 3


def test_a_batch_has_one_request_a_wave(teahouse: Pack, tmp_path: Path) -> None:
    with pytest.raises(PendingError) as pending:
        make(teahouse, tmp_path / "corpus", f"batch:gpt-4o-mini@{tmp_path / 'batch'}")
    assert pending.value.count == 1
