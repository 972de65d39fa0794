"""Commands of users as systems, and the examples of the page."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from groupmem.errors import InputError, SystemFailure, UnknownNameError
from groupmem.lab.systems.base import Setting
from groupmem.lab.systems.registry import create_system, parse_spec
from groupmem.types import Message

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "isolated-systems.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples"
NODE = shutil.which("node")


def python(file: Path, *arguments: str) -> str:
    return "cmd:" + shlex.join([sys.executable, str(file), *arguments])


@pytest.mark.parametrize(("fence", "file"), [("javascript", "memory.js"), ("python", "memory.py")])
def test_the_listings_of_the_page_are_the_examples(fence: str, file: str) -> None:
    listing = re.search(rf"```{fence}\n(.*?)```", PAGE, re.DOTALL)
    assert listing is not None
    assert listing[1] == (EXAMPLES / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(python(EXAMPLES / "memory.py"), id="python"),
        pytest.param(
            f"cmd:node {EXAMPLES / 'memory.js'}", id="node", marks=pytest.mark.skipif(not NODE, reason="no node here")
        ),
    ],
)
def test_the_examples_rank_by_shared_words(spec: str) -> None:
    opened = create_system(spec)
    opened.system.open(Setting(options=opened.options))
    with closing(opened.system) as system:
        texts = ["lunch at noon", "the Crane is broken", "crane broken again, said the rigger"]
        system.ingest([Message(id=str(n), channel="dock", author="User_1", text=text) for n, text in enumerate(texts)])
        system.settle()
        passages = system.recall("Is the crane broken?", asker=None, limit=2, asked_at=None).passages
    assert [(passage.source_ids, passage.text) for passage in passages] == [(("1",), texts[1]), (("2",), texts[2])]


def test_a_command_line_is_cut_as_a_shell_would_and_options_stand_before_it() -> None:
    spec = parse_spec("cmd:chat=openai:gpt-5@http://127.0.0.1:1/v1 k=a=b node 'my memory.js' --window=5")
    assert spec.name == "cmd:node 'my memory.js' --window=5"
    assert spec.options == {"chat": "openai:gpt-5@http://127.0.0.1:1/v1", "k": "a=b"}


@pytest.mark.parametrize("written", ["cmd:", "cmd:  ", "cmd:chat=x", "cmd:node 'memory.js", "cmd:k=1 k=2 node"])
def test_what_is_no_command_line_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="cmd:"):
        parse_spec(written)


def test_the_command_is_asked_what_it_can_do(tmp_path: Path) -> None:
    worker = tmp_path / "memory.py"
    worker.write_text(
        "from groupmem_worker import serve\n"
        "class Memory:\n"
        "    capabilities = {'resumable': True}\n"
        "    needs = ['embedding']\n"
        "    options = [{'name': 'k', 'default': '5', 'summary': 'how many', 'choices': ['5', '9']}]\n"
        "serve(Memory)\n"
    )
    command = python(worker).removeprefix("cmd:")
    opened = create_system(f"cmd:k=9 embedding=openai:small {command}")
    assert opened.system.capabilities.resumable
    assert opened.system.needs == ("embedding",)
    assert (opened.options, opened.embedding) == ({"k": "9", "embedding": "openai:small"}, "openai:small")
    with pytest.raises(UnknownNameError, match="choose from"):
        create_system(f"cmd:k=7 {command}")
    with pytest.raises(UnknownNameError, match="unknown option"):
        create_system(f"cmd:window=7 {command}")


def test_its_files_are_its_identity(tmp_path: Path) -> None:
    worker = tmp_path / "memory.py"
    worker.write_text((EXAMPLES / "memory.py").read_text())
    before = create_system(python(worker)).sha256
    assert before == create_system(python(worker, "--window", "5")).sha256
    with worker.open("a") as file:
        file.write("# changed\n")
    after = create_system(python(worker)).sha256
    assert before is not None
    assert after not in (None, before)


def test_a_file_is_found_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert create_system(f"cmd:{shlex.quote(sys.executable)} memory.py").sha256 is not None


@pytest.mark.parametrize("command", [f"{shlex.quote(sys.executable)} nix.py", "./nix"])
def test_a_file_that_is_not_there_is_told_with_where_it_was_looked_for(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((InputError, SystemFailure)) as caught:
        create_system(f"cmd:{command}")
    assert f"looked for in {tmp_path}; found for this one: {'none' if command == './nix' else ''}" in str(caught.value)
    assert "(log: " not in str(caught.value)


def test_a_command_that_does_not_speak_the_protocol_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SystemFailure, match="ended in hello"):
        create_system("cmd:true")
    with pytest.raises(InputError, match="cannot be started"):
        create_system("cmd:no-such-program")
    other = tmp_path / "later.py"
    other.write_text('input()\nprint(\'{"id": 1, "result": {"protocol": 2, "name": "x"}}\', flush=True)\ninput()')
    with pytest.raises(SystemFailure, match="version 2 of the protocol"):
        create_system(python(other))
