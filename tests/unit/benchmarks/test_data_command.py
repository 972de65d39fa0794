"""groupmem data list, fetch and verify, as a user calls them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from file_server import FileServer, file_server
from small_sets import sample
from typer.testing import CliRunner

from groupmem.cli.data import app
from groupmem.errors import DataError, UnknownNameError
from groupmem.lab.benchmarks.base import UNPINNED, DataFile
from groupmem.lab.benchmarks.beam import SETS as BEAM_SETS
from groupmem.lab.benchmarks.locomo import LoCoMo
from groupmem.lab.benchmarks.registry import benchmark_names

CONTENT = json.dumps([sample()]).encode()
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A source for LoCoMo on loopback, with the sum of what it serves for the pinned one."""
    with file_server() as running:
        running.files["locomo10.json"] = CONTENT
        serve(monkeypatch, running, SUM)
        yield running


def serve(monkeypatch: pytest.MonkeyPatch, server: FileServer, sha256: str) -> None:
    file = DataFile(path="locomo10.json", url=f"{server.url}/locomo10.json", sha256=sha256)
    monkeypatch.setattr(LoCoMo, "metadata", msgspec.structs.replace(LoCoMo.metadata, files=(file,), expected={}))


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def called_json(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return json.loads(result.stdout)


def test_list_names_every_set_with_its_licence(tmp_path: Path) -> None:
    listed = called_json("list", "--data", str(tmp_path))
    assert listed["folder"] == str(tmp_path)
    assert [item["name"] for item in listed["benchmarks"]] == benchmark_names()
    by_name = {item["name"]: item for item in listed["benchmarks"]}
    assert (by_name["sample"]["bundled"], by_name["locomo"]["bundled"]) == (True, False)
    assert (by_name["groupmembench"]["pinned"], by_name["qmsum"]["pinned"]) == (False, True)
    plain = call("list", "--data", str(tmp_path)).stdout
    assert all(item["licence"] in plain for item in listed["benchmarks"])


def test_list_shows_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo5.json").write_bytes(CONTENT)
    (tmp_path / "qmsum").mkdir()
    (tmp_path / "qmsum" / "val.jsonl").write_text("", "utf-8")
    plain = call("list", "--data", str(tmp_path)).stdout
    assert "locomo         1 other files" in plain
    assert "qmsum          1 of 2 files" in plain


def test_where_nothing_lies_verify_says_how_to_fetch(tmp_path: Path) -> None:
    assert "`groupmem data fetch NAME`" in call("verify", "--data", str(tmp_path)).stdout
    assert called_json("verify", "--data", str(tmp_path))["benchmarks"] == []


def test_the_page_names_every_field_of_the_objects(server: FileServer, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "data.md").read_text("utf-8")
    shown = [
        called_json(*command, "--data", str(tmp_path)) for command in (("fetch", "locomo"), ("verify",), ("list",))
    ]
    rows = [shown[0]["fetched"]["locomo"][0], *(row for one in shown[1:] for row in one["benchmarks"])]
    rows += [file for row in rows for file in row.get("files", []) if isinstance(file, dict)]
    assert len(rows) > 8
    named = set(re.findall(r"`(\w+)`", page))
    assert not {name for row in (*shown, *rows) for name in row} - named


def test_fetch_then_verify(server: FileServer, tmp_path: Path) -> None:
    fetched = called_json("fetch", "locomo", "--data", str(tmp_path), "--quiet")
    assert fetched["fetched"] == {
        "locomo": [{"path": "locomo10.json", "action": "fetched", "sha256": SUM, "size_bytes": len(CONTENT)}]
    }
    assert called_json("fetch", "locomo", "--data", str(tmp_path))["fetched"]["locomo"][0]["action"] == "kept"
    (verified,) = called_json("verify", "--data", str(tmp_path))["benchmarks"]
    assert (verified["name"], verified["status"]) == ("locomo", "pinned")
    assert verified["counts"] == {"units": 1, "messages": 5, "questions": 1, "with_evidence": 1}
    assert verified["files"][0]["standing"] == "pinned"


def test_fetch_says_the_licence_and_progress_beside_the_result(server: FileServer, tmp_path: Path) -> None:
    result = call("fetch", "locomo", "--data", str(tmp_path))
    assert "Licence: CC BY-NC 4.0" in result.stderr
    assert "locomo10.json" in result.stderr
    assert SUM in result.stdout
    assert "Licence" not in result.stdout
    assert call("fetch", "locomo", "--data", str(tmp_path), "--quiet").stderr == ""


def test_a_file_with_another_sum_is_shown_with_both_and_ends_in_an_error(server: FileServer, tmp_path: Path) -> None:
    call("fetch", "locomo", "--data", str(tmp_path))
    (tmp_path / "locomo" / "locomo10.json").write_bytes(b"[]")
    result = call("verify", "--data", str(tmp_path))
    assert result.exit_code == 1
    assert SUM in result.stdout
    assert hashlib.sha256(b"[]").hexdigest() in result.stdout
    (verified,) = called_json("verify", "--data", str(tmp_path))["benchmarks"]
    assert (verified["status"], verified["counts"]) == ("wrong", None)
    assert isinstance(call("fetch", "locomo", "--data", str(tmp_path)).exception, DataError)


def test_an_unpinned_file_is_recorded_at_its_first_fetch_and_then_verified(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, server, UNPINNED)
    call("fetch", "locomo", "--data", str(tmp_path))
    (verified,) = called_json("verify", "--data", str(tmp_path))["benchmarks"]
    assert (verified["status"], verified["files"][0]["standing"]) == ("unpinned", "recorded")
    (tmp_path / "locomo" / "locomo10.json").write_bytes(b"[]")
    assert call("verify", "--data", str(tmp_path)).exit_code == 1


def test_a_part_of_a_set_is_verified_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo5.json").write_bytes(CONTENT)
    result = call("verify", "locomo", "--data", str(tmp_path))
    assert result.exit_code == 0
    assert "locomo: unpinned; 1 units, 5 messages" in result.stdout
    assert "undeclared locomo5.json" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["fetch", "locmo"], UnknownNameError),
        (["fetch", "groupmembench:Finanse"], UnknownNameError),
        (["fetch", "sample"], DataError),
        (["verify", "locmo"], UnknownNameError),
        (["verify", "locomo"], DataError),
    ],
)
def test_names_that_cannot_be_meant(arguments: list[str], error: type[Exception], tmp_path: Path) -> None:
    assert isinstance(call(*arguments, "--data", str(tmp_path)).exception, error)
    assert not any(tmp_path.iterdir()), "nothing is fetched before every name is known"


def test_a_part_of_a_set_is_fetched_into_the_folder_of_the_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lite = BEAM_SETS["lite"]
    with file_server() as running:
        running.files["chat.json"] = b"[]"
        file = DataFile(path="100K/17/chat.json", url=f"{running.url}/chat.json")
        monkeypatch.setattr(lite, "metadata", msgspec.structs.replace(lite.metadata, files=(file,)))
        done = call("fetch", "beam:lite", "--data", str(tmp_path), "--quiet")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "beam" / "100K" / "17" / "chat.json").read_bytes() == b"[]"
    assert "100K/17/chat.json" in (tmp_path / "beam" / "groupmem.lock").read_text()
    refused = call("fetch", "beam:liet", "--data", str(tmp_path))
    assert isinstance(refused.exception, UnknownNameError)
