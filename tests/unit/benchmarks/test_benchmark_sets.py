"""QMSum, FriendsQA and GroupMemBench, each by its own rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_sets import groupmembench_folder, write_json

from groupmem.errors import DataError
from groupmem.lab.benchmarks.friendsqa import FriendsQA
from groupmem.lab.benchmarks.groupmembench import GroupMemBench
from groupmem.lab.benchmarks.qmsum import QMSum


def test_qmsum_evidence_is_every_turn_of_the_spans(tmp_path: Path) -> None:
    meeting = {
        "topic_list": [],
        "general_query_list": [{"query": "Summarise.", "answer": "..."}],
        "specific_query_list": [
            {"query": "Why?", "answer": "Because.", "relevant_text_span": [["1", "2"], ["2", "3"]]},
            {"query": "And?", "answer": "So.", "relevant_text_span": [["3", "9"]]},
        ],
        "meeting_transcripts": [{"speaker": "Chair", "content": f"turn {number}"} for number in range(5)],
    }
    (tmp_path / "val.jsonl").write_text(json.dumps(meeting) + "\n\n" + json.dumps(meeting) + "\n", "utf-8")
    benchmark = QMSum.open(tmp_path, unpinned=True)
    units = list(benchmark.units())
    assert [unit.id for unit in units] == ["val-0", "val-1"]
    assert [question.id for question in units[1].questions()] == ["val-1:0", "val-1:1"]
    assert [question.evidence for question in units[0].questions()] == [("1", "2", "3"), ("3", "4")]
    assert [repair.was for repair in benchmark.repairs] == ["5, 6, 7, 8, 9"] * 2
    assert units[0].conversation().messages[4].text == "turn 4"


def test_friendsqa_is_one_unit_a_scene_with_joint_speakers(tmp_path: Path) -> None:
    answers = [
        {"answer_text": "a goose", "utterance_id": 1, "is_speaker": False},
        {"answer_text": "goose", "utterance_id": 0, "is_speaker": False},
        {"answer_text": "goose", "utterance_id": 1, "is_speaker": False},
    ]
    scene = {
        "title": "s09_e01_c01",
        "paragraphs": [
            {
                "utterances:": [
                    {"uid": 0, "speakers": ["Ada"], "utterance": "A goose !"},
                    {"uid": 1, "speakers": ["Ada", "Bo"], "utterance": "Run !"},
                ],
                "qas": [{"id": "s09_e01_c01_What_Paraphrased", "question": "What was it ?", "answers": answers}],
            }
        ],
    }
    write_json(tmp_path / "friendsqa_dev.json", {"version": 1, "data": [scene]})
    (unit,) = FriendsQA.open(tmp_path, unpinned=True).units()
    (question,) = unit.questions()
    assert [message.author for message in unit.conversation().messages] == ["Ada", "Ada, Bo"]
    assert (question.evidence, question.answer, question.category) == (("1", "0"), "a goose / goose", "what")
    assert question.extra == {"answers": answers}


def test_groupmembench_reads_the_domains_that_are_there(tmp_path: Path) -> None:
    folder = groupmembench_folder(tmp_path, "Finance", "Technology")
    benchmark = GroupMemBench.open(folder)
    assert benchmark.state.status == "unpinned", "nobody pinned these files; they are read, and the state says so"
    assert [unit.id for unit in benchmark.units()] == ["Technology", "Finance"]
    assert [question.category for unit in benchmark.units() for question in unit.questions()] == ["multi_hop"] * 2
    assert "times without a zone, read as UTC: 2" in benchmark.warnings
    assert any(
        warning.startswith("Finance: missing: questions/Finance/knowledge_update") for warning in benchmark.warnings
    )
    assert "questions by an asker who is neither in the people nor an author, kept: 2" in benchmark.warnings


def test_groupmembench_of_one_domain_opens_its_files_alone(tmp_path: Path) -> None:
    folder = groupmembench_folder(tmp_path, "Finance", "Technology")
    benchmark = GroupMemBench.open(folder, unit="Finance")
    assert [unit.id for unit in benchmark.units()] == ["Finance"]
    assert all("Finance" in path for path in benchmark.state.files)


def test_groupmembench_questions_without_a_corpus_are_no_data(tmp_path: Path) -> None:
    write_json(tmp_path / "questions" / "Finance" / "temporal.jsonl", {"id": "q", "question": "?"})
    with pytest.raises(DataError, match="questions, but no corpus"):
        GroupMemBench.open(tmp_path)
