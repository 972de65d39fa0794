"""GroupMemory as a user meets it, and the commands that look after its file."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from groupmem import Channel, GroupMemory, Message, Person
from groupmem.cli import main
from groupmem.errors import InputError, ModelError
from groupmem.memory import Added, EmbeddingMismatchError, UnknownMessageError
from support.memory_store import NINE, said
from support.word_vectors import WordVectors


def texts(memory: GroupMemory, question: str, **asked: object) -> list[str]:
    return [passage.text for passage in memory.recall(question, **asked).passages]  # type: ignore[arg-type]


@pytest.fixture
def memory(path: Path):
    with GroupMemory(path, embedding=WordVectors()) as opened:
        yield opened


def test_the_example_of_the_docstring(path: Path) -> None:
    with GroupMemory(path, embedding=WordVectors()) as memory:
        memory.set_people([Person(id="u1", name="Mira", role="QA")])
        memory.set_channels([Channel(id="board", members=("u1",))])
        memory.add([Message(id="1", channel="board", author="u1", text="The audit is on Friday.")])
        (passage,) = memory.recall("when is the audit?", asker="u1").passages
        assert (passage.text, passage.source_ids, passage.author) == ("The audit is on Friday.", ("1",), "u1")
        assert memory.recall("when is the audit?", asker="u2").passages == ()
        assert memory.recall("when is the audit?").passages == ()


def test_messages_may_come_from_a_generator_and_more_than_one_transaction(memory: GroupMemory) -> None:
    assert memory.add(said(str(number), f"word{number}") for number in range(1_500)) == Added(added=1_500)
    assert memory.add([]) == Added()
    assert texts(memory, "word1234", limit=1) == ["word1234"]


def test_an_edit_by_id(memory: GroupMemory) -> None:
    memory.add([said("1", "The audit is on Friday.", phase="Audit", extra={"client": "desktop"})])
    memory.edit("desk", "1", "The audit is on Monday.", edited_at=NINE + timedelta(hours=2))
    assert texts(memory, "audit") == ["The audit is on Monday."]
    message = memory.message("desk", "1")
    assert message is not None
    assert (message.phase, message.extra, message.edited_at) == (
        "Audit",
        {"client": "desktop"},
        NINE + timedelta(hours=2),
    )
    assert memory.status().former_texts == 1
    with pytest.raises(UnknownMessageError, match=r"no message '9' in the channel 'desk'"):
        memory.edit("desk", "9", "?")
    memory.delete("desk", "1")
    with pytest.raises(UnknownMessageError):
        memory.edit("desk", "1", "back again")


def test_a_question_is_asked_at_its_time(memory: GroupMemory) -> None:
    memory.add([said("1", "the lamp is green"), said("30", "the lamp is red")])
    assert texts(memory, "lamp", asked_at=NINE + timedelta(minutes=5)) == ["the lamp is green"]


def test_threads_may_share_a_memory(memory: GroupMemory) -> None:
    errors: list[BaseException] = []

    def use(name: int) -> None:
        try:
            for number in range(5):
                memory.add([said(f"{name}-{number}", f"lamp{name} number{number}", minute=number)])
                assert f"lamp{name} number{number}" in texts(memory, f"lamp{name} number{number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert memory.status().messages == 20


def test_the_status_says_what_there_is(memory: GroupMemory, path: Path) -> None:
    memory.set_people([Person(id="mira")])
    memory.add([said("1", "one"), said("2", "two", channel="hall")])
    memory.delete("desk", "1")
    status = memory.status()
    assert (status.path, status.schema_version, status.workspace) == (str(path), 2, "default")
    assert (status.messages, status.deleted, status.people, status.channels) == (1, 1, 1, 2)
    assert (status.unindexed, status.unembedded, status.unpurged) == (1, 1, 1)
    assert (status.embedding, status.dimensions) == ("word-vectors", 512)
    memory.compact()
    memory.flush()
    status = memory.status()
    assert (status.unindexed, status.unembedded, status.unpurged) == (0, 0, 0)
    assert status.index_bytes > 0 < status.database_bytes


def test_importing_the_package_loads_no_index() -> None:
    code = "import sys, groupmem; print([name for name in ('numpy', 'numkong', 'onnxruntime') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    import groupmem
    import groupmem.memory

    for module in (groupmem, groupmem.memory):
        with pytest.raises(AttributeError, match="Memroy"):
            module.Memroy  # noqa: B018


# -- commands ----------------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    monkeypatch.setattr(sys, "argv", ["groupmem", *arguments])
    try:
        main()
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_memory_is_reembedded_rebuilt_and_compacted(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with GroupMemory(path, embedding=WordVectors()) as memory:
        memory.add([said("1", "the harbour pilot"), said("2", "the quarry")])
        memory.flush()
        memory.delete("desk", "2")
    with pytest.raises(EmbeddingMismatchError):
        GroupMemory(path, embedding="minilm")
    code, out, _ = run(capsys, monkeypatch, "reembed", str(path), "minilm", "--json")
    assert (code, json.loads(out)["embedding"]) == (0, "minilm")
    with GroupMemory(path) as memory:
        assert texts(memory, "who guides ships into port?", limit=1) == ["the harbour pilot"]
    assert run(capsys, monkeypatch, "rebuild", str(path))[0] == 0
    code, out, _ = run(capsys, monkeypatch, "compact", str(path))
    assert code == 0
    assert out.startswith(f"{path}: 1 messages, 0 links, vectors by minilm")
    assert b"quarry" not in path.read_bytes()


@pytest.mark.parametrize("command", [("rebuild",), ("compact",), ("reembed", "minilm")])
def test_no_command_makes_a_memory_where_there_is_none(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    name, *rest = command
    code, out, err = run(capsys, monkeypatch, name, str(path), *rest)
    assert (code, out) == (1, "")
    assert f"there is no memory {path}" in err
    assert not path.exists()


def test_an_unknown_model_is_named(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    GroupMemory(path, embedding=None).close()
    code, _, err = run(capsys, monkeypatch, "reembed", str(path), "mimilm")
    assert code == 1
    assert "minilm" in err


def test_a_model_that_fails_leaves_the_memory_usable(path: Path) -> None:
    class Failing(WordVectors):
        def embed(self, texts, *, kind):
            raise ModelError("the provider is away")

    with GroupMemory(path, embedding=Failing()) as memory:
        memory.add([said("1", "the lamp")])
        with pytest.raises(ModelError, match="the provider is away"):
            memory.flush()
    with GroupMemory(path, embedding=None) as memory:
        assert texts(memory, "lamp") == ["the lamp"]


def test_what_is_no_message_person_or_channel_is_named_and_nothing_is_stored(memory: GroupMemory) -> None:
    wrong = {"id": "1", "channel": "desk", "author": "mira", "text": "The audit is on Friday."}
    with pytest.raises(InputError, match=r"'1'.* is no Message but dict: make one of its fields, Message\(id="):
        memory.add([said("2", "The lamp is red."), wrong])  # type: ignore[list-item]
    with pytest.raises(InputError, match="no Person but dict"):
        memory.set_people([Person(id="u1"), {"id": "u2"}])  # type: ignore[list-item]
    with pytest.raises(InputError, match="no Channel but str"):
        memory.set_channels(["desk"])  # type: ignore[list-item]
    assert (memory.status().messages, memory.known_people()) == (0, ())
    assert memory.add([Message(**wrong)]) == Added(added=1)


USES: dict[str, Callable[[GroupMemory], object]] = {
    "add": lambda memory: memory.add([said("1", "?")]),
    "edit": lambda memory: memory.edit("desk", "1", "?"),
    "delete": lambda memory: memory.delete("desk", "1"),
    "set_people": lambda memory: memory.set_people([]),
    "set_channels": lambda memory: memory.set_channels([]),
    "recall": lambda memory: memory.recall("when?"),
    "vocabulary": lambda memory: memory.vocabulary("?", asker="u1"),
    "message": lambda memory: memory.message("desk", "1"),
    "candidates": lambda memory: memory.candidates("Mira"),
    "known_people": lambda memory: memory.known_people(),
    "name_of": lambda memory: memory.name_of("u1"),
    "explain": lambda memory: memory.explain("when?"),
    "status": lambda memory: memory.status(),
    "flush": lambda memory: memory.flush(),
    "compact": lambda memory: memory.compact(),
    "rebuild": lambda memory: memory.rebuild(),
    "reembed": lambda memory: memory.reembed(WordVectors()),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_closed_memory_says_so(path: Path, use: Callable[[GroupMemory], object]) -> None:
    memory = GroupMemory(path, embedding=None)
    memory.close()
    memory.close()
    assert memory.model_counts() == {}
    with pytest.raises(InputError, match=r"has been closed; open it again: GroupMemory\("):
        use(memory)


def test_every_method_is_tried_on_a_closed_memory() -> None:
    public = {name for name, value in vars(GroupMemory).items() if callable(value) and not name.startswith("_")}
    assert public - {"close", "model_counts"} == set(USES)
