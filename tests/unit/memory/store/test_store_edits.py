"""Edits replace, keep what was said before as history, and reach everything that was derived."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import numpy as np
import pytest

from groupmem.memory.store.base import Added
from groupmem.memory.store.sqlite import SqliteStore
from support.memory_store import NINE, Opener, found, picture, said
from support.word_vectors import WordVectors

MONDAY = said("1", "The deadline is Monday.")
TUESDAY = msgspec.structs.replace(MONDAY, text="The deadline is Tuesday.", edited_at=NINE + timedelta(hours=1))


@pytest.mark.parametrize("flushed", [False, True])
def test_an_edit_replaces_and_keeps_history(store: SqliteStore, flushed: bool) -> None:
    store.add([MONDAY])
    if flushed:
        store.flush()
    assert store.add([TUESDAY]) == Added(edited=1)
    view = store.view(None)
    assert view.count == 1
    assert found(view, "tuesday") == ["The deadline is Tuesday."]
    assert found(view, "monday") == []
    assert view.frequencies("content", ["monday", "tuesday", "deadlin"]).tolist() == [0, 1, 1]
    (stored,) = view.messages(np.array([0]))
    assert stored.message == TUESDAY
    assert stored.replaced_texts == ("The deadline is Monday.",)
    assert [note.text for note in stored.notes.dates] == ["Tuesday"]


def test_a_link_preview_changes_nothing(store: SqliteStore) -> None:
    """An export that says "changed" for an attachment that appeared: same words, so no edit."""
    store.add([TUESDAY])
    preview = msgspec.structs.replace(TUESDAY, extra={"attachments": [{"title": "calendar"}]}, edited_at=None)
    assert store.add([preview]) == Added(unchanged=1)
    assert store.view(None).messages(np.array([0]))[0].replaced_texts == ()


def test_a_second_export_that_starts_later_changes_nothing(store: SqliteStore) -> None:
    store.add([said("1", "one", position=40), said("2", "two", position=41)])
    assert store.add([said("2", "two", position=0)]) == Added(unchanged=1)


def test_every_edit_is_history(store: SqliteStore) -> None:
    for text in ("one", "two", "three"):
        store.add([said("1", text)])
    assert store.view(None).messages(np.array([0]))[0].replaced_texts == ("one", "two")


def test_an_edit_reaches_answers_links_and_neighbours(store: SqliteStore) -> None:
    decided = {"phase": "Freeze", "topic": "Freeze"}
    store.add(
        [
            said("1", "Decision: we start the freeze on 23 November.", **decided),
            said("2", "Change: the freeze moves from 23 November to 25 November.", **decided),
            said("3", "Noted.", reply_to="1"),
        ]
    )
    store.flush()
    assert [(link.new, link.old) for link in store.view(None).links(np.arange(3))] == [(1, 0)]
    store.add([said("1", "Good morning.", **decided)])
    view = store.view(None)
    assert view.links(np.arange(3)) == []
    assert found(view, "november", field="context") == ["Change: the freeze moves from 23 November to 25 November."]
    assert "Noted." in found(view, "morn", field="context")


def test_an_edit_can_move_a_message_to_another_thread_and_time(store: SqliteStore) -> None:
    store.add(
        [said("1", "first"), said("2", "second"), said("3", "answer", reply_to="1"), said("4", "x", reply_to="3")]
    )
    moved = said("3", "answer", reply_to="2", minute=90)
    assert store.add([moved]) == Added(edited=1)
    view = store.view(None)
    (answer, below) = view.messages(np.array([2, 3]))
    assert (answer.parent, answer.thread, below.thread) == (1, 1, 1)
    assert (answer.previous, answer.next) == (3, None)
    assert answer.replaced_texts == (), "only words are history"


@pytest.mark.parametrize("flushed", [False, True])
def test_an_edited_text_is_near_what_it_says_now(opened: Opener, flushed: bool) -> None:
    model = WordVectors()
    store = opened(model)
    store.add([said("1", "harbour pilot tide"), said("2", "lamp moss gate")])
    if flushed:
        store.flush()
    store.add([said("1", "quarry dust")])
    ranking = store.view(None).nearest(model.embed(["harbour pilot tide"], kind="query")[0])
    assert ranking.at(np.array([0]))[0] < 0.3
    ranking = store.view(None).nearest(model.embed(["quarry dust"], kind="query")[0])
    rows, cosines = ranking.top(1)
    assert (rows.tolist(), cosines[0]) == ([0], pytest.approx(1, abs=0.01))


def test_surroundings_that_change_need_no_new_vector(opened: Opener) -> None:
    """A late parent changes what an answer is read together with, and not what it says."""
    model = WordVectors()
    store = opened(model)
    store.add([said("2", "yes", reply_to="1")])
    store.flush()
    store.add([said("1", "shall we?")])
    store.flush()
    assert [texts for texts in model.calls if "yes" in texts] == [["yes"]]
    assert store.view(None).nearest(model.embed(["yes"], kind="query")[0]).top(1)[0].tolist() == [0]


def test_what_was_edited_is_as_if_it_had_been_said_so(opened: Opener, tmp_path_factory) -> None:
    from support.memory_store import open_store

    before = [said("1", "Is it five?"), said("2", "Five minutes.", reply_to="1"), said("3", "ok", reply_to="2")]
    after = [said("1", "Is it ten?"), said("2", "Ten minutes, decided.", reply_to="1"), said("3", "ok", reply_to="2")]
    store = opened()
    store.add(before)
    store.add(after)
    fresh = open_store(tmp_path_factory.mktemp("memory") / "team.db")
    fresh.add(after)
    terms = ["five", "ten", "minut", "decid"]
    edited, said_so = picture(store.view(None), terms), picture(fresh.view(None), terms)
    for name, (message, notes, _) in edited["messages"].items():
        assert (message, notes) == said_so["messages"][name][:2]
    for part in ("places", "links", "frequencies", "scores", "outline"):
        assert edited[part] == said_so[part]
    fresh.close()
