"""Messages come back as they were given, once each, found by their words, and where they stand."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupmem.errors import InputError
from groupmem.memory.store.base import Added
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Channel, Message, Person
from support.memory_store import NINE, Opener, everything, found, open_store, said

EARLIEST, LATEST = datetime(1, 1, 3), datetime(9999, 12, 28)  # noqa: DTZ001  (drawn first, given a zone then)
words = st.text(max_size=40)
messages = st.builds(
    Message,
    id=st.text(min_size=1, max_size=8),
    channel=st.text(min_size=1, max_size=4),
    author=st.text(min_size=1, max_size=8),
    text=words,
    sent_at=st.none()
    | st.datetimes(min_value=EARLIEST, max_value=LATEST).flatmap(
        lambda naive: st.integers(-14 * 60, 14 * 60).map(
            lambda minutes: naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
        )
    ),
    position=st.integers(0, 10**9),
    role=st.none() | words,
    reply_to=st.none() | st.text(max_size=8),
    thread=st.none() | st.text(max_size=8),
    phase=st.none() | words,
    topic=st.none() | words,
    is_bot=st.booleans(),
    extra=st.dictionaries(words, st.none() | words | st.integers(-(2**53), 2**53), max_size=3),
)


@given(st.lists(messages, max_size=8, unique_by=lambda message: (message.channel, message.id)))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_messages_come_back_as_they_were_given(tmp_path_factory: pytest.TempPathFactory, given: list[Message]) -> None:
    store = open_store(tmp_path_factory.mktemp("memory") / "team.db")
    try:
        assert store.add(given) == Added(added=len(given))
        view = store.view(None)
        back = {(each.message.channel, each.message.id): each.message for each in view.messages(everything(view))}
        assert back == {(message.channel, message.id): message for message in given}
        for message in given:
            kept = back[message.channel, message.id].sent_at
            assert (kept and kept.utcoffset()) == (message.sent_at and message.sent_at.utcoffset())
    finally:
        store.close()


def test_half_a_surrogate_pair_is_kept_and_the_rest_is_found(store: SqliteStore) -> None:
    broken = said("1", "launch \ud83d today", author="mi\udc00ra", topic="\ud800", extra={"raw": "\udfff"})
    store.add([broken])
    store.flush()
    (stored,) = store.view(None).messages(np.array([0]))
    assert stored.message == broken
    assert found(store.view(None), "launch") == [broken.text]
    assert store.add([broken]) == Added(unchanged=1)


def test_a_retry_adds_nothing(opened: Opener) -> None:
    """The same message posted again, after a restart as well: one record, known by channel and id."""
    batch = [said("1", "the key is the source's id"), said("2", "and the channel"), said("2", "again", channel="other")]
    assert opened().add(batch) == Added(added=3)
    assert opened().add(batch) == Added(unchanged=3)
    assert opened().add([*batch, *batch]) == Added(unchanged=6)
    assert opened().view(None).count == 3


def test_the_same_message_twice_in_one_batch_is_one(store: SqliteStore) -> None:
    message = said("1", "hello")
    assert store.add([message, message]) == Added(added=1, unchanged=1)


def test_a_batch_that_fails_leaves_nothing_behind(store: SqliteStore) -> None:
    store.add([said("1", "first")])
    with pytest.raises(AttributeError):
        store.add([said("2", "second", phase="new phase"), None])  # type: ignore[list-item]
    assert store.view(None).count == 1
    assert store.add([said("2", "second", phase="new phase")]) == Added(added=1)
    assert dict(store.view(None).phases) == {"new phase": 1}


def test_neighbours_are_by_time_and_not_by_arrival(store: SqliteStore) -> None:
    store.add([said("30", "third"), said("10", "first"), said("20", "second"), said("15", "elsewhere", channel="hall")])
    view = store.view(None)
    by_text = {each.message.text: each for each in view.messages(everything(view))}
    row = {text: each.row for text, each in by_text.items()}
    assert by_text["second"].previous == row["first"]
    assert by_text["second"].next == row["third"]
    assert by_text["first"].previous is None
    assert by_text["elsewhere"].next is None


def test_messages_without_a_time_stand_where_they_came(store: SqliteStore) -> None:
    store.add([said("a", "one"), said("9", "two"), said("b", "three"), said("20", "four")])
    view = store.view(None)
    order = sorted(view.messages(everything(view)), key=lambda each: -1 if each.previous is None else each.previous)
    assert [each.message.text for each in order] == ["one", "two", "three", "four"]


def test_a_view_of_the_past_shows_what_was_sent_by_then(store: SqliteStore) -> None:
    store.add([said("1", "early bird"), said("5", "late bird"), said("x", "timeless bird")])
    assert set(found(store.view(None, NINE + timedelta(minutes=1)), "bird")) == {"early bird", "timeless bird"}
    assert store.view(None, NINE + timedelta(minutes=1)).frequencies("content", ["bird"]).tolist() == [2]
    assert store.view(None, NINE).count == 1
    assert store.view(None).count == 3


def test_labels_come_with_counts_and_are_what_an_outline_points_to(store: SqliteStore) -> None:
    store.set_people([Person(id="mira", name="Mira", role="QA"), Person(id="tomas", role="SRE")])
    store.add(
        [
            said("1", "a", phase="Build", topic="Locks"),
            said("2", "b", phase="Build", author="tomas", role="On call"),
            said("3", "c", phase="Test", author="lena"),
        ]
    )
    view = store.view(None)
    assert dict(view.phases) == {"Build": 2, "Test": 1}
    assert dict(view.roles) == {"On call": 1, "QA": 1}, "a role of the message counts before one of the setting"
    outline = view.outline(np.array([0, 1, 2]))
    assert [list(view.authors)[place] for place in outline.author] == ["mira", "tomas", "lena"]
    assert [None if place < 0 else list(view.roles)[place] for place in outline.role] == ["QA", "On call", None]
    assert [None if place < 0 else list(view.topics)[place] for place in outline.topic] == ["Locks", None, None]
    assert view.members("author", list(view.authors).index("tomas")).tolist() == [1]
    assert view.members("role", list(view.roles).index("QA")).tolist() == [0]
    assert view.members("phase", list(view.phases).index("Build")).tolist() == [0, 1]
    assert view.members("topic", 0).tolist() == [0]


def test_a_message_is_found_by_its_words_and_by_its_surroundings(store: SqliteStore) -> None:
    store.set_channels([Channel(id="desk", name="help-desk")])
    store.add([said("1", "which broker do we use?", phase="Alert Routing"), said("2", "The small one.", reply_to="1")])
    for flushed in (False, True):
        if flushed:
            store.flush()
        view = store.view(None)
        assert found(view, "broker") == ["which broker do we use?"]
        assert set(found(view, "broker", field="context")) == {"which broker do we use?", "The small one."}
        assert found(view, "rout", field="context") == ["which broker do we use?"]
        assert view.frequencies("context", ["help", "desk"]).tolist() == [2, 2]
        assert view.occurrences("context", "broker").tolist() == [0, 1]


def test_a_new_name_of_a_channel_and_a_new_role_are_found(store: SqliteStore) -> None:
    store.add([said("1", "hello there")])
    store.flush()
    store.set_channels([Channel(id="desk", name="galley")])
    store.set_people([Person(id="mira", role="Quartermaster")])
    assert found(store.view(None), "galley", field="context") == ["hello there"]
    assert found(store.view(None), "quartermast", field="context") == ["hello there"]
    assert store.view(None).frequencies("context", ["desk"]).tolist() == [0]


def test_parts_of_unspaced_scripts_and_identifiers_are_found(store: SqliteStore) -> None:
    store.add([said("1", "请重新跑deploy-eu一次"), said("2", "step_delay is 5")])
    store.flush()
    view = store.view(None)
    assert found(view, "重新") == ["请重新跑deploy-eu一次"]
    assert found(view, "deploy") == ["请重新跑deploy-eu一次"]
    assert found(view, "delay") == ["step_delay is 5"]


def test_workspaces_of_one_file_do_not_see_each_other(opened: Opener) -> None:
    one, other = opened(workspace="one"), opened(workspace="other")
    one.set_people([Person(id="mira", name="Mira Solberg")])
    one.add([said("1", "the harbour plan")])
    other.add([said("1", "the quarry plan")])
    assert found(one.view(None), "plan") == ["the harbour plan"]
    assert found(other.view(None), "plan") == ["the quarry plan"]
    assert other.view(None).people == {}
    assert other.view(None).frequencies("content", ["harbour", "plan"]).tolist() == [0, 1]
    assert (one.status().messages, other.status().messages) == (1, 1)


def test_a_file_that_is_no_memory_is_refused_and_left_alone(opened: Opener, path, tmp_path) -> None:
    import sqlite3

    path.write_text("shopping list")
    with pytest.raises(InputError, match=r"team\.db: not a memory of groupmem"):
        opened()
    assert path.read_text() == "shopping list"
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(InputError, match="not a memory of groupmem"):
        opened()
    path.unlink()
    opened().close()
    with sqlite3.connect(path) as memory:
        memory.execute("PRAGMA user_version = 7")
    with pytest.raises(InputError, match="schema version 7, this groupmem reads 2"):
        opened()


def test_rows_that_a_view_does_not_show_cannot_be_asked_for(store: SqliteStore) -> None:
    store.set_channels([Channel(id="board", members=("lena",))])
    store.add([said("1", "open"), said("2", "closed", channel="board")])
    view = store.view(None)
    for ask in (view.messages, view.outline, view.links):
        for hidden in ([1], [0, 1], [2], [-1]):
            with pytest.raises(ValueError, match="does not show"):
                ask(np.array(hidden))
    assert view.lexical("content", {"close": 1.0}).at(np.array([1])).tolist() == [0]
