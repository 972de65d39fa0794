"""An asker sees what the channels' members may see. What is hidden changes nothing that is seen, to the last bit."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Channel, Message, Person
from support.memory_store import NINE, Opener, found, near, open_store, picture, said
from support.word_vectors import WordVectors

LYON = said(
    "1", "We sell the Lyon site in May.", channel="board", author="lena", phase="Sale", topic="Lyon", role="CFO"
)
ASKED = said("1", "Any news on Lyon?", channel="general", author="tomas")
BOARD = Channel(id="board", members=("lena", "mira"))
GENERAL = Channel(id="general")


def fill(store: SqliteStore) -> None:
    store.set_channels([BOARD, GENERAL])
    store.add([LYON, ASKED, said("2", "Understood.", channel="board", reply_to="1")])


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize("asker", ["tomas", None, "nobody", "board"])
def test_who_is_no_member_sees_nothing_of_it(opened: Opener, flushed: bool, asker: str | None) -> None:
    model = WordVectors()
    store = opened(model)
    fill(store)
    if flushed:
        store.flush()
    view = store.view(asker)
    assert view.count == 1
    assert found(view, "lyon", "sell", "site") == ["Any news on Lyon?"]
    assert near(view, model, "We sell the Lyon site in May.") == ["Any news on Lyon?"]
    assert view.frequencies("content", ["lyon", "site"]).tolist() == [1, 0]
    assert view.occurrences("context", "sale").tolist() == []
    assert [channel.id for channel in view.channels] == ["general"]
    assert (dict(view.authors), dict(view.phases), dict(view.topics), dict(view.roles)) == ({"tomas": 1}, {}, {}, {})
    assert view.row("board", "1") is None
    assert view.directory.candidates("lena") == (), "nor is it told who the members are"


@pytest.mark.parametrize("asker", ["lena", "mira"])
def test_members_see_it_whether_they_wrote_there_or_not(opened: Opener, asker: str) -> None:
    model = WordVectors()
    store = opened(model)
    fill(store)
    view = store.view(asker)
    assert view.count == 3
    assert "We sell the Lyon site in May." in found(view, "lyon")
    assert near(view, model, LYON.text)[0] == LYON.text


def test_writing_in_a_channel_makes_nobody_a_member(store: SqliteStore) -> None:
    store.set_channels([Channel(id="board", members=("lena",))])
    store.add([said("1", "a slip of the mouse", channel="board", author="tomas")])
    assert store.view("tomas").count == 0


def test_a_channel_without_members_is_read_by_nobody(store: SqliteStore) -> None:
    store.set_channels([Channel(id="vault", members=())])
    store.add([said("1", "hush", channel="vault")])
    assert store.view("mira").count == 0
    assert store.view(None).count == 0


def test_membership_counts_from_the_moment_it_is_set(opened: Opener) -> None:
    writer, reader = opened(), opened()
    fill(writer)
    assert reader.view("tomas").count == 1
    writer.set_channels([Channel(id="board", members=("tomas",))])
    assert reader.view("tomas").count == 3
    assert reader.view("lena").count == 1
    writer.set_channels([Channel(id="board")])
    assert reader.view(None).count == 3
    writer.set_channels([Channel(id="board", members=("lena",))])
    assert reader.view(None).count == 1


def test_a_private_channel_that_was_set_before_its_messages_was_never_public(store: SqliteStore) -> None:
    store.set_channels([Channel(id="board", members=("lena",))])
    assert [channel.id for channel in store.view(None).channels] == []
    assert [channel.id for channel in store.view("lena").channels] == ["board"]


def test_members_of_a_hidden_channel_give_no_names_to_others(store: SqliteStore) -> None:
    """ "U77" is known as a person by being a member; where that is hidden, the word is only a word."""
    store.set_channels([Channel(id="board", members=("U77", "lena"))])
    store.add([said("1", "ask U77"), said("2", "ask U77", channel="board")])
    (open_one,) = store.view(None).messages(np.array([0]))
    assert [mention.person for mention in open_one.notes.mentions] == []
    (closed_one,) = store.view("lena").messages(np.array([1]))
    assert [mention.person for mention in closed_one.notes.mentions] == ["U77"]


WORDS = ["lamp", "moss", "gate", "decided", "ten", "Monday", "harbour", "we", "move", "to", "instead", "of"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
TERMS = ["lamp", "moss", "gate", "decid", "harbour"]


def talk(channel: str) -> st.SearchStrategy[list[Message]]:
    """Messages of one channel, answers among them, some without a time."""
    said_there = st.builds(
        Message,
        id=st.sampled_from([str(number) for number in range(12)]),
        channel=st.just(channel),
        author=st.sampled_from(["lena", "mira", "tomas"]),
        text=texts,
        sent_at=st.none() | st.integers(0, 40).map(lambda minute: NINE + timedelta(minutes=minute)),
        role=st.none() | st.sampled_from(["QA", "SRE"]),
        reply_to=st.none() | st.sampled_from([str(number) for number in range(12)]),
        phase=st.sampled_from([None, "Build", "Ship"]),
        topic=st.sampled_from([None, "Locks", "Lamps"]),
    )
    return st.lists(said_there, max_size=8)


@given(st.data(), talk("open"), talk("closed"), st.sampled_from(["nothing", "flush", "compact", "delete", "edit"]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_hidden_changes_nothing_that_is_seen(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    visible: list[Message],
    hidden: list[Message],
    then: str,
) -> None:
    """Two memories, one with a private channel between the open one: to an outsider they are the same, bit by bit."""
    model = WordVectors()
    mixed = data.draw(st.permutations(["open"] * len(visible) + ["closed"] * len(hidden)))
    queues = {"open": iter(visible), "closed": iter(hidden)}
    with_hidden, without = (open_store(tmp_path_factory.mktemp("memory") / "team.db", model) for _ in range(2))
    for store in (with_hidden, without):
        store.set_people([Person(id="mira", name="Mira Solberg", role="QA")])
    with_hidden.set_channels([Channel(id="closed", members=("lena",))])
    for kind in mixed:
        message = next(queues[kind])
        with_hidden.add([message])
        if kind == "open":
            without.add([message])
    for store in (with_hidden, without):
        if then in ("flush", "compact"):
            getattr(store, then)()
    if then == "delete" and hidden:
        with_hidden.delete("closed", hidden[0].id)
    if then == "edit" and hidden:
        with_hidden.add([msgspec.structs.replace(hidden[0], text="harbour gate, decided")])
    for asker, until in ((None, None), ("mira", None), ("mira", NINE + timedelta(minutes=20))):
        seen, alone = with_hidden.view(asker, until), without.view(asker, until)
        assert picture(seen, TERMS) == picture(alone, TERMS)
        if alone.count:
            query = model.embed(["lamp moss"], kind="query")[0]
            (rows, cosines), (other_rows, other_cosines) = seen.nearest(query).top(5), alone.nearest(query).top(5)
            assert cosines.tolist() == other_cosines.tolist()
            assert [each.message for each in seen.messages(rows)] == [
                each.message for each in alone.messages(other_rows)
            ]
    for store in (with_hidden, without):
        store.close()
