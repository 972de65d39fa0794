"""What the lab relies on in every memory system, whoever wrote it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from contract_cells import OpenCell, chatter, ids, recalled, said

from groupmem.lab.systems.base import BaseSystem, MemorySystem
from groupmem.types import Channel, passage_ids

CRANE = said(1, "The crane inspection moved to Thursday because of the storm", "User_3")
VALVE = said(50, "Spare valve arrived, it sits in locker nine", "User_4")
CRANE_QUESTION = "When is the crane inspection?"
VALVE_QUESTION = "Where is the spare valve?"

ODD_TEXTS = {
    "cjk": "会議 crane は水曜日に変更されました",
    "emoji": "👩🏽‍🔧🎉 crane 🏗️",
    "right-to-left": "الرافعة crane يوم الخميس",
    "zero-width": "cr\u200bane crane\ufeff \u202eenarc",
    "nul": "crane \x00 after",
    "quotes": 'crane\'; DROP TABLE messages; -- " OR "1"="1',
    "query syntax": 'crane AND (NOT "x*" OR +y^2 ~z) {a:[b]} \\',
    "markup": "<crane> &amp; &lt;b&gt; {{ crane }} %s %(x)d ${HOME}",
    "token of a model": "crane <|endoftext|> [CLS] </s>",
}


def test_it_is_a_memory_system(system: BaseSystem) -> None:
    assert isinstance(system, MemorySystem)


def test_what_was_ingested_in_parts_can_be_found(system: BaseSystem) -> None:
    system.ingest([CRANE])
    system.ingest(chatter(2, 20))
    system.ingest([])
    system.ingest([VALVE])
    system.settle()
    assert CRANE.id in ids(recalled(system, CRANE_QUESTION))
    assert VALVE.id in ids(recalled(system, VALVE_QUESTION))


def test_what_is_ingested_after_a_recall_can_be_found(system: BaseSystem) -> None:
    system.ingest([CRANE, *chatter(2, 20)])
    system.settle()
    assert VALVE.id not in ids(recalled(system, VALVE_QUESTION))
    system.ingest([VALVE])
    system.settle()
    assert VALVE.id in ids(recalled(system, VALVE_QUESTION))
    assert CRANE.id in ids(recalled(system, CRANE_QUESTION))


def test_every_passage_says_which_messages_it_came_from(system: BaseSystem) -> None:
    messages = [CRANE, *chatter(2, 30), VALVE]
    system.ingest(messages)
    system.settle()
    passages = recalled(system, CRANE_QUESTION)
    assert all(passage.source_ids for passage in passages)
    assert set(ids(passages)) <= {message.id for message in messages}


@pytest.mark.parametrize("limit", [0, 1, 3, 10, 1000])
def test_the_limit_is_kept_in_passages_and_in_ids(system: BaseSystem, limit: int) -> None:
    system.ingest([said(number, f"crane inspection note {number}") for number in range(30)])
    system.settle()
    passages = recalled(system, CRANE_QUESTION, limit=limit)
    assert len(passages) <= limit
    assert len(passage_ids(passages)) <= limit
    assert passages or limit == 0


def test_an_empty_store_gives_nothing(system: BaseSystem) -> None:
    system.settle()
    assert recalled(system, CRANE_QUESTION) == ()


@pytest.mark.parametrize("question", ["", " \n\t", "?!", "\u200b", "qwzx"])
def test_a_question_that_names_nothing_is_no_error(system: BaseSystem, question: str) -> None:
    system.ingest([CRANE, *chatter(2, 20)])
    system.settle()
    for asker in ("User_2", None):
        assert len(ids(recalled(system, question, asker))) <= 10


def test_the_same_words_of_two_people_stay_two_messages(system: BaseSystem) -> None:
    twins = [said(1, "I will move the crane", "User_3"), said(2, "I will move the crane", "User_4")]
    system.ingest([*twins, *chatter(3, 20)])
    system.settle()
    found = [
        passage
        for passage in recalled(system, "Who will move the crane?")
        if set(passage.source_ids) & {"Msg_1", "Msg_2"}
    ]
    assert sorted(ids(found)) == ["Msg_1", "Msg_2"]
    assert {passage.author for passage in found if len(passage.source_ids) == 1} <= {"User_3", "User_4"}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_any_text_is_taken_in_and_found(system: BaseSystem, text: str) -> None:
    system.ingest([said(1, text), *chatter(2, 20)])
    system.settle()
    assert "Msg_1" in ids(recalled(system, "crane"))
    assert len(ids(recalled(system, text))) <= 10


@pytest.mark.parametrize("text", ["", "   ", "🎉🎉", "。。。", "\u200b"])
def test_a_message_without_words_hides_no_other(system: BaseSystem, text: str) -> None:
    system.ingest([said(0, text), CRANE, said(99, text), *chatter(2, 20)])
    system.settle()
    assert CRANE.id in ids(recalled(system, CRANE_QUESTION))


def test_a_message_of_20_000_characters_is_found_and_hides_no_other(system: BaseSystem) -> None:
    paste = ("stack trace line of the winch controller " * 500)[:20_000]
    system.ingest([said(0, paste), CRANE, *chatter(2, 20)])
    system.settle()
    assert "Msg_0" in ids(recalled(system, "winch controller stack trace"))
    assert CRANE.id in ids(recalled(system, CRANE_QUESTION))


def test_a_message_that_comes_twice_is_one_message(system: BaseSystem) -> None:
    system.ingest([CRANE, *chatter(2, 20)])
    system.ingest([CRANE])
    system.settle()
    system.ingest([CRANE, VALVE])
    system.settle()
    found = ids(recalled(system, CRANE_QUESTION))
    assert found.count(CRANE.id) == 1
    assert len(found) == len(set(found))


@pytest.mark.parametrize("asker", ["nobody-knows-me", "", None, "会議", "'; --"])
def test_an_asker_whom_nobody_knows_may_ask(system: BaseSystem, asker: str | None) -> None:
    system.ingest([CRANE, *chatter(2, 20)])
    system.settle()
    assert CRANE.id in ids(recalled(system, CRANE_QUESTION, asker))


def test_a_time_of_asking_is_taken(system: BaseSystem) -> None:
    system.ingest([CRANE, *chatter(2, 20)])
    system.settle()
    asked_at = datetime(2031, 5, 1, tzinfo=UTC)
    recall = system.recall(CRANE_QUESTION, asker="User_2", limit=10, asked_at=asked_at)
    assert CRANE.id in ids(recall.passages)
    assert recall.support is None or 0 <= recall.support <= 1


def test_the_same_question_has_the_same_answer(system: BaseSystem) -> None:
    system.ingest([CRANE, *chatter(2, 50)])
    system.settle()
    assert recalled(system, CRANE_QUESTION) == recalled(system, CRANE_QUESTION)


def test_two_cells_do_not_see_each_other(
    spec: str, open_cell: OpenCell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first, second = open_cell(spec), open_cell(spec, store_dir=tmp_path_factory.mktemp("other"))
    first.ingest([CRANE])
    second.ingest([VALVE])
    first.settle()
    second.settle()
    assert VALVE.id not in ids(recalled(first, VALVE_QUESTION))
    assert CRANE.id not in ids(recalled(second, CRANE_QUESTION))


def test_a_cell_can_be_closed_before_its_first_message(system: BaseSystem) -> None:
    system.close()


def test_an_ingest_goes_on_in_the_store_that_it_left(resumable_spec: str, open_cell: OpenCell) -> None:
    first = open_cell(resumable_spec)
    first.ingest([CRANE, *chatter(2, 20)])
    first.settle()
    first.close()
    second = open_cell(resumable_spec)
    second.ingest([CRANE, VALVE])
    second.settle()
    assert ids(recalled(second, CRANE_QUESTION)).count(CRANE.id) == 1
    assert VALVE.id in ids(recalled(second, VALVE_QUESTION))


def test_who_may_not_read_a_channel_gets_nothing_of_it(private_spec: str, open_cell: OpenCell) -> None:
    channels = (Channel(id="dock"), Channel(id="board", members=("User_9",)))
    system = open_cell(private_spec, channels)
    system.ingest([CRANE, said(7, "the crane will be sold", "User_9", "board")])
    system.settle()
    assert ids(recalled(system, "crane", "User_2")) == [CRANE.id]
    assert ids(recalled(system, "crane", "nobody-knows-me")) == [CRANE.id]
    assert ids(recalled(system, "crane", None)) == [CRANE.id]
    assert set(ids(recalled(system, "crane", "User_9"))) == {CRANE.id, "Msg_7"}
