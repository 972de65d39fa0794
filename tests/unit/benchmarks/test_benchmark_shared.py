"""What all benchmarks share: sums, units, counts, local conversations, grading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from small_sets import beam_folder, groupmembench_folder, locomo_folder, sample, write_json

from groupmem.errors import DataError, UnknownNameError
from groupmem.lab.benchmarks.base import UNPINNED, DataFile
from groupmem.lab.benchmarks.beam import Beam
from groupmem.lab.benchmarks.files import sha256_of
from groupmem.lab.benchmarks.groupmembench import GroupMemBench
from groupmem.lab.benchmarks.local import LocalBenchmark
from groupmem.lab.benchmarks.lock import LOCK_NAME, LockedFile, record
from groupmem.lab.benchmarks.locomo import LoCoMo
from groupmem.lab.benchmarks.registry import open_benchmark
from groupmem.lab.benchmarks.shared import BaseBenchmark
from groupmem.lab.judging.judge import PAPER, Judge
from groupmem.models.base import ChatReply, ChatRequest
from groupmem.prompts import Prompts
from groupmem.readers import jsonl
from groupmem.types import Answer, Question


def pinned(kind: type[BaseBenchmark], folder: Path, *paths: str, **changes: Any) -> type[BaseBenchmark]:
    """The set, with these files and their true sums for its pinned ones."""
    files = tuple(DataFile(path=path, sha256=sha256_of(folder / path)) for path in paths)
    metadata = msgspec.structs.replace(kind.metadata, files=files, **changes)
    return type(kind.__name__, (kind,), {"metadata": metadata})


def test_a_pinned_file_is_read_and_a_changed_one_refused_with_both_sums(tmp_path: Path) -> None:
    path = write_json(tmp_path / "locomo10.json", [sample()])
    kind = pinned(LoCoMo, tmp_path, "locomo10.json")
    was = sha256_of(path)
    assert kind.open(tmp_path).state.status == "pinned"
    write_json(path, [sample(), sample(sample_id="conv-2")])
    with pytest.raises(DataError) as raised:
        kind.open(tmp_path)
    assert was in str(raised.value)
    assert sha256_of(path) in str(raised.value)
    assert "--unpinned" in str(raised.value)
    benchmark = kind.open(tmp_path, unpinned=True)
    assert benchmark.state.status == "unpinned"
    assert benchmark.state.files == {"locomo10.json": sha256_of(path)}


def test_another_file_of_the_set_is_refused_with_its_sum_and_the_pinned(tmp_path: Path) -> None:
    path = write_json(tmp_path / "locomo5.json", [sample()])
    with pytest.raises(DataError) as raised:
        LoCoMo.open(tmp_path)
    assert sha256_of(path) in str(raised.value)
    assert LoCoMo.metadata.files[0].sha256 in str(raised.value)


def test_a_part_of_the_set_is_left_alone_where_the_set_itself_is_there(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo10.json", [sample()])
    write_json(tmp_path / "locomo5.json", [sample()])
    benchmark = pinned(LoCoMo, tmp_path, "locomo10.json").open(tmp_path)
    assert benchmark.counts["units"] == 1


def test_counts_that_are_not_the_expected_are_a_warning_where_every_file_is_there(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo10.json", [sample()])
    kind = pinned(LoCoMo, tmp_path, "locomo10.json", expected={"units": 1, "messages": 6})
    assert "locomo should have 6 messages and has 5" in kind.open(tmp_path).warnings
    assert not any("should have" in warning for warning in kind.open(tmp_path, unit="conv-1").warnings)


def test_a_unit_that_is_not_in_the_files(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo1.json", [sample()])
    assert LoCoMo.open(tmp_path, unit="conv-1", unpinned=True).counts["units"] == 1
    with pytest.raises(UnknownNameError, match="unit of locomo 'conv-2': choose from conv-1"):
        LoCoMo.open(tmp_path, unit="conv-2", unpinned=True)


def test_a_unit_that_is_in_two_files_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo1.json", [sample()])
    write_json(tmp_path / "locomo2.json", [sample(sample_id="conv-2")])
    assert [unit.id for unit in LoCoMo.open(tmp_path, unpinned=True).units()] == ["conv-1", "conv-2"]
    write_json(tmp_path / "locomo3.json", [sample()])
    with pytest.raises(DataError, match="conv-1 is in locomo1"):
        LoCoMo.open(tmp_path, unpinned=True)


def test_repairs_and_warnings_need_no_pass_of_ones_own(tmp_path: Path) -> None:
    benchmark = LoCoMo.open(
        locomo_folder(tmp_path, qa=[{"question": "a", "evidence": ["D9:9"], "category": 1}]), unpinned=True
    )
    assert len(benchmark.repairs) == 1
    first, again = ([(unit.id, unit.conversation(), unit.questions()) for unit in benchmark.units()] for _ in range(2))
    assert first == again
    assert len(benchmark.repairs) == 1


def test_a_set_of_many_units_holds_one_conversation_and_one_of_one_is_read_once(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo1.json", [sample(), sample() | {"sample_id": "conv-2"}])
    first, second = LoCoMo.open(tmp_path, unpinned=True).units()
    conversation = second.conversation()
    assert second.conversation() is conversation
    assert first.conversation().id == "conv-1"
    assert second.conversation() == conversation and second.conversation() is not conversation


def test_a_folder_a_domain_file_and_a_jsonl_file_are_benchmarks(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    corpus = write_json(folder / "corpus.json", {"general": [{"msg_node": "m", "author": "ada", "content": "hi"}]})
    asked = {"id": "q", "question": "?", "answer": "hi", "asking_user_id": "ada", "evidence": ["m", "gone"]}
    write_json(folder / "questions.jsonl", asked)
    benchmark = open_benchmark(str(folder))
    assert isinstance(benchmark, LocalBenchmark)
    assert benchmark.state.files == {
        "corpus.json": sha256_of(corpus),
        "questions.jsonl": sha256_of(folder / "questions.jsonl"),
    }
    (unit,) = benchmark.units()
    assert (unit.id, unit.questions()[0].evidence) == ("team", ("m",))
    assert [repair.was for repair in benchmark.repairs] == ["gone"]
    assert "messages without a time: 1" in benchmark.warnings

    jsonl.write(tmp_path / "own.jsonl", unit.conversation(), unit.questions())
    own = open_benchmark(str(tmp_path / "own.jsonl"))
    assert set(own.state.files) == {"own.jsonl", "own.questions.jsonl"}
    assert [(found.id, found.conversation(), found.questions()) for found in own.units()] == [
        ("own", unit.conversation(), unit.questions())
    ]
    assert [found.id for found in open_benchmark(str(corpus)).units()] == ["corpus"]


def test_questions_that_were_chosen_against_a_system_say_so(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    write_json(folder / "corpus.json", {"general": [{"msg_node": "m", "author": "ada", "content": "hi"}]})
    chosen = [{"solver": "bm25"}, {"solver": "bm25", "flags": ["yes_no"]}, {"solver": "dense", "flags": ["raw"]}, {}]
    rows = [{"id": f"q{place}", "question": "?", "answer": "hi", **more} for place, more in enumerate(chosen)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert [warning for warning in open_benchmark(str(folder)).warnings if "kept because" in warning] == [
        "team: 2 questions were kept because bm25 failed on them: its row is low by construction"
    ]


class AlwaysRight:
    name = "scripted"

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return ChatReply(text="The same.\nFinal: Correct")


def test_an_answer_is_judged_against_the_gold_and_unscored_without_one(tmp_path: Path) -> None:
    model = AlwaysRight()
    judge = Judge(model=model, profile=PAPER, prompts=Prompts())
    benchmark = Beam.open(beam_folder(tmp_path), unpinned=True)
    (unit,) = benchmark.units()
    questions = {question.id: question for question in unit.questions()}

    def grade(question: Question) -> tuple[str, str | None, tuple[str, ...]]:
        found = BaseBenchmark.grade(benchmark, question, Answer(text="That."), judge)
        return found.verdict.outcome, found.verdict.reason, found.flags

    assert grade(questions["conv17:knowledge_update:0"]) == ("right", None, ())
    assert grade(questions["conv17:temporal_reasoning:1"]) == ("right", None, ("known_bad",))
    assert len(model.asked) == 2
    assert grade(questions["conv17:instruction_following:0"]) == ("unscored", "no_gold", ())
    assert len(model.asked) == 2


def test_a_sum_that_nobody_pinned_is_held_to_the_first_fetch(tmp_path: Path) -> None:
    folder = groupmembench_folder(tmp_path, "Finance")
    path = "questions/Finance/multi_hop.jsonl"
    assert GroupMemBench.metadata.files[1].sha256 == UNPINNED
    record(folder, path, LockedFile(sha256=sha256_of(folder / path), url="https://example.org/x"))
    assert GroupMemBench.open(folder).state.status == "unpinned"
    (folder / path).write_text('{"id": "q", "question": "changed"}\n', "utf-8")
    with pytest.raises(DataError, match=f"{path} has sha256 {sha256_of(folder / path)} where it should have"):
        GroupMemBench.open(folder)
    (folder / LOCK_NAME).write_text("{", "utf-8")
    with pytest.raises(DataError, match="without it nobody knows what the first fetch got"):
        GroupMemBench.open(folder)
