"""LoCoMo: sessions, times, evidence mended by rule, categories that are never guessed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from small_sets import locomo_folder, write_json

from groupmem.errors import DataError
from groupmem.lab.benchmarks import locomo
from groupmem.lab.benchmarks.locomo import LoCoMo


def open_locomo(tmp_path: Path, **more: Any) -> LoCoMo:
    return LoCoMo.open(locomo_folder(tmp_path, **more), unpinned=True)


def test_locomo_reads_sessions_in_their_order_at_their_time(tmp_path: Path) -> None:
    (unit,) = open_locomo(tmp_path).units()
    messages = unit.conversation().messages
    assert [message.id for message in messages] == ["D1:1", "D1:12", "D2:1", "D2:2", "D10:1"]
    assert [message.position for message in messages] == [0, 1, 2, 3, 4]
    assert [message.sent_at for message in messages][1:3] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 5, 25, 0, 5, tzinfo=UTC),
    ]
    assert messages[4].sent_at == datetime(2023, 6, 1, 12, 30, tzinfo=UTC)
    assert messages[0].extra == {"img_url": ["https://pictures.example/1"], "session": 1}
    assert [person.id for person in unit.conversation().people] == ["Ada", "Bo"]
    assert unit.questions()[0].category == "2-temporal"
    assert unit.questions()[0].answer == "2022"


@pytest.mark.parametrize(
    ("strings", "found"),
    [
        (["D1:1", "D2:2"], ("D1:1", "D2:2")),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D9:1 D4:4 D4:6"], ("D9:1", "D4:4", "D4:6")),
        (["D30:05"], ("D30:5",)),
        (["D:11:26"], ("D11:26",)),
        (["D1:1", "D1:1"], ("D1:1",)),
        (["D", "", "somewhere"], ()),
    ],
)
def test_locomo_evidence_is_mended_by_rule(strings: list[str], found: tuple[str, ...]) -> None:
    assert locomo.read_evidence(strings) == found


def test_locomo_repairs_are_listed(tmp_path: Path) -> None:
    qa = [
        {"question": "a", "answer": "x", "evidence": ["D1:1; D2:01"], "category": 1},
        {"question": "b", "answer": "x", "evidence": ["D1:1", "D9:9"], "category": 3},
        {"question": "c", "answer": "x", "evidence": ["nowhere"], "category": 4},
        {"question": "d", "answer": "x", "evidence": [], "category": 4},
    ]
    benchmark = open_locomo(tmp_path, qa=qa)
    (unit,) = benchmark.units()
    assert [question.evidence for question in unit.questions()] == [("D1:1", "D2:1"), ("D1:1",), (), ()]
    assert [(repair.question, repair.was, repair.became) for repair in benchmark.repairs] == [
        ("conv-1:0", "D1:1; D2:01", "D1:1, D2:1"),
        ("conv-1:2", "nowhere", "dropped"),
        ("conv-1:1", "D9:9", "dropped: no message has this id"),
    ]


def test_an_adversarial_question_has_a_refusal_for_gold_and_keeps_what_the_set_says(tmp_path: Path) -> None:
    asked = {"question": "a", "answer": "y", "adversarial_answer": "x", "evidence": ["D1:1"], "category": 5}
    (unit,) = open_locomo(tmp_path, qa=[asked]).units()
    (question,) = unit.questions()
    assert question.category == "5-adversarial"
    assert question.answer == locomo.ABSTENTION
    assert question.extra == {"adversarial_answer": "x", "answer": "y"}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"qa": [{"question": "a", "category": 6}]}, "conv-1: category 6 has no name; known are 1, 2, 3, 4, 5"),
        ({"qa": [{"question": "a"}]}, "conv-1: .*category"),
        ({"conversation": {"speaker_a": "A", "speaker_b": "B", "session_1": []}}, "session_1_date_time"),
        (
            {"conversation": {"session_1": [], "session_1_date_time": "8 May 2023"}},
            "unreadable session time '8 May 2023'",
        ),
        (
            {"conversation": {"session_1": [], "session_1_date_time": "1:56 pm on 31 June, 2023"}},
            "no date: 31 June 2023",
        ),
    ],
)
def test_a_file_in_another_layout_is_refused_and_never_guessed_at(
    tmp_path: Path, more: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        list(open_locomo(tmp_path, **more).units())


@pytest.mark.parametrize("content", [{}, ["x"], [{"sample_id": 1}]])
def test_a_file_of_another_kind_is_refused_with_its_name(tmp_path: Path, content: Any) -> None:
    write_json(tmp_path / "locomo1.json", content)
    with pytest.raises(DataError, match=r"locomo1\.json is not in the layout of its set"):
        LoCoMo.open(tmp_path, unpinned=True)


def test_a_file_without_a_conversation_is_no_data(tmp_path: Path) -> None:
    write_json(tmp_path / "locomo1.json", [])
    with pytest.raises(DataError, match="holds no unit"):
        LoCoMo.open(tmp_path, unpinned=True)
