"""What is deleted is gone from everything at once, and after compacting from every byte of every file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from groupmem.memory.analysis import content_terms
from groupmem.memory.index.postings import term_hash
from groupmem.memory.index.vectors import quantise
from groupmem.memory.store import compaction
from groupmem.memory.store.base import Added
from groupmem.memory.store.sqlite import SqliteStore
from support.memory_store import Opener, everything, found, near, open_store, picture, said
from support.word_vectors import WordVectors

SECRET = "Wolfsbane"
DECIDED = {"phase": "Freeze", "topic": "Freeze"}


@pytest.mark.parametrize("flushed", [False, True])
def test_a_deleted_message_is_gone_at_once_from_everything(opened: Opener, flushed: bool) -> None:
    model = WordVectors()
    store = opened(model)
    store.add(
        [
            said("1", f"{SECRET} is the code word.", author="lena", phase="Hiding", topic="Codes", role="Keeper"),
            said("2", "Understood.", reply_to="1"),
            said("3", "Lunch?"),
        ]
    )
    if flushed:
        store.flush()
    assert near(store.view(None), model, SECRET)[0].startswith(SECRET)
    assert store.delete("desk", "1") is True
    view = store.view(None)
    assert view.count == 2
    assert found(view, SECRET) == []
    assert found(view, SECRET, field="context") == [], "nor by what others were read together with"
    assert not any(SECRET in text for text in near(view, model, SECRET))
    assert view.frequencies("content", [*content_terms(SECRET), "code"]).tolist() == [0, 0]
    assert view.frequencies("context", [*content_terms(SECRET), "code", "hide"]).tolist() == [0, 0, 0]
    assert (dict(view.authors), dict(view.phases), dict(view.topics), dict(view.roles)) == ({"mira": 2}, {}, {}, {})
    (answer, lunch) = view.messages(everything(view))
    assert (answer.parent, answer.previous, lunch.previous) == (None, None, answer.row)
    assert answer.notes.parent_terms == (), "what an answer had borrowed is withdrawn"
    assert view.row("desk", "1") is None
    assert store.edit("desk", "1", "back again") is False


def test_links_skip_what_is_deleted(store: SqliteStore) -> None:
    """A was replaced by B, and B by C; without B it is C that replaces A."""
    store.add(
        [
            said("1", "Decision: the freeze starts on 23 November.", **DECIDED),
            said("2", "Change: the freeze starts on 25 November instead of 23 November.", **DECIDED),
            said("3", "Change: the freeze starts on 27 November instead of 25 November.", **DECIDED),
        ]
    )
    assert [(link.new, link.old) for link in store.view(None).links(np.arange(3))] == [(1, 0), (2, 1)]
    store.delete("desk", "2")
    assert [(link.new, link.old) for link in store.view(None).links(np.array([0, 2]))] == [(2, 0)]


def test_the_next_message_reads_together_with_what_is_left(store: SqliteStore) -> None:
    store.add([said("1", "Which lamp?"), said("2", "The brass one."), said("3", "Found it.")])
    store.delete("desk", "2")
    assert "Found it." in found(store.view(None), "lamp", field="context")


def test_a_deleted_message_does_not_come_back(opened: Opener) -> None:
    opened().add([said("1", "gone")])
    assert opened().delete("desk", "1") is True
    assert opened().delete("desk", "1") is False
    opened().compact()
    assert opened().add([said("1", "gone"), said("1", "gone, edited")]) == Added(deleted=2)
    assert opened().view(None).count == 0


def test_a_deletion_may_come_before_its_message(store: SqliteStore) -> None:
    assert store.delete("desk", "7") is False
    assert store.add([said("7", "too late"), said("8", "on time", reply_to="7")]) == Added(added=1, deleted=1)
    assert found(store.view(None), "late", "time") == ["on time"]


def test_the_history_of_a_deleted_message_goes_with_it(store: SqliteStore) -> None:
    store.add([said("1", f"{SECRET} first")])
    store.add([said("1", "harmless now")])
    store.delete("desk", "1")
    assert store.status().former_texts == 0


# -- every byte --------------------------------------------------------------------------------------------------------


def files_with(folder: Path, trace: bytes) -> set[str]:
    """The names of the files, at any depth, that hold these bytes."""
    return {file.name for file in folder.rglob("*") if file.is_file() and trace in file.read_bytes()}


def traces(model: WordVectors) -> dict[str, bytes]:
    """What a message leaves in files: its words, its rare word as the index keeps it, its vector, its labels."""
    text = f"{SECRET} opens the vault"
    return {
        "text": text.encode(),
        "word": SECRET.encode(),
        "term": np.uint64(term_hash(content_terms(SECRET)[0])).tobytes(),
        "vector": quantise(model.embed([text], kind="passage")).tobytes(),
        "phase": b"Operation Nightshade",
        "topic": b"Belladonna vault",
        "author": b"Hemlock Person",
        "former text": b"Foxglove opened it",
    }


def hide(store: SqliteStore) -> None:
    """Ordinary talk with the secret in its midst, said, edited and answered."""
    store.add([said(str(number), f"{number} plain words about lamp {number % 7}") for number in range(60)])
    secret = {"author": "Hemlock Person", "phase": "Operation Nightshade", "topic": "Belladonna vault"}
    store.add([said("100", "Foxglove opened it", **secret)])
    store.add([said("100", f"{SECRET} opens the vault", **secret), said("101", "ok", reply_to="100")])


@pytest.mark.parametrize("flush_first", [True, False])
def test_after_compacting_no_file_holds_a_trace(path: Path, opened: Opener, flush_first: bool, tmp_path: Path) -> None:
    model = WordVectors()
    store = opened(model)
    hide(store)
    if flush_first:
        store.flush()
        expected = {name: files_with(tmp_path, trace) for name, trace in traces(model).items()}
        assert all(expected.values()), f"the search must be able to find what it looks for: {expected}"
        assert any(name.endswith(".postings") for name in expected["term"])
        assert any(name.endswith(".int8") for name in expected["vector"])
        assert not any(name.endswith(".postings") for name in expected["word"]), "an index holds no words"
    store.delete("desk", "100")
    store.compact()
    left = {name: files for name, trace in traces(model).items() if (files := files_with(tmp_path, trace))}
    assert left == {}
    with sqlite3.connect(path) as tables:
        dump = "\n".join(tables.iterdump())
    assert SECRET not in dump
    assert path.with_name("team.db-wal").stat().st_size == 0
    assert store.view(None).count == 61
    assert found(store.view(None), "vault") == []


def test_an_edit_leaves_its_former_text_in_history_alone(opened: Opener, tmp_path: Path) -> None:
    model = WordVectors()
    store = opened(model)
    hide(store)
    store.flush()
    store.add([said("100", "nothing to see")])
    store.compact()
    left = {name: files_with(tmp_path, trace) for name, trace in traces(model).items()}
    assert left["text"] == left["word"] == {"team.db"}
    assert left["term"] == left["vector"] == set()


def test_compacting_changes_nothing_that_is_seen(opened: Opener) -> None:
    model = WordVectors()
    store = opened(model)
    hide(store)
    store.flush()
    store.delete("desk", "7")
    before, close = picture(store.view(None), ["lamp", "vault", "7"]), near(store.view(None), model, "vault lamp")
    store.compact()
    assert picture(store.view(None), ["lamp", "vault", "7"]) == before
    assert near(store.view(None), model, "vault lamp") == close
    assert picture(opened(model).view(None), ["lamp", "vault", "7"]) == before


def test_many_deletions_compact_by_themselves(opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "LEAST_DELETED", 5)
    store = opened()
    store.add([said(str(number), f"word{number} {SECRET}") for number in range(40)])
    store.flush()
    for number in range(4):
        store.delete("desk", str(number))
    assert store.status().unpurged == 4
    assert files_with(tmp_path, np.uint64(term_hash("word0")).tobytes())
    store.delete("desk", "4")
    assert store.status().unpurged == 0
    assert not files_with(tmp_path, np.uint64(term_hash("word0")).tobytes())


def test_few_deletions_in_a_large_memory_wait(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "LEAST_DELETED", 1)
    store = opened()
    store.add([said(str(number), "word") for number in range(40)])
    store.delete("desk", "0")
    assert store.status().unpurged == 1
    store.delete("desk", "1")
    assert store.status().unpurged == 0, "two of forty are five in a hundred"


def test_a_reader_that_was_open_sees_what_a_compaction_left(opened: Opener) -> None:
    reader, writer = opened(), opened()
    writer.add([said(str(number), f"lamp {number}") for number in range(5)])
    writer.flush()
    assert reader.view(None).count == 5
    writer.delete("desk", "1")
    writer.add([said("2", "kettle 2")])
    writer.compact()
    writer.add([said("9", "lamp 9")])
    assert set(found(reader.view(None), "lamp")) == {"lamp 0", "lamp 3", "lamp 4", "lamp 9"}
    assert found(reader.view(None), "kettle") == ["kettle 2"]


def test_deleting_is_as_if_it_had_never_been_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = [
        said("1", "Decision: the freeze starts on 23 November.", **DECIDED),
        said("3", "Agreed.", reply_to="1"),
        said("4", "Change: the freeze starts on 27 November instead of 23 November.", **DECIDED),
    ]
    gone = said("2", "Change: the freeze starts on 25 November instead of 23 November.", author="lena", **DECIDED)
    make: Callable[[], SqliteStore] = lambda: open_store(tmp_path_factory.mktemp("memory") / "team.db")  # noqa: E731
    deleted, never = make(), make()
    deleted.add([kept[0], gone, *kept[1:]])
    deleted.flush()
    deleted.delete("desk", "2")
    never.add(kept)
    terms = ["freez", "25", "agre"]
    assert picture(deleted.view(None), terms) == picture(never.view(None), terms)
    deleted.close()
    never.close()
