"""An isolated system is a system like any other: what reaches the worker, and what comes back of it."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from worker_programs import served

from groupmem.errors import InputError, SystemFailure
from groupmem.lab.systems.base import Capabilities, GatewayAccess, Setting
from groupmem.lab.systems.isolated.process import Program
from groupmem.lab.systems.isolated.system import Declaration, IsolatedSystem, call_timeout
from groupmem.lab.systems.options import Option
from groupmem.types import Answer, Channel, Message, Passage, Person, Recall

ACCESS = GatewayAccess(
    base_url="http://127.0.0.1:1/v1", api_key="none", chat_model="chat", embedding_model="embedding", dimensions=3
)
SAID = Message(
    id="m1",
    channel="dock",
    author="User_1",
    text="会議 \u2028 moved",
    role="Rigger",
    sent_at=datetime(2031, 5, 1, tzinfo=UTC),
)
RECORDING = """
def __init__(self): self.calls = []
def open(self, setting): self.calls.append(["open", dict(setting)])
def ingest(self, messages): self.calls.append(["ingest", messages])
def recall(self, **asked):
    import json
    self.calls.append(["recall", asked])
    return [{"source_ids": ["m1"], "text": json.dumps(self.calls), "sent_at": "2031-05-01T00:00:00Z"}]
"""


def opened(folder: Path, program: Program, declared: Declaration | None = None, **setting: object) -> IsolatedSystem:
    system = IsolatedSystem(program, declared or Declaration())
    system.open(Setting(store_dir=folder / "store", log_path=folder / "worker.log", **setting))  # type: ignore[arg-type]
    return system


def recalling(folder: Path, passages: str) -> Recall:
    """What comes back of a worker that returns these passages, after it was given one message."""
    with closing(opened(folder, served(folder, f"def recall(self, **asked):\n    return {passages}"))) as system:
        system.ingest([SAID])
        return system.recall("where?", asker=None, limit=5, asked_at=None)


def test_the_worker_is_given_the_setting_the_messages_and_the_question(tmp_path: Path) -> None:
    system = opened(
        tmp_path,
        served(tmp_path, RECORDING),
        Declaration(needs=("chat", "embedding", "postgres"), options=(Option(name="k", default="5", summary="k"),)),
        people=(Person(id="User_1", name="Ines"),),
        channels=(Channel(id="dock"), Channel(id="board", members=())),
        options={"chat": "openai:gpt-5", "k": "7"},
        gateway=ACCESS,
        services={"postgres": "postgresql://127.0.0.1:1/cell"},
        seed=3,
    )
    with closing(system):
        system.ingest([SAID])
        recall = system.recall("where?", asker="User_2", limit=4, asked_at=datetime(2031, 6, 1, tzinfo=UTC))
    (_, setting), (_, messages), (_, question) = json.loads(recall.passages[0].text)
    assert setting["people"] == [{"id": "User_1", "name": "Ines"}]
    assert setting["channels"] == [{"id": "dock"}, {"id": "board", "members": []}]
    assert setting["options"] == {"chat": "openai:gpt-5", "embedding": "minilm", "k": "7"}
    assert setting["gateway"]["base_url"] == ACCESS.base_url
    assert setting["services"] == {"postgres": "postgresql://127.0.0.1:1/cell"}
    assert (setting["seed"], Path(setting["store_dir"])) == (3, (tmp_path / "store").resolve())
    assert messages == [
        {
            "id": "m1",
            "channel": "dock",
            "author": "User_1",
            "text": SAID.text,
            "sent_at": "2031-05-01T00:00:00Z",
            "role": "Rigger",
        }
    ]
    assert question == {"question": "where?", "asker": "User_2", "limit": 4, "asked_at": "2031-06-01T00:00:00+00:00"}
    assert recall.passages[0].sent_at == SAID.sent_at


def test_messages_go_out_in_parts_and_none_twice(tmp_path: Path) -> None:
    messages = [Message(id=f"m{n}", channel="dock", author="User_1", text="x") for n in range(1, 251)]
    with closing(opened(tmp_path, served(tmp_path, RECORDING))) as system:
        system.ingest(messages[:120])
        system.ingest([*messages[100:], messages[0]])
        recall = system.recall("where?", asker=None, limit=1, asked_at=None)
    parts = [call[1] for call in json.loads(recall.passages[0].text) if call[0] == "ingest"]
    assert [len(part) for part in parts] == [100, 20, 100, 30]
    assert [message["id"] for part in parts for message in part] == [message.id for message in messages]


def test_a_passage_without_text_is_the_message_itself(tmp_path: Path) -> None:
    (passage,) = recalling(tmp_path, '[{"source_ids": ["m1"], "score": 0.5}]').passages
    assert passage == Passage(
        text=SAID.text,
        source_ids=("m1",),
        score=0.5,
        author="User_1",
        role="Rigger",
        channel="dock",
        sent_at=SAID.sent_at,
    )


@pytest.mark.parametrize("ids", [[], ["m1", "m1"], ["m9"]])
def test_without_text_there_must_be_one_known_message(tmp_path: Path, ids: list[str]) -> None:
    with pytest.raises(SystemFailure, match="without a text"):
        recalling(tmp_path, json.dumps([{"source_ids": ids}]))


@pytest.mark.parametrize(
    "broken",
    [
        '{"support": 0.5}',
        '[{"text": "no ids"}]',
        '[{"source_ids": "m1", "text": "x"}]',
        '[{"source_ids": ["m1"], "text": "x", "sent_at": "2031-05-01T00:00:00"}]',
        '[{"source_ids": ["m1"], "text": "x", "score": float("nan")}]',
        '"text"',
    ],
)
def test_what_is_no_recall_fails_and_is_never_an_empty_one(tmp_path: Path, broken: str) -> None:
    with pytest.raises(SystemFailure):
        recalling(tmp_path, broken)


def test_support_comes_back(tmp_path: Path) -> None:
    assert recalling(tmp_path, '{"passages": [], "support": 0.25}') == Recall(support=0.25)


def test_questions_that_can_find_nothing_are_not_handed_on(tmp_path: Path) -> None:
    with closing(opened(tmp_path, served(tmp_path, "def recall(self, **asked):\n    raise KeyError"))) as system:
        assert system.recall("where?", asker=None, limit=5, asked_at=None) == Recall()
        system.ingest([SAID])
        assert system.recall(" \n", asker=None, limit=5, asked_at=None) == Recall()
        assert system.recall("where?", asker=None, limit=0, asked_at=None) == Recall()


def test_an_answer_may_be_a_text_or_have_its_reasoning(tmp_path: Path) -> None:
    methods = 'def answer(self, **a):\n    return "blue" if a["asker"] else {"text": "red", "reasoning": "said so"}'
    can = Declaration(capabilities=Capabilities(answers=True))
    with closing(opened(tmp_path, served(tmp_path, methods), can)) as system:
        assert system.answer("colour?", asker="User_1", asked_at=None).text == "blue"
        assert system.answer("colour?", asker=None, asked_at=None).reasoning == "said so"


def test_an_answer_is_told_its_time_and_says_how_it_ended(tmp_path: Path) -> None:
    """It may be silent for that long and for what any call may take besides."""
    methods = """
    def answer(self, question, timeout_s, gateway):
        import threading
        threading.Event().wait(timeout_s)
        return {"text": "", "reasoning": f"{timeout_s:g} {gateway}", "finish_reason": "timeout"}
    """
    can = Declaration(capabilities=Capabilities(answers=True))
    what = served(tmp_path, methods, call_s=0.6)
    with closing(opened(tmp_path, what, can, question_timeout_s=1.2)) as system:
        answer = system.answer("colour?", asker=None, asked_at=None)
    assert answer == Answer(text="", reasoning="1.2 None", finish_reason="timeout")


def test_the_record_has_versions_what_is_weaker_and_what_was_counted(tmp_path: Path) -> None:
    methods = """
    packages = ("no-such-package",)
    notes = ("no reranker",)
    def usage(self):
        phases = {"extraction": {"calls": 1200, "input_tokens": 7}}
        return {"phases": phases, "figures": {"entities": {"Person": 4}}, "notes": ["2 messages were not read"]}
    """
    with closing(opened(tmp_path, served(tmp_path, methods))) as system:
        versions, note, counted, told = system.notes()
        assert system.figures() == {"entities": {"Person": 4}}
    assert told == "2 messages were not read"
    assert versions == "no-such-package no release"
    assert note == "no reranker"
    assert counted.endswith("counted in extraction: 1,200 calls, 7 input tokens")


def test_what_a_system_needs_must_be_there(tmp_path: Path) -> None:
    program = served(tmp_path, "pass")
    with pytest.raises(InputError, match="needs postgres"):
        opened(tmp_path, program, Declaration(needs=("postgres",)))
    with pytest.raises(InputError, match="needs embedding"):
        opened(tmp_path, program, Declaration(needs=("embedding",)))


def test_a_chat_model_must_be_named_unless_none_is_called(tmp_path: Path) -> None:
    infer = Option(name="infer", default="on", summary="whether", choices=("on", "off"))
    declared = Declaration(needs=("chat",), options=(infer,), chatless={"infer": "off"})
    system = IsolatedSystem(served(tmp_path, "pass"), declared)
    with pytest.raises(InputError, match=r"chat=openai:gpt-5-mini for example\), or infer=off"):
        system.check_models({"chat": "none", "infer": "on"})
    system.check_models({"chat": "none", "infer": "off"})
    system.check_models({"chat": "openai:gpt-5", "infer": "on"})


def test_the_user_may_overrule_how_long_is_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = served(tmp_path, "pass", call_s=40)
    assert call_timeout(program) == 40
    monkeypatch.setenv("GROUPMEM_CALL_TIMEOUT_S", "7200")
    assert call_timeout(program) == 7200
    monkeypatch.setenv("GROUPMEM_CALL_TIMEOUT_S", "an hour")
    with pytest.raises(InputError, match="GROUPMEM_CALL_TIMEOUT_S=an hour"):
        call_timeout(program)
