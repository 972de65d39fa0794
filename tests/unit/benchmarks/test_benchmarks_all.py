"""One test over all benchmarks: metadata that can be relied on, and data that is what the metadata says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupmem.errors import DataError, InputError, UnknownNameError
from groupmem.lab.benchmarks.base import UNPINNED, BenchmarkMetadata, DataFile
from groupmem.lab.benchmarks.places import data_root
from groupmem.lab.benchmarks.registry import BENCHMARKS, benchmark_names, open_benchmark

NAMES = benchmark_names()


@pytest.mark.parametrize("name", NAMES)
def test_metadata_is_complete(name: str) -> None:
    metadata = BENCHMARKS[name].metadata
    assert metadata.name == name
    assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
    assert all((metadata.title, metadata.licence, metadata.source, metadata.revision, metadata.citation))
    assert set(metadata.expected) <= {"units", "messages", "questions"}
    assert all(number > 0 for number in metadata.expected.values())
    commits = re.findall(r"\b[0-9a-f]{40}\b", metadata.revision)
    for file in metadata.files:
        assert file.url is not None
        assert file.url.startswith("https://")
        assert any(commit in file.url for commit in commits), f"{file.path}: its address holds no pinned commit"
        assert file.sha256 == UNPINNED or file.size_bytes, f"{file.path}: a pinned file has a known size"


@pytest.mark.parametrize("name", NAMES)
def test_the_files_of_the_units_are_files_of_the_set(name: str) -> None:
    kind = BENCHMARKS[name]
    files = [file for unit in kind.unit_names for file in kind.declared(unit)]
    assert sorted(set(files), key=lambda file: file.path) == sorted(
        kind.metadata.files if kind.unit_names else (), key=lambda file: file.path
    )
    assert kind.declared(None) == kind.metadata.files


@pytest.mark.parametrize("name", [name for name in NAMES if BENCHMARKS[name].metadata.files])
def test_data_that_is_not_there_says_how_to_get_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"groupmem data fetch {name}`, or set GROUPMEM_DATA"):
        open_benchmark(name, data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "status", "counts", "repairs"),
    [
        ("locomo", "unpinned", {"units": 5, "messages": 2960, "questions": 1020, "with_evidence": 1018}, 6),
        ("qmsum", "pinned", {"units": 35, "messages": 20123, "questions": 237, "with_evidence": 237}, 0),
        ("friendsqa", "pinned", {"units": 136, "messages": 2847, "questions": 1182, "with_evidence": 1182}, 0),
        ("beam", "pinned", {"units": 5, "messages": 1254, "questions": 100, "with_evidence": 90}, 0),
        (
            "handwritten/technology",
            "local",
            {"units": 1, "messages": 450, "questions": 56, "with_evidence": 44},
            0,
        ),
    ],
)
def test_public_data_is_read_whole(
    name: str, status: str, counts: dict[str, int], repairs: int, public_data: Callable[[str], Path]
) -> None:
    folder = public_data(name)
    if status == "local":
        benchmark: Any = open_benchmark(str(folder))
    else:
        benchmark = open_benchmark(name, data_dir=folder.parent, unpinned=status == "unpinned")
    assert benchmark.state.status == status
    assert benchmark.counts == counts
    assert len(benchmark.repairs) == repairs
    for unit in benchmark.units():
        conversation, questions = unit.conversation(), unit.questions()
        ids = [message.id for message in conversation.messages]
        assert len(set(ids)) == len(ids)
        assert len({question.id for question in questions}) == len(questions)
        assert all(set(question.evidence) <= set(ids) for question in questions)
        assert {message.channel for message in conversation.messages} <= {
            channel.id for channel in conversation.channels
        }
        assert all(message.sent_at is None or message.sent_at.tzinfo for message in conversation.messages)


@pytest.mark.parametrize("name", ["sample", "handwritten"])
def test_two_sets_come_with_the_package(name: str, tmp_path: Path) -> None:
    benchmark = open_benchmark(name, data_dir=tmp_path)
    assert benchmark.state.status == "bundled"
    (unit,) = benchmark.units()
    assert (unit.id, len(unit.questions()) > 0) == (name, True)
    assert (benchmark.repairs, benchmark.set_aside) == ((), ())
    assert any(channel.members is not None for channel in unit.conversation().channels)


def test_names_that_do_not_exist_list_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as raised:
        open_benchmark("locmo", data_dir=tmp_path)
    assert raised.value.choices[0] == "locomo"
    with pytest.raises(UnknownNameError, match="unit of groupmembench 'Finanse': choose from Finance"):
        open_benchmark("groupmembench:Finanse", data_dir=tmp_path)
    with pytest.raises(UnknownNameError, match="unit of sample 'x': choose from sample"):
        open_benchmark("sample:x", data_dir=tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        open_benchmark("./nowhere")


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../up", "a/../../b", "a\\b"])
def test_no_file_of_a_set_lies_outside_of_its_folder(path: str) -> None:
    with pytest.raises(ValueError, match="not a path within the folder"):
        DataFile(path=path)


def test_a_branch_a_false_sum_and_a_double_path_are_no_metadata() -> None:
    fields: dict[str, Any] = {"name": "x", "title": "x", "licence": "x", "source": "x", "citation": "x"}
    with pytest.raises(ValueError, match="branch"):
        BenchmarkMetadata(revision="main", **fields)
    with pytest.raises(ValueError, match="twice"):
        BenchmarkMetadata(revision="1", files=(DataFile(path="a"), DataFile(path="a")), **fields)
    with pytest.raises(ValueError, match="no sha256"):
        DataFile(path="a", sha256="abc")


def test_where_data_sets_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUPMEM_DATA", "")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_root() == tmp_path / ".local" / "share" / "groupmem"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_root() == tmp_path / "xdg" / "groupmem"
    monkeypatch.setenv("GROUPMEM_DATA", str(tmp_path / "sets"))
    assert data_root() == tmp_path / "sets"
    assert data_root(tmp_path / "given") == tmp_path / "given"
