"""The written specification says what the schema and the reader do."""

from __future__ import annotations

import json
import re
import runpy
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from groupmem.readers import jsonl

DOCUMENT = (Path(__file__).parents[3] / "docs" / "format.md").read_text("utf-8")
SCHEMA = json.loads(files("groupmem.readers").joinpath("groupmem.schema.json").read_text("utf-8"))
HEADER, MESSAGES, QUESTIONS = re.findall(r"```jsonl\n(.*?)```", DOCUMENT, re.DOTALL)


def test_the_example_is_a_conversation_that_is_read_without_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "launch.jsonl"
    path.write_text(HEADER + MESSAGES, "utf-8")
    jsonl.questions_path(path).write_text(QUESTIONS, "utf-8")
    loaded = jsonl.read(path)
    assert (loaded.conversation.id, len(loaded.conversation.messages), len(loaded.questions)) == ("launch", 2, 1)
    assert loaded.report.warnings() == ()
    for line in (HEADER + MESSAGES + QUESTIONS).splitlines():
        jsonschema.validate(json.loads(line), SCHEMA)


def test_the_code_of_the_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("launch.jsonl").write_text(HEADER + MESSAGES, "utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    Path("example.py").write_text(code, "utf-8")
    runpy.run_path("example.py")
    assert jsonl.read(Path("copy.jsonl")) == jsonl.read(Path("launch.jsonl"))
    assert Path("launch.aside.jsonl").read_text("utf-8") == ""


@pytest.mark.parametrize("kind", ["header", "message", "question", "person", "channel"])
def test_every_field_of_the_schema_is_explained(kind: str) -> None:
    sections: dict[str, Any] = {}
    for title, text in re.findall(r"^## (\w+)\n(.*?)(?=^## )", DOCUMENT, re.DOTALL | re.MULTILINE):
        sections[title.lower()] = text
    section = sections["header" if kind in ("person", "channel") else kind]
    assert [field for field in SCHEMA["$defs"][kind]["properties"] if f"`{field}`" not in section] == []
