"""The project's own format: exact round trip, the schema and the reader agree, bad lines cost only themselves."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import strategies as st

from groupmem.errors import InputError
from groupmem.readers import jsonl
from groupmem.types import Channel, Conversation, Message, Person, Question

SCHEMA = json.loads(files("groupmem.readers").joinpath("groupmem.schema.json").read_text("utf-8"))
HEADER = {"format": "groupmem.conversation", "version": 1, "id": "c"}
MESSAGE: dict[str, Any] = {"id": "m1", "channel": "general", "author": "ada", "text": "hello"}
QUESTION: dict[str, Any] = {"id": "q1", "text": "who?"}
BASES: dict[str, dict[str, Any]] = {
    "message": MESSAGE,
    "question": QUESTION,
    "person": {"id": "x"},
    "channel": {"id": "x"},
}


def validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})


def write_lines(path: Path, *lines: object) -> Path:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@given(conversations())
def test_what_is_written_is_read_back_equal_and_every_line_fits_the_schema(
    made: tuple[Conversation, tuple[Question, ...]],
) -> None:
    conversation, questions = made
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.jsonl"
        jsonl.write(path, conversation, questions)
        loaded = jsonl.read(path)
        lines = path.read_bytes().split(b"\n")[:-1]
        asked = jsonl.questions_path(path).read_bytes().split(b"\n")[:-1] if questions else []
    assert loaded.conversation == conversation
    assert loaded.questions == questions
    assert loaded.report.quarantined == ()
    validator("header").validate(json.loads(lines[0]))
    for line in lines[1:]:
        validator("message").validate(json.loads(line))
    for line in asked:
        validator("question").validate(json.loads(line))


TIMES = ["2024-05-06T07:08:09Z", "2024-05-06T07:08:09", "2024-05-06 07:08:09.123+02:00", "2024-05-06T07:08:09-0200"]
# 2.0 is left out: a schema cannot tell it from the integer 2, which a position has to be.
VALUES = [None, True, 0, 3, -1, 2.5, "", "text", "2024-05-06", "06.05.2024", *TIMES, [], ["a"], [1], [""], {}]
FIELDS = {kind: [*SCHEMA["$defs"][kind]["properties"], "unheard_of"] for kind in BASES}


@pytest.mark.parametrize("kind", BASES)
def test_the_schema_takes_a_field_exactly_when_the_reader_does(kind: str) -> None:
    for field in FIELDS[kind]:
        for value in VALUES:
            row = {**BASES[kind], field: value}
            assert validator(kind).is_valid(row) is reader_takes(kind, row), row


@given(kind=st.sampled_from(list(BASES)), data=st.data())
def test_the_schema_takes_a_row_exactly_when_the_reader_does(kind: str, data: st.DataObject) -> None:
    changed = data.draw(st.dictionaries(st.sampled_from(FIELDS[kind]), st.sampled_from(VALUES), max_size=3))
    dropped = data.draw(st.lists(st.sampled_from(FIELDS[kind]), max_size=1))
    row = {name: value for name, value in {**BASES[kind], **changed}.items() if name not in dropped}
    assert validator(kind).is_valid(row) is reader_takes(kind, row), row


def reader_takes(kind: str, row: dict[str, Any]) -> bool:
    header: dict[str, Any] = dict(HEADER)
    if kind in ("person", "channel"):
        header["people" if kind == "person" else "channels"] = [row]
    with tempfile.TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "c.jsonl", header, {**MESSAGE, "id": "other"})
        if kind == "message":
            write_lines(path, header, {**MESSAGE, "id": "other"}, row)
        if kind == "question":
            write_lines(jsonl.questions_path(path), row)
        try:
            return not jsonl.read(path).report.quarantined
        except InputError:
            return False


def test_positions_are_written_only_where_they_are_not_the_order_of_the_lines(tmp_path: Path) -> None:
    messages = [
        Message(id="a", channel="x", author="ada", text="", position=0),
        Message(id="b", channel="y", author="ada", text="", position=7),
        Message(id="c", channel="x", author="ada", text="", position=1),
    ]
    jsonl.write(tmp_path / "c.jsonl", Conversation(id="c", messages=tuple(messages)))
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()[1:]]
    assert [row.get("position") for row in rows] == [None, 7, None]


def test_a_bad_line_is_set_aside_with_its_number_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "c.jsonl",
        HEADER,
        MESSAGE,
        '{"id": "m2", "channel": "general", "aut\n',
        {"id": "m3", "channel": "general", "text": "no author"},
        {**MESSAGE, "text": "the id again"},
        "\n",
        {**MESSAGE, "id": "m4", "sent_at": "last Tuesday"},
        '{"id": "m5", "channel": "general", "author": "ada", "text": "NaN", "position": NaN}\n',
        "[1, 2]\n",
        {**MESSAGE, "id": "m6", "reply_to": "gone", "sent_at": "2024-01-02T03:04:05"},
    )
    loaded = jsonl.read(path)
    assert [message.id for message in loaded.conversation.messages] == ["m1", "m6"]
    assert loaded.conversation.messages[1].sent_at == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert [(row.where, row.reason.split(":")[0]) for row in loaded.report.quarantined] == [
        ("line 3", "broken line"),
        ("line 4", "Object missing required field `author`"),
        ("line 5", "duplicate id m1"),
        ("line 7", "Invalid RFC3339 encoded datetime - at `$.sent_at`"),
        ("line 8", "broken line"),
        ("line 9", "not a JSON object"),
    ]
    assert loaded.report.quarantined[0].row == '{"id": "m2", "channel": "general", "aut'
    assert loaded.report.counts == {"naive_times": 1, "missing_times": 1, "orphan_replies": 1}


def test_bytes_that_are_no_text_cost_one_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", HEADER, MESSAGE)
    with path.open("ab") as file:
        file.write(b'{"id": "m2", "channel": "g", "author": "ada", "text": "\xff"}\n')
        file.write(b'{"id": "m3", "channel": "g", "author": "ada", "text": "\\ud800"}\n')
    loaded = jsonl.read(path)
    assert [message.id for message in loaded.conversation.messages] == ["m1"]
    assert [row.where for row in loaded.report.quarantined] == ["line 3", "line 4"]
    assert "\\xff" in loaded.report.quarantined[0].row


def test_a_question_by_somebody_unknown_is_kept_and_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", {**HEADER, "people": [{"id": "bea"}]}, MESSAGE)
    asked = [{**QUESTION, "id": str(index), "asker": asker} for index, asker in enumerate(["ada", "bea", "zoe"])]
    write_lines(jsonl.questions_path(path), *asked, {**QUESTION, "id": "9", "evidence": ["m1", "nowhere"]})
    loaded = jsonl.read(path)
    assert len(loaded.questions) == 4
    assert loaded.report.counts == {"missing_times": 1, "unknown_askers": 1, "unknown_evidence": 1}
    assert any("asker" in sentence for sentence in loaded.report.warnings())


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ((), "is empty"),
        (("\n \n",), "is empty"),
        ((HEADER,), "no message could be read"),
        ((HEADER, "{\n"), "rows set aside: 1, first"),
        ((MESSAGE,), "no header"),
        (({**HEADER, "version": 2}, MESSAGE), "version 2"),
        (({**HEADER, "version": 0}, MESSAGE), "version 0"),
        (({**HEADER, "version": "1"}, MESSAGE), "version"),
        (({**HEADER, "people": [{"id": "a"}, {"id": "a"}]}, MESSAGE), "duplicate person id a"),
        (({**HEADER, "channels": [{"id": "a", "members": "ada"}]}, MESSAGE), "members"),
        (({**HEADER, "channels": [{"id": "a", "member": []}]}, MESSAGE), "unknown field member"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, lines: tuple[object, ...], says: str) -> None:
    path = write_lines(tmp_path / "c.jsonl", *lines)
    with pytest.raises(InputError, match=says):
        jsonl.read(path)


@pytest.mark.parametrize(
    "conversation",
    [
        Conversation(id="", messages=()),
        Conversation(id="c", messages=(Message(id="", channel="x", author="a", text=""),)),
        Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text="\ud800"),)),
        Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text="", extra={"n": float("nan")}),)),
        Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text="", extra={"n": {1: "x"}}),)),
        Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text="", extra={"n": b"x"}),)),
        Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text=""),) * 2),
        Conversation(
            id="c",
            messages=(Message(id="m", channel="x", author="a", text="", sent_at=datetime.fromisoformat("2024-01-01")),),
        ),
    ],
)
def test_what_could_not_be_read_back_is_refused_and_the_old_file_stays(
    tmp_path: Path, conversation: Conversation
) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("as it was", "utf-8")
    with pytest.raises(InputError):
        jsonl.write(path, conversation)
    assert [item.name for item in tmp_path.iterdir()] == ["c.jsonl"]
    assert path.read_text("utf-8") == "as it was"


def test_questions_of_an_earlier_conversation_do_not_outlive_it(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    conversation = Conversation(id="c", messages=(Message(id="m", channel="x", author="a", text=""),))
    jsonl.write(path, conversation, (Question(id="q", text="?"),))
    jsonl.write(path, conversation)
    assert jsonl.read(path).questions == ()


def test_writing_holds_no_message(tmp_path: Path) -> None:
    alive: list[int] = []

    def stream() -> Any:
        for index in range(100):
            alive.append(next(tmp_path.glob(".c.jsonl.*")).stat().st_size)
            yield Message(id=str(index), channel="x", author="a", text="x" * 10_000)

    jsonl.write_stream(tmp_path / "c.jsonl", jsonl.Header(id="c"), stream())
    assert alive[-1] > alive[0], "lines reach the file while later messages are still to come"
    assert len(jsonl.read(tmp_path / "c.jsonl").conversation.messages) == 100


def test_the_fields_of_the_schema_are_the_fields_of_the_records() -> None:
    for kind, record in {"message": Message, "question": Question, "person": Person, "channel": Channel}.items():
        assert set(SCHEMA["$defs"][kind]["properties"]) == set(record.__struct_fields__), kind
        required = {field.encode_name for field in msgspec.structs.fields(record) if field.required}
        assert set(SCHEMA["$defs"][kind]["required"]) == required
