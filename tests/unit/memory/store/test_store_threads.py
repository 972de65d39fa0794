"""Answers find what they answer, whatever the order in which things come, and read together with it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Message
from support.memory_store import NINE, everything, found, picture, said

ROOT = said("1", "Shall we move the pilot to Orrin?")
ANSWER = said("2", "Yes, on Monday.", reply_to="1")
BELOW = said("3", "Monday is taken.", reply_to="2")
ASIDE = said("4", "Lunch?")


def test_an_answer_that_comes_before_its_parent_finds_it(store: SqliteStore) -> None:
    store.add([ANSWER])
    assert store.view(None).messages(np.array([0]))[0].parent is None
    store.flush()
    store.add([ROOT])
    (answer, root) = store.view(None).messages(np.array([0, 1]))
    assert answer.parent == root.row
    assert root.children == (answer.row,)
    assert answer.thread == root.thread == root.row
    assert found(store.view(None), "orrin", field="context") == [ROOT.text, ANSWER.text]
    assert answer.notes.parent_terms, "what an answer borrows from its parent is noted when that comes"


@pytest.mark.parametrize("order", list(itertools.permutations([ROOT, ANSWER, BELOW, ASIDE])))
@pytest.mark.parametrize("flushed", [False, True])
def test_every_order_of_arrival_gives_the_same_memory(
    tmp_path_factory: pytest.TempPathFactory, order: tuple[Message, ...], flushed: bool
) -> None:
    from support.memory_store import open_store

    pictures = []
    for messages in ((ROOT, ANSWER, BELOW, ASIDE), order):
        store = open_store(tmp_path_factory.mktemp("memory") / "team.db")
        for message in messages:
            store.add([message])
            if flushed:
                store.flush()
        view = store.view(None)
        threads = {each.message.id: each.thread for each in view.messages(everything(view))}
        assert threads["1"] == threads["2"] == threads["3"] != threads["4"]
        pictures.append(picture(view, ["orrin", "monday", "lunch"]))
        store.close()
    assert pictures[0] == pictures[1]


def test_an_answer_whose_parent_never_comes_is_kept(store: SqliteStore) -> None:
    store.add([ANSWER, ASIDE])
    (answer, _) = store.view(None).messages(np.array([0, 1]))
    assert (answer.parent, answer.thread, answer.message.reply_to) == (None, answer.row, "1")


def test_a_thread_alone_names_the_parent(store: SqliteStore) -> None:
    """Where a source gives no parent but the thread, a message answers the thread's first one."""
    store.add([said("1", "root", thread="1"), said("2", "in the thread", thread="1")])
    (root, inside) = store.view(None).messages(np.array([0, 1]))
    assert (root.parent, inside.parent) == (None, root.row)


def test_a_reply_is_looked_for_in_its_own_channel(store: SqliteStore) -> None:
    """Ids are the channel's: an equal id elsewhere, and what is written there, is somebody else's."""
    store.add([said("1", "the draft is a.md", channel="36"), said("1", "the invoice is b.pdf", channel="854")])
    store.add([said("2", "where is that file again?", channel="36", reply_to="1")])
    view = store.view(None)
    assert found(view, "draft", field="context") == ["the draft is a.md", "where is that file again?"]
    assert found(view, "invoic", field="context") == ["the invoice is b.pdf"]


@pytest.mark.parametrize(
    "circle",
    [
        [said("1", "ash", reply_to="1")],
        [said("1", "ash", reply_to="2"), said("2", "birch", reply_to="1")],
        [said("1", "ash", reply_to="3"), said("2", "birch", reply_to="1"), said("3", "cedar", reply_to="2")],
    ],
)
def test_messages_that_answer_each_other_in_a_circle_do_no_harm(store: SqliteStore, circle: list[Message]) -> None:
    store.add(circle)
    view = store.view(None)
    parents = {each.row: each.parent for each in view.messages(everything(view))}
    for row in parents:
        for _ in range(len(circle)):
            row = parents.get(row)  # type: ignore[assignment]
        assert row is None, "the way up ends"
    assert len(found(view, "ash", "birch", "cedar")) == len(circle)


def test_an_edit_that_would_make_a_circle_makes_none(store: SqliteStore) -> None:
    store.add([ROOT, ANSWER, BELOW])
    store.add([said("1", ROOT.text, reply_to="3")])
    root = store.view(None).messages(np.array([0]))[0]
    assert root.parent is None
    assert root.message.reply_to == "3"


def test_a_long_chain_of_late_parents(store: SqliteStore) -> None:
    chain = [said(str(number), "ok", reply_to=str(number - 1)) for number in range(60, 0, -1)]
    store.add([*chain, said("0", "Is the gate open?")])
    view = store.view(None)
    assert {each.thread for each in view.messages(everything(view))} == {view.row("desk", "0")}


def test_where_nobody_answers_a_short_message_reads_together_with_the_one_before(store: SqliteStore) -> None:
    long = "word " * 60
    store.add([said("1", "Which lamp broke?"), said("2", "The green one."), said("3", long), said("4", "Oh no.")])
    view = store.view(None)
    assert set(found(view, "lamp", field="context")) == {"Which lamp broke?", "The green one."}
    assert found(view, "word", field="context") == [long]


def test_where_people_answer_only_answers_read_together(store: SqliteStore) -> None:
    store.add([said("1", "Which lamp broke?"), said("2", "The green one.", reply_to="1"), said("3", "Lunch?")])
    assert set(found(store.view(None), "green", field="context")) == {"The green one."}


def test_a_late_message_comes_between(store: SqliteStore) -> None:
    """The message after it reads together with it now, and no longer with the one before it."""
    store.add([said("1", "Which lamp broke?"), said("9", "Gone.")])
    store.flush()
    store.add([said("5", "And the kettle?")])
    view = store.view(None)
    assert set(found(view, "lamp", field="context")) == {"Which lamp broke?", "And the kettle?"}
    assert set(found(view, "kettl", field="context")) == {"And the kettle?", "Gone."}


def test_whether_a_channel_uses_replies_is_told(store: SqliteStore) -> None:
    store.add([ROOT, ANSWER, BELOW, said("1", "a", channel="hall"), said("2", "b", channel="hall")])
    view = store.view(None)
    outline = view.outline(everything(view))
    assert outline.threaded.tolist() == [True, True, True, False, False]
    assert store.view(None, NINE).outline(np.empty(0, dtype=np.int64)).threaded.tolist() == []


def test_a_thread_is_listed_from_its_first_visible_message(store: SqliteStore) -> None:
    store.add([ROOT, ANSWER, BELOW, ASIDE])
    view = store.view(None)
    assert view.outline(np.arange(4)).thread.tolist() == [0, 0, 0, 3]
    assert view.members("thread", 0).tolist() == [0, 1, 2]
    store.delete("desk", "1")
    view = store.view(None)
    outline = view.outline(np.array([1, 2, 3]))
    assert outline.thread.tolist() == [1, 1, 3]
    assert outline.parent.tolist() == [-1, 1, -1]
    assert view.members("thread", 1).tolist() == [1, 2]


def test_links_between_statements_do_not_depend_on_the_order_of_arrival(tmp_path_factory) -> None:
    from support.memory_store import open_store

    first = said("1", "Decision: we start the freeze on 23 November.", phase="Freeze", topic="Freeze")
    second = said("2", "Change: the freeze moves from 23 November to 25 November.", phase="Freeze", topic="Freeze")
    third = said("3", "Change: the freeze moves back from 25 November to 23 November.", phase="Freeze", topic="Freeze")
    expected = None
    for order in itertools.permutations([first, second, third]):
        store = open_store(tmp_path_factory.mktemp("memory") / "team.db")
        for message in order:
            store.add([message])
        links = picture(store.view(None), ["freez"])["links"]
        store.close()
        expected = links if expected is None else expected
        assert sorted(links) == sorted(expected)
    assert [(new, old) for new, old, *_ in expected or ()] == [("desk/2", "desk/1"), ("desk/3", "desk/2")]
