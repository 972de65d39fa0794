"""What the lab relies on in a system that runs in a process of its own.

`make test` holds the example commands to it, `make test-systems` every adapter that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from contract_cells import chatter, ids, said
from isolated_cells import UNREACHABLE, IsolatedCell, Laboratory, Peer

from groupmem.errors import GroupMemError, ModelError, SystemFailure
from groupmem.lab.systems.isolated.process import greet
from groupmem.lab.systems.isolated.system import IsolatedSystem
from groupmem.types import Channel, passage_ids
from support.openai_server import Reply

CRANE = said(1, "The crane inspection moved to Thursday because of the storm", "User_3")
TWINS = (said(2, "I will repaint the lifeboat", "User_3"), said(3, "I will repaint the lifeboat", "User_4"))
CJK = said(4, "会議は水曜日に変更されました 👩🏽‍🔧", "User_5")
PASTE = said(5, ("stack trace line of the winch controller " * 500)[:20_000], "User_6")
VALVE = said(50, "Spare valve arrived, it sits in locker nine", "User_4")
MESSAGES = [CRANE, *TWINS, CJK, PASTE, *chatter(10, 6)]
CRANE_QUESTION = "When is the crane inspection?"
VALVE_QUESTION = "Where is the spare valve?"


@pytest.fixture(scope="module")
def laboratory(peer: Peer) -> Iterator[Laboratory]:
    with closing(Laboratory(peer)) as laboratory:
        yield laboratory


@pytest.fixture(scope="module")
def filled(laboratory: Laboratory) -> Iterator[IsolatedCell]:
    """One cell for all tests that only ask: starting a package takes long."""
    with laboratory.cell() as cell:
        cell.ingest(MESSAGES)
        yield cell


def test_ingest_settle_recall(filled: IsolatedCell) -> None:
    assert CRANE.id in ids(filled.recall(CRANE_QUESTION))


def test_ids_are_those_of_messages_and_the_limit_is_kept(filled: IsolatedCell) -> None:
    known = {message.id for message in MESSAGES}
    for limit in (1, 3, 100):
        passages = filled.recall(CRANE_QUESTION, limit=limit)
        assert passages
        assert all(passage.source_ids for passage in passages)
        assert len(passages) <= limit
        assert len(passage_ids(passages)) <= limit
        assert set(ids(passages)) <= known


def test_two_speakers_with_the_same_words_are_two_messages(filled: IsolatedCell) -> None:
    found = filled.recall("Who will repaint the lifeboat?")
    assert {message.id for message in TWINS} <= set(ids(found))
    assert {passage.author for passage in found if passage.source_ids == (TWINS[0].id,)} <= {None, "User_3"}


def test_cjk_comes_back_as_it_was(filled: IsolatedCell) -> None:
    passages = [passage for passage in filled.recall("会議は水曜日に変更されました") if CJK.id in passage.source_ids]
    assert passages
    assert any("水曜日" in passage.text for passage in passages)


def test_a_message_of_20_000_characters_is_found_and_hides_no_other(filled: IsolatedCell) -> None:
    assert PASTE.id in ids(filled.recall("winch controller stack trace"))
    assert CRANE.id in ids(filled.recall(CRANE_QUESTION))


@pytest.mark.parametrize("question", ["?!", "\u200b", "qwzx", "crane'; DROP TABLE x; -- {a:[b]} \\ (NOT *)"])
def test_a_question_that_names_nothing_is_no_error(filled: IsolatedCell, question: str) -> None:
    for asker in ("User_2", "nobody-knows-me", None):
        assert len(ids(filled.recall(question, asker=asker))) <= 10


def test_it_says_which_packages_it_is(filled: IsolatedCell, peer: Peer) -> None:
    assert peer.name.startswith("cmd:") or filled.system.notes()


def test_it_can_be_let_go_without_a_cell(filled: IsolatedCell) -> None:
    """As `groupmem systems doctor` does."""
    assert isinstance(filled.system, IsolatedSystem)
    assert greet(filled.system.program).name


def test_what_comes_twice_is_there_once_and_what_comes_later_is_found(laboratory: Laboratory) -> None:
    with laboratory.cell() as cell:
        cell.ingest([CRANE, *chatter(10, 4)])
        cell.ingest([CRANE, VALVE])
        assert ids(cell.recall(CRANE_QUESTION)).count(CRANE.id) == 1
        assert VALVE.id in ids(cell.recall(VALVE_QUESTION))


def test_reopen(laboratory: Laboratory) -> None:
    """A resumable system goes on in the store that it left; any other starts with nothing of an earlier cell."""
    store = laboratory.new_store()
    with laboratory.cell(store=store) as cell:
        cell.ingest([CRANE, *chatter(10, 4)])
        resumable = cell.system.capabilities.resumable
    with laboratory.cell(store=store if resumable else None) as cell:
        cell.ingest([*([CRANE] if resumable else []), *chatter(10, 4), VALVE])
        found = ids(cell.recall(CRANE_QUESTION))
        assert found.count(CRANE.id) == (1 if resumable else 0)
        assert VALVE.id in ids(cell.recall(VALVE_QUESTION))


def test_who_may_not_read_a_channel_gets_nothing_of_it(laboratory: Laboratory) -> None:
    channels = (Channel(id="dock"), Channel(id="board", members=("User_9",)))
    secret = said(7, "The crane will be sold to the harbour", "User_9", "board")
    with laboratory.cell(channels=channels) as cell:
        if not cell.system.capabilities.visibility:
            pytest.skip("it does not say that it knows who may read what")
        cell.ingest([CRANE, secret, *chatter(10, 3)])
        for asker in ("User_2", "nobody-knows-me", None):
            assert secret.id not in ids(cell.recall("What happens to the crane?", asker=asker))
        assert secret.id in ids(cell.recall("What happens to the crane?", asker="User_9"))


def test_a_copy_of_what_was_made_is_opened_without_a_model_and_finds_the_same(
    laboratory: Laboratory, tmp_path: Path
) -> None:
    with laboratory.cell() as cell:
        if not cell.system.capabilities.restorable:
            pytest.skip("its store cannot be copied")
        cell.ingest(MESSAGES)
        copied = cell.copy_to(tmp_path / "copied")
        asked = (CRANE_QUESTION, "winch controller stack trace", "Who will repaint the lifeboat?")
        found, figures = [ids(cell.recall(question)) for question in asked], cell.system.figures()
    with laboratory.cell(copied=copied, chat_url=UNREACHABLE) as cell:
        cell.ingest(MESSAGES)
        assert [ids(cell.recall(question)) for question in asked] == found
        assert cell.system.figures() == figures


def test_a_model_out_of_reach_is_no_empty_memory(laboratory: Laboratory, peer: Peer) -> None:
    if peer.reply is None:
        pytest.skip("it calls no chat model")
    with pytest.raises((SystemFailure, ModelError)), laboratory.cell(chat_url=UNREACHABLE) as cell:
        cell.ingest([CRANE, *chatter(10, 4)])
        cell.recall(CRANE_QUESTION)


@pytest.mark.parametrize("reply", ['{"facts": [', "", "null", "[]"], ids=["cut", "empty", "null", "list"])
def test_a_malformed_reply_of_the_model_is_survived_or_told(laboratory: Laboratory, peer: Peer, reply: str) -> None:
    if peer.reply is None:
        pytest.skip("it calls no chat model")
    with laboratory.talking(lambda _: Reply(reply)) as server:
        try:
            with laboratory.cell(chat_url=server.url) as cell:
                cell.ingest([CRANE])
                assert set(ids(cell.recall(CRANE_QUESTION))) <= {CRANE.id}
        except GroupMemError as error:
            assert str(error)


def test_a_worker_that_is_killed_fails_and_gives_nothing(laboratory: Laboratory) -> None:
    with laboratory.cell() as cell:
        cell.ingest([CRANE])
        cell.kill()
        with pytest.raises(SystemFailure, match="killed by signal 9"):
            cell.recall(CRANE_QUESTION)
