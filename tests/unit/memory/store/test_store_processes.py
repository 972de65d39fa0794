"""One writes, many read: in real processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from groupmem.errors import InputError
from groupmem.memory.store import compaction
from groupmem.memory.store.base import Added
from groupmem.memory.store.lock import BusyError, WriteLock
from groupmem.memory.store.sqlite import SqliteStore
from support.memory_store import Opener, found, open_store, said

HOLD = """
import sys
from pathlib import Path
from groupmem.memory.store.lock import WriteLock
with WriteLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""
POST = """
import sys
from pathlib import Path
from groupmem.memory.decisions import link
from groupmem.memory.store.sqlite import SqliteStore
from groupmem.types import Message
store = SqliteStore(Path(sys.argv[1]), link=link)
sys.stdin.read(1)
print(store.add([Message(id="1", channel="desk", author="mira", text="posted thrice")]).added)
"""


def lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.index") / "write.lock"


def test_a_second_writer_is_told_who_writes(store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add([said("1", "first")])
    monkeypatch.setattr(store._lock, "_wait_seconds", 0.05)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock_of(path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        for write in (lambda: store.add([said("2", "second")]), store.flush, lambda: store.delete("desk", "1")):
            with pytest.raises(BusyError, match=rf"being written by process {holder.pid}; wait"):
                write()
        assert found(store.view(None), "first") == ["first"], "reading goes on"
        holder.communicate()
    assert store.add([said("2", "second")]) == Added(added=1)


def test_a_writer_waits_for_another_to_finish(path: Path) -> None:
    held, released = threading.Event(), threading.Event()

    def hold() -> None:
        with WriteLock(path).held():
            held.set()
            released.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    timer = threading.Timer(0.05, released.set)
    timer.start()
    with WriteLock(path).held():
        assert released.is_set()
    holder.join()


def test_the_lock_of_a_process_that_died_is_free(store: SqliteStore, path: Path) -> None:
    store.add([said("1", "first")])
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock_of(path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        holder.kill()
        holder.wait()
        assert store.add([said("2", "second")]) == Added(added=1)


def test_a_message_posted_by_three_processes_at_once_is_one(path: Path) -> None:
    open_store(path).close()
    posting = [
        subprocess.Popen([sys.executable, "-c", POST, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    outcomes = sorted(process.communicate(b"x")[0].strip() for process in posting)
    assert outcomes == [b"0", b"0", b"1"]
    assert open_store(path).status().messages == 1


def test_readers_see_what_another_process_writes(opened: Opener, path: Path) -> None:
    reader, writer = opened(), opened()
    assert reader.view(None).count == 0
    for number in range(6):
        writer.add([said(str(number), f"lamp {number}", reply_to=str(number - 1) if number else None)])
        if number % 2:
            writer.flush()
        view = reader.view(None)
        assert view.count == number + 1
        assert len(found(view, "lamp")) == number + 1
    writer.delete("desk", "3")
    assert "lamp 3" not in found(reader.view(None), "lamp")


def test_two_writers_take_turns(opened: Opener) -> None:
    one, other = opened(), opened()
    for number in range(0, 6, 2):
        one.add([said(str(number), f"lamp {number}", phase=f"phase {number}")])
        other.add([said(str(number + 1), f"lamp {number + 1}", reply_to=str(number), phase=f"phase {number}")])
    assert one.view(None).count == other.view(None).count == 6
    one.add([said("0", "edited lamp", phase="phase 0")])
    other.add([said("9", "an answer", reply_to="0")])
    (answer,) = (each for each in other.view(None).messages(other.view(None).occurrences("content", "answer")))
    assert answer.parent == one.view(None).row("desk", "0")
    assert dict(one.view(None).phases) == dict(other.view(None).phases)


def test_a_view_stays_as_it_was_while_others_write(opened: Opener) -> None:
    reader, writer = opened(), opened()
    writer.add([said(str(number), f"lamp {number}") for number in range(4)])
    view = reader.view(None)
    before = view.lexical("content", {"lamp": 1.0}).top(10)
    writer.add([said("9", "lamp 9"), said("1", "kettle")])
    writer.compact()
    reader.view(None)
    after = view.lexical("content", {"lamp": 1.0}).top(10)
    assert [part.tolist() for part in before] == [part.tolist() for part in after]
    assert view.count == 4


def test_an_edit_starts_from_what_others_have_written(opened: Opener) -> None:
    """One process knows a message, another gives it a new phase; an edit by the first keeps the phase."""
    one, other = opened(), opened()
    one.add([said("1", "lamp", phase="Build"), said("2", "moss", phase="Build")])
    other.add([said("1", "lamp", phase="Ship")])
    assert one.edit("desk", "1", "kettle")
    (stored,) = other.view(None).messages(np.array([0]))
    assert (stored.message.text, stored.message.phase) == ("kettle", "Ship")


def test_labels_that_another_process_has_removed_are_written_down_again(opened: Opener) -> None:
    one, other = opened(), opened()
    one.add([said("1", "lamp", topic="Night")])
    other.delete("desk", "1")
    other.compact()
    one.add([said("2", "moss", topic="Night")])
    assert dict(one.view(None).topics) == dict(opened().view(None).topics) == {"Night": 1}


def test_a_compaction_that_meets_a_reader_says_so_and_stays_due(
    opened: Opener, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "WAIT_SECONDS", 0.05)
    store = opened()
    store.add([said("1", "lamp"), said("2", "moss")])
    store.delete("desk", "1")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchone()
        with pytest.raises(BusyError, match="another process is reading"):
            store.compact()
        assert store.status().unpurged == 1
        monkeypatch.setattr(compaction, "LEAST_DELETED", 1)
        assert store.delete("desk", "2"), "a deletion does not fail because its traces cannot be removed yet"
        reader.execute("COMMIT")
    store.compact()
    assert store.status().unpurged == 0


def test_a_full_disk_is_told_with_the_file(store: SqliteStore, path: Path) -> None:
    store.add([said("1", "lamp")])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(InputError, match=r"team\.db: the memory cannot be written \(database or disk is full\)"):
        store.add([said(str(number), "moss " * 500) for number in range(2, 40)])
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert store.view(None).count == 1
    assert store.add([said("2", "moss")]) == Added(added=1)
