"""The model writer end to end over loopback HTTP: prompts, retries, phase memory, rounds, batches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import scripted_author
from scripted_author import kind_of, kinds, prompt_of

from groupmem.errors import BudgetError, ModelError, PendingError
from groupmem.lab.synthesis.making import Made, Order, make_corpus
from groupmem.lab.synthesis.packs import Pack
from groupmem.lab.synthesis.policy_file import load_policy
from groupmem.lab.synthesis.truth import FactLine
from groupmem.models.budget import Budget
from groupmem.models.session import Models
from support.openai_server import OpenAIServer, RecordedRequest, Reply

MANY, FEW = 48, 16


class Silent:
    """Progress that nobody sees; it counts."""

    def __init__(self) -> None:
        self.done: dict[str, int] = {}

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Silent]:
        self._label = label
        yield self

    def advance(self, count: int = 1) -> None:
        self.done[self._label] = self.done.get(self._label, 0) + count


def make(pack: Pack, folder: Path, model: str, settings: tuple[str, ...] = (), n: int = FEW, **fields: Any) -> Made:
    """A corpus of n messages by this model; further fields go to the session of models."""
    order = Order(pack=pack, policy=load_policy(settings=settings), messages=n, writer=model, seed=4)
    return make_corpus(order, folder, Silent(), lambda path: Models(log_path=path, cache_path=None, **fields))


def facts(folder: Path) -> list[FactLine]:
    return [msgspec.json.decode(line, type=FactLine) for line in (folder / "facts.jsonl").read_bytes().splitlines()]


def texts(folder: Path) -> dict[str, str]:
    corpus = json.loads((folder / "corpus.json").read_text())
    return {row["msg_node"]: row["content"] for rows in corpus.values() for row in rows}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")


class Finished(NamedTuple):
    """A corpus that a well-behaved model wrote, with all requests that it got."""

    folder: Path
    made: Made
    requests: list[RecordedRequest]


@pytest.fixture(scope="module")
def finished(teahouse: Pack, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("model") / "corpus"
    with pytest.MonkeyPatch.context() as patch, OpenAIServer(scripted_author.write) as server:
        patch.setenv("OPENAI_API_KEY", "unused")
        made = make(teahouse, folder, f"model:openai:gpt-4o-mini@{server.url}", ("realism.noise=0.2",), MANY)
    return Finished(folder, made, server.requests)


def test_a_corpus_is_written_by_a_model_and_its_facts_are_in_the_texts(finished: Finished) -> None:
    written = texts(finished.folder)
    assert len(written) == MANY
    assert finished.made.provenance.unstated == 0
    assert finished.made.provenance.prompts["synthesis/reply"]
    told = facts(finished.folder)
    assert len(told) > 15
    for fact in told:
        assert all(mention.surface in written[mention.message] for mention in fact.mentions)
    counted = kinds(finished.requests)
    assert sum(counted[kind] for kind in ("post", "reply", "cross_project", "disagreement", "noise")) == MANY
    assert 4 <= counted["sub_issues"] <= 6
    assert {"post", "reply", "disagreement", "noise"} <= set(counted)
    assert not (finished.folder / ".making").exists()


def test_prompts_say_who_where_and_what(teahouse: Pack, finished: Finished) -> None:
    written = [request for request in finished.requests if kind_of(request) not in ("ledger", "sub_issues")]
    for request in written:
        system, prompt = str(request.body["messages"][0]["content"]), prompt_of(request)
        assert request.body["messages"][0]["role"] == "system"
        assert any(f"You are {person.name}, {person.role}" in system for person in teahouse.people)
        assert "VOICE" in system and "BACKGROUND" in prompt and "CONSTRAINTS" in prompt
        assert "{" not in prompt and "\n\n\n" not in prompt
        assert "None" not in prompt and "Undefined" not in prompt
    replies = [prompt_of(request) for request in written if kind_of(request) == "reply"]
    assert all("THE MESSAGE THAT YOU ANSWER\n" in prompt for prompt in replies)
    assert any("WHERE THE PHASE STOOD A FEW MESSAGES AGO\nDECIDED" in prompt for prompt in replies)
    assert any("CHANNEL HISTORY" in prompt for prompt in replies)
    assert any("ULTRA-SHORT: at most 6 words" in prompt for prompt in replies)
    noisy = [prompt_of(request) for request in written if kind_of(request) == "noise"]
    assert noisy and all("Show no doubt" in prompt for prompt in noisy)


def test_the_ledger_is_rewritten_every_eight_messages_from_the_last_sixteen(finished: Finished) -> None:
    ledgers = [prompt_of(request) for request in finished.requests if kind_of(request) == "ledger"]
    rows = [row for rows in json.loads((finished.folder / "corpus.json").read_text()).values() for row in rows]
    phases = Counter((row["topic"], row["phase_name"]) for row in rows)
    assert len(ledgers) == sum((count - 1) // 8 for count in phases.values()) > 0
    for prompt in ledgers:
        assert "in at most 180 words" in prompt
        messages = prompt.split("THE LATEST MESSAGES\n")[1].split("\n\n")[0]
        assert len(messages.splitlines()) in (8, 16)


@pytest.mark.parametrize("said", [60, 61])
def test_a_ledger_is_cut_at_its_words_and_bullets_are_none(tiny_pack: Pack, tmp_path: Path, said: int) -> None:
    ledger = "DECIDED" + "\n- thing" * (said - 1)

    def answer(request: RecordedRequest) -> Reply:
        return Reply(ledger) if kind_of(request) == "ledger" else scripted_author.write(request)

    settings = ("memory.ledger_every=2", "memory.ledger_words=60")
    with OpenAIServer(answer) as server:
        make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}", settings)
    notes = [json.loads(line) for line in (tmp_path / "corpus" / "phase_memory.jsonl").read_text().splitlines()]
    assert {note["ledger"] for note in notes if "ledger" in note} == {"DECIDED" + "\n- thing" * 59}


def test_costs_are_in_the_call_log(finished: Finished) -> None:
    with Models(log_path=finished.folder / "calls.sqlite", cache_path=None) as models:
        usage = models.usage(run="corpus", phase="write")
    assert usage.calls == len(finished.requests)
    assert usage.cost_usd is not None and usage.cost_usd > 0


def test_a_draft_without_its_facts_goes_back_with_what_it_lacks(tiny_pack: Pack, tmp_path: Path) -> None:
    def stubborn_once(request: RecordedRequest) -> Reply:
        if kind_of(request) in ("ledger", "sub_issues") or len(request.body["messages"]) > 2:
            return scripted_author.write(request)
        return Reply("Hm.")

    with OpenAIServer(stubborn_once) as server:
        made = make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")
    assert made.provenance.unstated == 0
    again = [request for request in server.requests if len(request.body["messages"]) > 2]
    assert again
    for request in again:
        assert request.body["messages"][2] == {"role": "assistant", "content": "Hm."}
        assert "this time:\n- " in request.last_message


def test_the_draft_that_lacks_least_stands(tiny_pack: Pack, tmp_path: Path) -> None:
    def worse_and_worse(request: RecordedRequest) -> Reply:
        reply = scripted_author.write(request)
        if kind_of(request) in ("ledger", "sub_issues"):
            return reply
        tries = len(request.body["messages"]) // 2
        return Reply(f"{reply.text} {'and so on ' * 40}") if tries == 1 else Reply("Hm.")

    with OpenAIServer(worse_and_worse) as server:
        made = make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")
    assert made.provenance.unstated == 0
    assert any("and so on" in text for text in texts(tmp_path / "corpus").values())


def test_what_a_model_never_says_is_not_in_the_ground_truth(tiny_pack: Pack, tmp_path: Path) -> None:
    with OpenAIServer(lambda r: Reply("Hm.") if kind_of(r) != "sub_issues" else scripted_author.write(r)) as server:
        made = make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")
    assert made.provenance.unstated > 5
    assert facts(tmp_path / "corpus") == []
    tries = kinds(server.requests)
    assert sum(tries.values()) > 1.5 * FEW


@pytest.mark.parametrize("reply", [Reply(""), Reply("I would rather not", refusal="I would rather not")])
def test_no_usable_text_at_all_is_an_error_that_names_the_message(
    tiny_pack: Pack, tmp_path: Path, reply: Reply
) -> None:
    def answer(request: RecordedRequest) -> Reply:
        return scripted_author.write(request) if kind_of(request) == "sub_issues" else reply

    with OpenAIServer(answer) as server, pytest.raises(ModelError, match="gave no text for Msg_"):
        make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")


def test_a_reply_that_was_cut_off_is_asked_for_again(tiny_pack: Pack, tmp_path: Path) -> None:
    def cut_at_first(request: RecordedRequest) -> Reply:
        again = len(request.body["messages"]) > 2 or kind_of(request) in ("ledger", "sub_issues")
        return scripted_author.write(request) if again else Reply("I mean that", finish_reason="length")

    with OpenAIServer(cut_at_first) as server:
        made = make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")
    assert made.provenance.unstated == 0
    assert "I mean that" not in texts(tmp_path / "corpus").values()


@pytest.mark.parametrize("content", ["nonsense", '{"sub_issues": ["only one"]}'])
def test_sub_issues_that_cannot_be_used_are_made_up_for_by_the_pack(
    tiny_pack: Pack, tmp_path: Path, content: str
) -> None:
    def answer(request: RecordedRequest) -> Reply:
        return Reply(content) if kind_of(request) == "sub_issues" else scripted_author.write(request)

    with OpenAIServer(answer) as server:
        make(tiny_pack, tmp_path / "corpus", f"model:openai:gpt-4o-mini@{server.url}")
    assert kinds(server.requests)["sub_issues"] <= 8
    own = [issue.rpartition("} ")[2] for _, _, phase in tiny_pack.phases() for issue in phase.sub_issues]
    focused = [prompt_of(request) for request in server.requests if "turns around" in prompt_of(request)]
    assert focused
    assert any(issue in prompt for prompt in focused for issue in own)


def test_a_budget_that_is_reached_stops_and_a_larger_one_goes_on(tiny_pack: Pack, tmp_path: Path) -> None:
    with OpenAIServer(scripted_author.write) as server:
        model = f"model:openai:gpt-4o-mini@{server.url}"
        with pytest.raises(BudgetError):
            make(tiny_pack, tmp_path / "corpus", model, budget=Budget(calls=10), concurrency=2)
        kept = len((tmp_path / "corpus" / ".making" / "written.jsonl").read_bytes().splitlines())
        assert 0 < kept <= 10
        made = make(tiny_pack, tmp_path / "corpus", model, budget=Budget(calls=500))
        assert made.resumed == kept
        undisturbed = make(tiny_pack, tmp_path / "other", model)
    assert undisturbed.resumed == 0
    assert (tmp_path / "corpus" / "corpus.json").read_bytes() == (tmp_path / "other" / "corpus.json").read_bytes()
    assert len(server.requests) < 3 * FEW


def test_a_batch_goes_in_waves_of_one_message_per_phase(tiny_pack: Pack, tmp_path: Path) -> None:
    batch, folder = tmp_path / "batch", tmp_path / "corpus"
    model = f"model:batch:gpt-4o-mini@{batch}"
    waves = []
    while True:
        try:
            made = make(tiny_pack, folder, model)
        except PendingError as pending:
            waves.append(pending.count)
            _answer_wave(batch, len(waves))
            continue
        break
    assert max(waves) <= 4
    assert len(waves) < 2 * FEW
    assert made.provenance.unstated == 0

    with OpenAIServer(scripted_author.write) as server:
        make(tiny_pack, tmp_path / "direct", f"model:openai:gpt-4o-mini@{server.url}")
    assert texts(folder) == texts(tmp_path / "direct")


def test_a_message_that_goes_back_does_not_hold_up_the_other_phases(tiny_pack: Pack, tmp_path: Path) -> None:
    batch, folder = tmp_path / "batch", tmp_path / "corpus"
    model = f"model:batch:gpt-4o-mini@{batch}"
    counts = []
    for _ in range(2):
        with pytest.raises(PendingError) as pending:
            make(tiny_pack, folder, model)
        counts.append(pending.value.count)
        _answer_wave(batch, len(counts), short_of_one=True)
    assert counts[0] == counts[1] > 1


def test_a_wave_that_is_answered_in_part_goes_on_with_that_part(tiny_pack: Pack, tmp_path: Path) -> None:
    batch, folder = tmp_path / "batch", tmp_path / "corpus"
    model = f"model:batch:gpt-4o-mini@{batch}"
    counts = []
    for wave in (1, 2):
        with pytest.raises(PendingError) as pending:
            make(tiny_pack, folder, model)
        counts.append(pending.value.count)
        _answer_wave(batch, wave, only=slice(0, 1))
    with pytest.raises(PendingError):
        make(tiny_pack, folder, model)
    memory, written = folder / "phase_memory.jsonl", folder / ".making" / "written.jsonl"
    assert counts[0] == counts[1] <= 4
    assert len(memory.read_bytes().splitlines()) + len(written.read_bytes().splitlines()) == 2


def _answer_wave(batch: Path, wave: int, only: slice = slice(None), short_of_one: bool = False) -> None:
    """Answers the requests of the wave as a batch service would; `short_of_one`: one message without its facts."""
    lines = (batch / f"requests-{wave:04}.jsonl").read_text().splitlines()
    answers = []
    for line in lines[only]:
        row = json.loads(line)
        request = RecordedRequest(path="/v1/chat/completions", headers={}, body=row["body"])
        reply = scripted_author.write(request)
        if short_of_one and kind_of(request) not in ("ledger", "sub_issues"):
            reply, short_of_one = Reply("Hm."), False
        body = {
            "choices": [{"finish_reason": "stop", "message": {"content": reply.text}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        response = {"status_code": 200, "request_id": "r", "body": body}
        answers.append(json.dumps({"custom_id": row["custom_id"], "response": response, "error": None}))
    (batch / f"wave-{wave}-output.jsonl").write_text("\n".join(answers) + "\n")
