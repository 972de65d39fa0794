"""read_any finds the format, or says what it would have taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groupmem.errors import InputError
from groupmem.readers import jsonl
from groupmem.readers.registry import FORMATS, read_any
from groupmem.types import Conversation, Message

CORPUS = json.dumps({"general": [{"msg_node": "m", "author": "ada", "content": "hi"}]})


def test_each_format_is_found_by_what_is_there(tmp_path: Path) -> None:
    conversation = Conversation(id="own", messages=(Message(id="m", channel="general", author="ada", text="hi"),))
    jsonl.write(tmp_path / "own.jsonl", conversation)
    (tmp_path / "Domain.json").write_text(CORPUS, "utf-8")
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "corpus.json").write_text(CORPUS, "utf-8")
    read = {
        path.name: read_any(path).conversation for path in (tmp_path / "own.jsonl", tmp_path / "Domain.json", folder)
    }
    assert {name: item.id for name, item in read.items()} == {
        "own.jsonl": "own",
        "Domain.json": "Domain",
        "team": "team",
    }
    assert all([message.text for message in item.messages] == ["hi"] for item in read.values())


@pytest.mark.parametrize("name", ["talk.txt", "talk.jsonl", "talk.zip"])
def test_an_unknown_file_is_told_what_is_expected(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("hello\n", "utf-8")
    with pytest.raises(InputError) as raised:
        read_any(tmp_path / name)
    assert all(format_.expects in str(raised.value) for format_ in FORMATS)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_any(tmp_path / "nothing")
