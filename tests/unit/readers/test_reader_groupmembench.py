"""The published layout: every field is kept, bad rows cost only themselves, channels are never opened by a guess."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from groupmem.errors import InputError
from groupmem.readers import groupmembench
from groupmem.readers.base import write_quarantine

ROW: dict[str, Any] = {
    "msg_node": "Msg_1",
    "author": "User_1",
    "role": "Analyst",
    "content": "Cutoff is Friday &amp; final.",
    "timestamp": "2026-11-02T09:06:12",
    "reply_to": None,
    "phase_name": "Kickoff",
    "topic": "Cutoff",
    "is_noise": False,
    "is_decision_point": True,
    "is_bot": False,
    "decision_label": {"linked_to_msg": "Msg_0"},
}


def row(number: int, **changes: Any) -> dict[str, Any]:
    return {**ROW, "msg_node": f"Msg_{number}", **changes}


def corpus(folder: Path, channels: dict[str, Any], name: str = "corpus.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(channels, ensure_ascii=False), "utf-8")
    return path


def test_every_field_of_a_message_has_its_place_or_is_kept_in_extra(tmp_path: Path) -> None:
    path = corpus(tmp_path, {"general": [row(1)]}, "Finance.json")
    loaded = groupmembench.read(path)
    (message,) = loaded.conversation.messages
    assert loaded.conversation.id == "Finance"
    assert (message.id, message.channel, message.author, message.role) == ("Msg_1", "general", "User_1", "Analyst")
    assert (message.phase, message.topic, message.position) == ("Kickoff", "Cutoff", 0)
    assert message.text == "Cutoff is Friday &amp; final.", "the text is not rewritten"
    assert message.sent_at == datetime(2026, 11, 2, 9, 6, 12, tzinfo=UTC)
    assert message.extra == {
        "is_noise": False,
        "is_decision_point": True,
        "decision_label": {"linked_to_msg": "Msg_0"},
    }
    assert loaded.report.counts == {"naive_times": 1}


def test_channels_and_messages_keep_the_order_of_the_file(tmp_path: Path) -> None:
    late, early = row(1, timestamp="2026-11-09T10:00:00Z"), row(2, timestamp="2026-11-01T10:00:00Z")
    path = corpus(tmp_path, {"zebra": [late, early], "ant": [row(3)]})
    conversation = groupmembench.read(path).conversation
    assert [(message.id, message.position) for message in conversation.messages] == [
        ("Msg_1", 0),
        ("Msg_2", 1),
        ("Msg_3", 0),
    ]
    assert [channel.id for channel in conversation.channels] == ["zebra", "ant"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"msg_node": None}, "missing field msg_node"),
        ({"msg_node": ""}, "missing field msg_node"),
        ({"author": None}, "missing field author"),
        ({"content": None}, "missing field content"),
        ({"content": 5}, "content is not text: 5"),
        ({"role": ["a"]}, "role is not text"),
        ({"is_bot": "yes"}, "is_bot is neither true nor false"),
        ({"msg_node": "Msg_1"}, "duplicate id Msg_1"),
        ({"timestamp": "next week"}, "timestamp is not an ISO 8601 time: 'next week'"),
        ({"timestamp": "2023/04/10 (Mon 17:50"}, "timestamp is not an ISO 8601 time"),
        ({"timestamp": "2026-13-40T00:00:00"}, "timestamp is not an ISO 8601 time"),
        ({"timestamp": 1700000000}, "timestamp is not an ISO 8601 time: 1700000000"),
        ({"timestamp": float("nan")}, "timestamp is not an ISO 8601 time: 'NaN'"),
        ({"timestamp": float("inf")}, "timestamp is not an ISO 8601 time: 'Infinity'"),
        ({"content": "\ud800"}, "a lone surrogate"),
    ],
)
def test_a_bad_row_is_set_aside_with_its_place_and_the_rest_is_read(
    tmp_path: Path, bad: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps({"general": [row(1), row(2, **bad), "no object", row(3)]}), "utf-8")
    loaded = groupmembench.read(path)
    assert [message.id for message in loaded.conversation.messages] == ["Msg_1", "Msg_3"]
    assert [message.position for message in loaded.conversation.messages] == [0, 1]
    first, second = loaded.report.quarantined
    assert (first.file, first.where) == (str(path), "general[1]")
    assert first.reason.startswith(reason)
    assert (second.where, second.reason) == ("general[2]", "not a JSON object")
    assert write_quarantine(loaded.report, tmp_path / "aside.jsonl") == 2
    written = [json.loads(line) for line in (tmp_path / "aside.jsonl").read_text("utf-8").splitlines()]
    assert [item["where"] for item in written] == ["general[1]", "general[2]"]
    assert '"msg_node"' in written[0]["row"]


def test_times_keep_their_zone_and_a_missing_one_is_counted(tmp_path: Path) -> None:
    rows = [
        row(1, timestamp="2026-11-02T09:06:12+05:30"),
        row(2, timestamp="2026-11-02T09:06:12Z"),
        row(3, timestamp=None),
        row(4, timestamp=""),
        row(5, timestamp="2026-11-02"),
    ]
    loaded = groupmembench.read(corpus(tmp_path, {"general": rows}))
    times = [message.sent_at for message in loaded.conversation.messages]
    assert times[0] == datetime(2026, 11, 2, 9, 6, 12, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert times[2:] == [None, None, datetime(2026, 11, 2, tzinfo=UTC)]
    assert loaded.report.counts == {"naive_times": 1, "missing_times": 2}


def test_a_reply_to_nothing_is_kept_and_counted(tmp_path: Path) -> None:
    loaded = groupmembench.read(corpus(tmp_path, {"general": [row(1), row(2, reply_to="Msg_1"), row(3, reply_to=99)]}))
    assert [message.reply_to for message in loaded.conversation.messages] == [None, "Msg_1", "99"]
    assert loaded.report.counts["orphan_replies"] == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b'{"general": [{"msg_node": "Msg_1", "con', r"corpus.json:1:3\d: not JSON"),
        (b"[1, 2]", "expected one JSON object"),
        (b'{"general": {"a": 1}}', "channel 'general' is not a list"),
        (b'{"general": []}', "no message could be read: there are no rows"),
        (b'{"general": [3]}', "rows set aside: 1, first"),
        (b'{"general": "\xff"}', "not UTF-8 at byte 13"),
        (b'{"a":' + b"[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "corpus.json").write_bytes(content)
    with pytest.raises(InputError, match=says):
        groupmembench.read(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_bytes(b"\xef\xbb\xbf" + json.dumps({"general": [ROW]}).encode())
    assert len(groupmembench.read(tmp_path).conversation.messages) == 1


# -- what lies beside the corpus ---------------------------------------------------------------------------------------


def folder_with(tmp_path: Path, **files: Any) -> Path:
    corpus(tmp_path, {"general": [row(1), row(2)], "board": [row(3)]})
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return tmp_path


def test_people_and_channels_come_from_their_files(tmp_path: Path) -> None:
    people = [
        {"id": "User_1", "name": "Ada Quill", "role": "Analyst", "tone": "dry"},
        {"id": 7, "aliases": ["Bo"], "is_bot": True},
    ]
    channels = [
        {"name": "board", "members": ["User_1"]},
        {"name": "general", "members": None},
        {"id": "C3", "name": "empty", "members": [], "topic": "none"},
    ]
    conversation = groupmembench.read(folder_with(tmp_path, people=people, channels=channels)).conversation
    assert [(person.id, person.name, person.is_bot) for person in conversation.people] == [
        ("User_1", "Ada Quill", False),
        ("7", None, True),
    ]
    assert conversation.people[0].extra == {"tone": "dry"}
    assert [(channel.id, channel.members) for channel in conversation.channels] == [
        ("general", None),
        ("board", ("User_1",)),
        ("empty", ()),
    ]
    assert conversation.channels[2].extra == {"id": "C3", "topic": "none"}
    assert conversation.hidden_channels("User_2") == {"board", "empty"}


def test_without_files_there_are_no_people_and_all_channels_are_public(tmp_path: Path) -> None:
    conversation = groupmembench.read(folder_with(tmp_path)).conversation
    assert conversation.people == ()
    assert [channel.members for channel in conversation.channels] == [None, None]


def test_a_channel_that_the_file_leaves_out_is_named_in_a_warning(tmp_path: Path) -> None:
    loaded = groupmembench.read(folder_with(tmp_path, channels=[{"name": "general"}]))
    assert [channel.members for channel in loaded.conversation.channels] == [None, None]
    assert "1 channels are not in channels.json and are read as public: board" in loaded.report.warnings()


@pytest.mark.parametrize(
    "channel", [{"name": "board", "members": "User_1"}, {"name": "board", "members": [["User_1"]]}, {"members": None}]
)
def test_who_may_read_a_channel_is_never_guessed(tmp_path: Path, channel: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"channels.json\[1\].*say who may read the channel"):
        groupmembench.read(folder_with(tmp_path, channels=[{"name": "general"}, channel]))


def test_a_bad_person_is_set_aside(tmp_path: Path) -> None:
    loaded = groupmembench.read(folder_with(tmp_path, people=[{"name": "nobody"}, {"id": "a"}, {"id": "a"}]))
    assert [person.id for person in loaded.conversation.people] == ["a"]
    assert [(item.where, item.reason) for item in loaded.report.quarantined] == [
        ("[0]", "missing field id"),
        ("[2]", "duplicate id a"),
    ]


QUESTION = {"id": "temporal_1", "question": "When?", "answer": "Friday", "asking_user_id": "User_1"}


def write_questions(path: Path, *questions: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [question if isinstance(question, str) else json.dumps(question) for question in questions]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_the_type_of_a_question_is_its_own_or_the_name_of_its_file(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    write_questions(folder / "questions" / "Finance" / "temporal.jsonl", QUESTION)
    write_questions(folder / "questions" / "other.jsonl", {**QUESTION, "id": "m1", "type": "multi_hop"})
    write_questions(folder / "questions.jsonl", {**QUESTION, "id": "q1", "answer": 2022, "evidence": ["Msg_1"]})
    questions = groupmembench.read(folder).questions
    assert [(item.id, item.category) for item in questions] == [
        ("q1", "all"),
        ("temporal_1", "temporal"),
        ("m1", "multi_hop"),
    ]
    assert (questions[0].answer, questions[0].evidence, questions[0].asker) == ("2022", ("Msg_1",), "User_1")


def test_every_field_of_a_question_is_kept(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    full = {**QUESTION, "twin": "temporal_2", "asked_at": "2026-11-05T08:00:00Z", "note": "why it is hard"}
    write_questions(folder / "questions.jsonl", full)
    (question,) = groupmembench.read(folder).questions
    assert question.twin == "temporal_2"
    assert question.asked_at == datetime(2026, 11, 5, 8, tzinfo=UTC)
    assert question.extra == {"note": "why it is hard"}


def test_bad_questions_are_set_aside_and_an_unknown_asker_is_counted(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    write_questions(
        folder / "questions.jsonl",
        QUESTION,
        QUESTION,
        '{"id": "half',
        {"id": "q2", "answer": "no question"},
        {**QUESTION, "id": "q3", "evidence": "Msg_1"},
        {**QUESTION, "id": "q4", "answer": ["a"]},
        {**QUESTION, "id": "q5", "asking_user_id": "User_99"},
        {**QUESTION, "id": "q6", "asking_user_id": None, "evidence": ["Msg_404"]},
    )
    loaded = groupmembench.read(folder)
    assert [question.id for question in loaded.questions] == ["temporal_1", "q5", "q6"]
    assert [item.where for item in loaded.report.quarantined] == [f"line {number}" for number in (2, 3, 4, 5, 6)]
    counts = loaded.report.counts
    assert (counts["unknown_askers"], counts["unknown_evidence"]) == (1, 1)


def test_a_folder_needs_exactly_one_corpus(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none is there\. Expected: a folder with corpus\.json"):
        groupmembench.read(tmp_path)
    corpus(tmp_path, {"general": [row(1)]}, "Finance.json")
    (tmp_path / "people.json").write_text("[]", "utf-8")
    assert groupmembench.read(tmp_path).conversation.id == tmp_path.name
    corpus(tmp_path, {"general": [row(1)]}, "Technology.json")
    with pytest.raises(InputError, match=r"Finance\.json, Technology\.json are there"):
        groupmembench.read(tmp_path)


def test_the_handwritten_corpus_is_read_whole(public_data: Any) -> None:
    folder = public_data("handwritten/technology")
    loaded = groupmembench.read(folder)
    raw = json.loads((folder / "corpus.json").read_text("utf-8"))
    assert len(loaded.conversation.messages) == 450
    assert [message.id for message in loaded.conversation.messages] == [
        item["msg_node"] for rows in raw.values() for item in rows
    ]
    assert len(loaded.questions) == 56
    assert sum(bool(question.evidence) for question in loaded.questions) == 44
    assert len(loaded.conversation.people) == 9
    assert loaded.conversation.hidden_channels("User_1") == {"sev-review-private"}
    assert loaded.report.warnings() == ()


def test_a_domain_of_30000_messages_is_read_with_everything_kept(tmp_path: Path) -> None:
    label = {"reason": "why " * 150, "linked_to_msg": "Msg_0"}
    rows = [row(number, content="word " * 85, decision_change_metadata=label) for number in range(1, 30_001)]
    path = corpus(tmp_path, {f"channel {index}": rows[index::6] for index in range(6)})
    assert path.stat().st_size > 40_000_000
    loaded = groupmembench.read(path)
    assert len(loaded.conversation.messages) == 30_000
    assert loaded.report.counts == {"naive_times": 30_000}
    assert {message.position for message in loaded.conversation.messages} == set(range(5_000))
    assert all(message.extra["decision_change_metadata"] == label for message in loaded.conversation.messages)
