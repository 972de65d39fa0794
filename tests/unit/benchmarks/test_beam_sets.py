"""BEAM: how its files are read, in both layouts, and that nothing is used that is not as it was published."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_sets import beam_folder, write_json

from groupmem.errors import DataError, UnknownNameError
from groupmem.lab.benchmarks.beam import SETS, Beam
from groupmem.lab.benchmarks.beam.checks import check_probes, check_sessions, check_slices
from groupmem.lab.benchmarks.beam.layouts import sessions_of
from groupmem.lab.benchmarks.beam.pins import FILLER, PARQUET_PATH, sums
from groupmem.lab.benchmarks.beam.reading import PROBE_SHA256, flatten, read_messages, read_questions, without_filler
from groupmem.lab.benchmarks.registry import find_set, open_benchmark
from groupmem.lab.sessions import session_documents
from groupmem.readers.base import BadRow
from groupmem.types import Message


def test_beam_cuts_the_mark_of_user_turns_alone_and_keeps_it(tmp_path: Path) -> None:
    (unit,) = Beam.open(beam_folder(tmp_path), unpinned=True).units()
    messages = unit.conversation().messages
    assert [message.text for message in messages] == [
        "Plan it ->-> keep this\nnow",
        "Here is a plan ->-> step one",
        "Thanks!",
        "Hi",
    ]
    assert [message.extra.get("mark") for message in messages] == [" ->-> 1,1)", None, None, " ->-> 2,N/A"]
    assert messages[2].extra == {"index": "1,2", "session": 1, "session_date": "March-05-2024"}
    assert [message.sent_at for message in messages] == [datetime(2024, 3, 5, tzinfo=UTC)] * 3 + [None]
    assert [message.is_bot for message in messages] == [False, True, False, False]


def test_beam_gold_evidence_and_known_bad(tmp_path: Path) -> None:
    benchmark = Beam.open(beam_folder(tmp_path), unpinned=True)
    (unit,) = benchmark.units()
    questions = {question.id: question for question in unit.questions()}
    assert questions["conv17:summarization:0"].evidence == ("0", "1")
    assert questions["conv17:knowledge_update:0"].evidence == ("0", "2")
    assert questions["conv17:knowledge_update:0"].extra["rubric"] == ["that"]
    assert {name: question.answer for name, question in questions.items()} == {
        "conv17:summarization:0": "A plan.",
        "conv17:knowledge_update:0": "That.",
        "conv17:instruction_following:0": None,
        "conv17:abstention:0": "Not said.",
        "conv17:temporal_reasoning:0": "46 days",
        "conv17:temporal_reasoning:1": "46 days",
    }
    assert [name for name, question in questions.items() if question.known_bad] == ["conv17:temporal_reasoning:1"]
    assert [repair.was for repair in benchmark.repairs] == ["9"]


def test_beam_needs_both_files_of_a_conversation(tmp_path: Path) -> None:
    folder = beam_folder(tmp_path)
    (folder / "100K" / "17" / "chat.json").unlink()
    with pytest.raises(DataError, match=r"chat\.json is missing: run `groupmem data fetch beam`"):
        Beam.open(folder, unpinned=True)


def test_numbers_are_found_in_any_nesting() -> None:
    assert list(flatten({"a": [1, [2, {"b": 3}]], "c": None, "d": 4})) == ["1", "2", "3", "4"]
    assert list(flatten(None)) == []


def test_both_layouts_of_a_conversation_are_the_same(tmp_path: Path) -> None:
    folder = beam_folder(tmp_path)
    (from_json,) = Beam.open(folder, unpinned=True).units()
    write_parquet(tmp_path / "hub", [("17", chat_of(folder, "17"), probes_of(folder, "17"))])
    (from_parquet,) = Beam.open(tmp_path / "hub", unpinned=True).units()
    assert from_parquet.conversation() == from_json.conversation()
    assert from_parquet.questions() == from_json.questions()


def test_a_set_takes_its_conversations_out_of_the_parquet_and_a_tier_takes_all(tmp_path: Path) -> None:
    chat, probes = chat_of(beam_folder(tmp_path), "17"), probes_of(tmp_path, "17")
    write_parquet(tmp_path / "hub", [(number, chat, probes) for number in ("2", "17", "20")])
    assert [unit.id for unit in Beam.open(tmp_path / "hub", unpinned=True).units()] == ["conv17"]
    tier = SETS["100K"].open(tmp_path / "hub", unpinned=True)
    assert [unit.id for unit in tier.units()] == ["conv2", "conv17", "conv20"]


def test_bad_rubrics_are_known_of_the_smallest_tier_alone(tmp_path: Path) -> None:
    probes = probes_of(beam_folder(tmp_path), "17")
    found = {}
    for tier in ("100K", "500K"):
        write_json(tmp_path / tier / "17" / "chat.json", [batch(0)])
        write_json(tmp_path / tier / "17" / "probing_questions" / "probing_questions.json", probes)
        (unit,) = SETS[tier].open(tmp_path, unpinned=True).units()
        found[tier] = [question.id for question in unit.questions() if question.known_bad]
    assert found == {"100K": ["conv17:temporal_reasoning:1"], "500K": []}


def test_a_parquet_that_is_not_the_pinned_one_is_refused_with_both_sums(tmp_path: Path) -> None:
    write_parquet(tmp_path, [("17", [[]], {})])
    with pytest.raises(DataError, match=r"has sha256 [0-9a-f]{64} where it should have c0519be25907005ba873c927c508"):
        Beam.open(tmp_path)


@pytest.mark.parametrize("content", [b"no parquet", b""])
def test_a_file_that_is_no_parquet_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / PARQUET_PATH).write_bytes(content)
    with pytest.raises(DataError, match=r"parquet is not in the layout of its set"):
        Beam.open(tmp_path, unpinned=True)


def test_probes_that_are_no_literal_run_nothing(tmp_path: Path) -> None:
    row = {"conversation_id": ["17"], "chat": [[[message(0)]]], "probing_questions": ["__import__('os').getcwd()"]}
    (tmp_path / "data").mkdir()
    pl.DataFrame(row).write_parquet(tmp_path / PARQUET_PATH)
    with pytest.raises(DataError, match="row 0: probing_questions is no literal"):
        list(Beam.open(tmp_path, unpinned=True).units())


def test_a_tier_of_plans_is_read_as_sessions_that_follow_each_other(tmp_path: Path) -> None:
    plans = [{"plan-1": [batch(0, 1), batch(2)]}, {"plan-1": None, "plan-2": [batch(0, 1, 2)]}]
    write_json(tmp_path / "10M" / "3" / "chat.json", plans)
    write_json(tmp_path / "10M" / "3" / "probing_questions" / "probing_questions.json", {})
    (unit,) = open_benchmark("beam:10M", data_dir=tmp_path_as_root(tmp_path)).units()
    found = [(message.id, message.extra["session"]) for message in unit.conversation().messages]
    assert found == [("0", 1), ("1", 1), ("2", 2), ("3", 3), ("4", 3), ("5", 3)]


@pytest.mark.parametrize("flat", [False, True], ids=["turns in batches", "messages in lists"])
def test_ten_plans_of_ten_batches_are_read_out_of_a_parquet_with_all_its_columns(flat: bool, tmp_path: Path) -> None:
    """In a parquet every plan has the names of all plans, null but for its own, and every message has all fields. Three
    columns are read: what the chat was made from lies beside it, and must not be taken."""
    chats = [plans_of(10, 10, flat=flat), plans_of(10, 10, flat=flat)]
    secret = {"user_info": "PLANNED", "user_relationships": "PLANNED"}
    plans = [[{"chat": [], "conversation_plan": "PLANNED", "user_profile": secret} for _ in range(10)]] * 2
    probe = {"question": "When?", "answer": "In May", "rubric": ["In May"], "source_chat_ids": {"plan-5": [101]}}
    columns = {
        "conversation_id": ["1", "2"],
        "conversation_seed": [{"category": "PLANNED", "title": "PLANNED"}] * 2,
        "narratives": ["PLANNED"] * 2,
        "user_profile": [secret] * 2,
        "conversation_plan": ["PLANNED"] * 2,
        "user_questions": [[{"messages": [["PLANNED"]]}]] * 2,
        "chat": chats,
        "probing_questions": [str({"temporal_reasoning": [probe]})] * 2,
        "plans": plans,
    }
    path = tmp_path / "10M" / "data" / "10M-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pl.DataFrame(columns).write_parquet(path)
    assert set(pl.read_parquet(path)["chat"].to_list()[0][0]) == {f"plan-{n}" for n in range(10)}, "as arrow has it"
    units = list(open_benchmark("beam:10M", data_dir=tmp_path_as_root(path.parents[1]), unpinned=True).units())
    assert [unit.id for unit in units] == ["conv1", "conv2"]
    for unit in units:
        messages = unit.conversation().messages
        assert [message.id for message in messages] == [str(n) for n in range(10 * 10 * 2)]
        assert {message.extra["session"] for message in messages} == set(range(1, 101))
        assert messages[0].sent_at is not None
        (asked,) = unit.questions()
        assert (asked.id, asked.evidence) == (f"{unit.id}:temporal_reasoning:0", ("101",))
        assert b"PLANNED" not in msgspec.json.encode(unit.conversation()) + msgspec.json.encode(asked)


def test_where_ids_begin_anew_no_message_is_taken_for_the_source_of_a_probe(tmp_path: Path) -> None:
    probe = {"question": "When?", "answer": "In May", "rubric": ["In May"], "source_chat_ids": [1]}
    for number, plans in (("1", [[0, 1], [2, 3]]), ("2", [[0, 1], [0, 1]])):
        folder = tmp_path / "10M" / number
        write_json(folder / "chat.json", [{f"plan-{n}": [batch(*ids)]} for n, ids in enumerate(plans)])
        write_json(folder / "probing_questions" / "probing_questions.json", {"summarization": [probe]})
    units = open_benchmark("beam:10M", data_dir=tmp_path_as_root(tmp_path)).units()
    assert [unit.questions()[0].evidence for unit in units] == [("1",), ()]


def plans_of(plans: int, batches: int, *, flat: bool) -> list[dict[str, Any]]:
    """A chat of the largest tier: `{"plan-N": batches}` by plan, a turn of two messages a batch, ids through all."""
    numbers = itertools.count()

    def said(role: str, anchor: str | None) -> dict[str, Any]:
        number = next(numbers)
        return {"id": number, "role": role, "content": f"text {number}", "time_anchor": anchor, "index": "1,1"}

    def batch_of(number: int) -> Any:
        turn = [said("user", "May-01-2024"), said("assistant", None)]
        return turn if flat else {"batch_number": number, "turns": [turn], "time_anchor": "May-01-2024"}

    return [{f"plan-{plan}": [batch_of(number) for number in range(1, batches + 1)]} for plan in range(plans)]


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=4), st.booleans())
def test_ids_are_unique_however_plans_number_their_messages(plans: list[list[int]], anew: bool) -> None:
    chat, last = [], 0
    for number, sizes in enumerate(plans, start=1):
        batches = []
        last = 0 if anew else last
        for size in sizes:
            batches.append(batch(*range(last, last + size)))
            last += size
        chat.append({f"plan-{number}": batches})
    ids = [message["id"] for session in sessions_of(chat) for message in session]
    assert ids == list(range(sum(map(sum, plans))))


@pytest.mark.parametrize(
    "chat", [["text"], [["text"]], [3], [[{"id": "one"}]], [[{}]], [{"turns": ["text"]}], [{"plan-1": ["text"]}]]
)
def test_a_chat_of_another_shape_is_refused(chat: list[Any]) -> None:
    with pytest.raises(BadRow):
        sessions_of(chat)


def test_the_sets_of_beam_are_found_by_name(tmp_path: Path) -> None:
    assert find_set("beam") == find_set("beam:full") == (Beam, None)
    assert find_set("beam:lite") == (SETS["lite"], None)
    assert find_set("beam:conv4") == (Beam, "conv4")
    with pytest.raises(UnknownNameError, match="unit of beam '100k': choose from 100K") as raised:
        find_set("beam:100k")
    assert {"full", "lite", "500K", "1M", "10M", "conv17"} <= set(raised.value.choices)
    with pytest.raises(DataError, match="run `groupmem data fetch beam:lite`"):
        open_benchmark("beam:lite", data_dir=tmp_path)


def test_what_is_fetched_of_each_set() -> None:
    fetched = {name: [file.path for file in kind.declared(None)] for name, kind in SETS.items()}
    assert fetched["lite"] == ["100K/17/chat.json", "100K/17/probing_questions/probing_questions.json"]
    assert fetched["100K"] == [PARQUET_PATH]
    assert {name: len(paths) for name, paths in fetched.items()} == {
        "full": 10,
        "lite": 2,
        "100K": 1,
        "500K": 70,
        "1M": 70,
        "10M": 20,
    }


class TestSums:
    def test_a_changed_session_stops_with_both_sums(self) -> None:
        documents = session_documents("conv17", read_messages([[message(0)]] * 5))
        with pytest.raises(
            DataError, match=f"conv17-s1 has sha256 {documents[0].sha256} where it should have 717f1f6e"
        ):
            check_sessions("conv17", documents)
        with pytest.raises(DataError, match="conv17 has 4 sessions where it should have 5"):
            check_sessions("conv17", documents[:4])
        check_sessions("conv2", documents)

    def test_a_changed_slice_stops_with_both_sums(self) -> None:
        documents = session_documents("conv17", read_messages([[message(18)]]))
        with pytest.raises(
            DataError, match=f"conv17-s1 has sha256 {documents[0].sha256} where it should have 10c625cd"
        ):
            check_slices(documents)
        with pytest.raises(DataError, match="should have none: it is no slice"):
            check_slices(session_documents("conv16", read_messages([[message(18)]])))

    def test_a_changed_probe_stops_with_both_sums(self) -> None:
        (question,) = read_questions("conv17", {"information_extraction": [{"question": "?"}]})
        found, pinned = question.extra[PROBE_SHA256], sums().probes[question.id]
        with pytest.raises(DataError, match=f"{found} where it should have {pinned}"):
            check_probes([question])
        check_probes(list(read_questions("conv2", {"information_extraction": [{"question": "?"}]})))

    def test_a_changed_filler_stops_before_it_is_cut_and_is_left_whole_where_the_user_says_so(self) -> None:
        (changed,) = read_messages([[message(FILLER.message)]])
        with pytest.raises(
            DataError, match=f"message 97 has sha256 [0-9a-f]+ where it should have {FILLER.original_sha256}"
        ):
            list(without_filler("4", iter([changed]), strict=True))
        assert list(without_filler("4", iter([changed]), strict=False)) == [changed]
        assert list(without_filler("6", iter([changed]), strict=True)) == [changed]


def tmp_path_as_root(folder: Path) -> Path:
    """A root whose beam/ is `folder`."""
    root = folder.parent / f"{folder.name}-root"
    root.mkdir()
    (root / "beam").symlink_to(folder)
    return root


def message(number: int) -> dict[str, Any]:
    return {"id": number, "role": "user", "content": f"text {number}"}


def batch(*numbers: int) -> dict[str, Any]:
    return {"batch_number": 1, "turns": [[message(number)] for number in numbers]}


def chat_of(folder: Path, number: str) -> list[list[dict[str, Any]]]:
    """The chat as the parquet has it: messages by session, without turns."""
    sessions = json.loads((folder / "100K" / number / "chat.json").read_text())
    return [[message for turn in session["turns"] for message in turn] for session in sessions]


def probes_of(folder: Path, number: str) -> dict[str, Any]:
    return json.loads((folder / "100K" / number / "probing_questions" / "probing_questions.json").read_text())


def write_parquet(folder: Path, rows: list[tuple[str, list[list[dict[str, Any]]], dict[str, Any]]]) -> None:
    (folder / "data").mkdir(parents=True)
    numbers, chats, probes = zip(*rows, strict=True)
    columns = {"conversation_id": numbers, "chat": chats, "probing_questions": [str(probe) for probe in probes]}
    pl.DataFrame(columns).write_parquet(folder / PARQUET_PATH)


def test_messages_without_a_session_are_one_document() -> None:
    plain = Message(id="7", channel="c", author="mira", role="lead", text="Hello")
    (document,) = session_documents("team", [plain])
    assert document.text == "Session 1, date: unknown\n\n[msg 7 | lead] Hello"
